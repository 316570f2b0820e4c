"""Lines of a log that tell why a simulator, a port or a GPU failed.

A line tells of the attempt only as far as the attempt cannot have survived it: what a later step of the world followed
is no cause of the end, and neither is what an earlier route left in the log of a shared server. Why an agent crashed is
told by its own traceback alone, and there by the last exception: the agent had caught those before.

Sources: what CARLA 0.9.15, the leaderboard and PyTorch print; the same lines that Fail2Drive's launcher looks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.simulation.attempts.log_place import LogPlace
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.tracebacks import Raised, tracebacks

MAX_LINES = 20
MAX_LINE = 300
_END = 1 << 22
"""Bytes read of each end of a log; a flood of a hundred megabytes must not hold up the run."""

DEFECT = re.compile(r"Defect of the evaluator: ")
"""Printed by the built-in evaluator before the traceback of an error of its own."""

_PATTERNS: tuple[tuple[Reason | None, re.Pattern[str]], ...] = (
    (
        Reason.GPU_MEMORY,
        re.compile(
            r"OutOfMemoryError|CUDA out of memory|CUDA error: out of memory|CUDA_ERROR_OUT_OF_MEMORY"
            r"|[Oo]ut of video memory|VK_ERROR_OUT_OF_DEVICE_MEMORY"
        ),
    ),
    (Reason.PORT_TAKEN, re.compile(r"[Aa]ddress already in use|bind error")),
    (
        Reason.SIMULATION_CRASH,
        re.compile(
            r"Signal 11 caught|re-raising signal|Segmentation fault"
            r"|time-out of [0-9]+ms while waiting for the simulator"
        ),
    ),
    (Reason.EVALUATOR_DEFECT, DEFECT),
    (None, re.compile(r"Watchdog exception|Error during the simulation|the agent has crashed|Traceback")),
)
"""In order of what decides; None is worth keeping, but decides nothing."""
_SURVIVABLE = (Reason.GPU_MEMORY, Reason.PORT_TAKEN)
_BOUND = "traffic_manager init success"
"""Printed by Bench2Drive's evaluator once it has found a free port."""
_AGENT_CRASHED = "the agent has crashed"
_EVALUATORS = re.compile(r"leaderboard\.\w[\w.]*(?::|$)")
"""An exception of the evaluator's own, such as the AgentError that it raises from whatever the agent raised."""
_IMPORTER = re.compile(r"/leaderboard/[^/]+\.py$")
_IMPORTLIB = re.compile(r"/importlib/__init__\.py$")


@dataclass(frozen=True)
class Signature:
    """What a log tells.

    Attributes:
        reason: That decides, or None.
        lines: That tell it (the first ``MAX_LINES``, cut to ``MAX_LINE``).
        crash: What the traceback of an agent's crash says, or None.
    """

    reason: Reason | None
    lines: tuple[str, ...]
    crash: Reason | None = None


def scan(lines: Iterable[str], survived: Iterable[str] = ()) -> Signature:
    """Look through the lines of a log.

    Args:
        lines: Of the log, or of its rest.
        survived: Those before, which a step of the world followed.
    """
    rest = list(lines)
    before, after = _told(survived), _told(rest)
    found = {reason for reason, _ in before if reason not in _SURVIVABLE} | {reason for reason, _ in after}
    if Reason.PORT_TAKEN not in {reason for reason, _ in _told(_from_last(_BOUND, rest))}:
        found.discard(Reason.PORT_TAKEN)
    deciding = next((reason for reason, _ in _PATTERNS if reason and reason in found), None)
    raised = tracebacks(rest)
    if raised and _imports_agent(raised[-1]):
        deciding = _said(raised[-1]) or Reason.AGENT_IMPORT
    kept = tuple(line.strip()[:MAX_LINE] for _, line in (*before, *after)[:MAX_LINES])
    return Signature(deciding, kept, _crash(rest))


def scan_logs(paths: Iterable[Path]) -> Signature:
    """Look through logs, of long ones at the beginning and the end; one that is not there says nothing."""
    return scan([line for path in paths for line in _ends(path)])


def scan_attempt(survived: LogPlace, shared: Sequence[LogPlace] = ()) -> Signature:
    """Look through what was written since an attempt began.

    Args:
        survived: In the evaluator's log, up to where a later step of the world tells that all went on.
        shared: In the logs of a server that earlier routes used too, where each was when the attempt began.
    """
    known = survived.now()
    ours = [line for place in shared for line in _ends(place.path, place.now())]
    return scan([*_ends(survived.path, known), *ours], _ends(survived.path, 0, known))


def _told(lines: Iterable[str]) -> list[tuple[Reason | None, str]]:
    """Reason and line of those that tell something."""
    told = ((next((known for known in _PATTERNS if known[1].search(line)), None), line) for line in lines)
    return [(known[0], line) for known, line in told if known]


def _from_last(word: str, lines: Sequence[str]) -> Sequence[str]:
    """From the last line with a word on; all without one."""
    return lines[max((number for number, line in enumerate(lines) if word in line), default=0) :]


def _imports_agent(raised: Raised) -> bool:
    """Whether it passed through the evaluator's import of the agent, the only one that it does by name."""
    return any(
        _IMPORTER.search(caller) and _IMPORTLIB.search(called) and function == "import_module"
        for (caller, _), (called, function) in zip(raised.frames, raised.frames[1:], strict=False)
    )


def _crash(lines: Sequence[str]) -> Reason | None:
    """What ended the agent: the traceback below the evaluator's last word of a crash."""
    raised = tracebacks(_from_last(_AGENT_CRASHED, lines)) if any(_AGENT_CRASHED in line for line in lines) else []
    return _said(raised[0]) if raised else None


def _said(raised: Raised) -> Reason | None:
    """By the exception that ended it, and what the evaluator raised from it: what led to it was caught before."""
    own = next((at for at, said in enumerate(reversed(raised.said), 1) if not _EVALUATORS.match(said)), 0)
    return next((reason for reason, pattern in _PATTERNS if any(map(pattern.search, raised.said[-own:]))), None)


def _ends(path: Path, start: int = 0, stop: int | None = None) -> list[str]:
    """The lines between two places of a log, of much the first and the last."""
    if not path.is_file():
        return []
    stop = path.stat().st_size if stop is None else stop
    with path.open("rb") as stream:
        stream.seek(start)
        content = stream.read(min(_END, stop - start))
        if stop - start > len(content):
            begin = max(start + len(content), stop - _END)
            stream.seek(begin)
            content += b"\n" + stream.read(stop - begin)
    return content.decode("utf-8", "replace").splitlines()
