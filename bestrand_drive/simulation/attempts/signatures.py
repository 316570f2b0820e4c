"""Lines of a log that tell why a simulator, a port or a GPU failed.

Sources: what CARLA 0.9.15, the leaderboard and PyTorch print; the same lines that Fail2Drive's launcher looks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.simulation.attempts.reasons import Reason

MAX_LINES = 20
MAX_LINE = 300
_END = 1 << 22
"""Bytes read of each end of a log; a flood of a hundred megabytes must not hold up the run."""

_PATTERNS: tuple[tuple[Reason | None, re.Pattern[str]], ...] = (
    (
        Reason.GPU_MEMORY,
        re.compile(
            r"OutOfMemoryError|CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY"
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
    (None, re.compile(r"Watchdog exception|Error during the simulation|the agent has crashed|Traceback")),
)
"""In order of what decides; None is worth keeping, but decides nothing."""


@dataclass(frozen=True)
class Signature:
    """What a log tells: the deciding reason, or None, and the lines (the first ``MAX_LINES``, cut to ``MAX_LINE``)."""

    reason: Reason | None
    lines: tuple[str, ...]


def scan(lines: Iterable[str]) -> Signature:
    """Look through the lines of a log."""
    found: set[int] = set()
    kept: list[str] = []
    for line in lines:
        which = next((number for number, (_, pattern) in enumerate(_PATTERNS) if pattern.search(line)), None)
        if which is None:
            continue
        found.add(which)
        if len(kept) < MAX_LINES:
            kept.append(line.strip()[:MAX_LINE])
    return Signature(_PATTERNS[min(found)][0] if found else None, tuple(kept))


def scan_logs(paths: Iterable[Path]) -> Signature:
    """Look through logs, of long ones at the beginning and the end; one that is not there says nothing."""
    return scan(line for path in paths if path.is_file() for line in _ends(path).splitlines())


def _ends(path: Path) -> str:
    with path.open("rb") as stream:
        content = stream.read(_END)
        size = path.stat().st_size
        if size > len(content):
            stream.seek(max(len(content), size - _END))
            content += b"\n" + stream.read(_END)
    return content.decode("utf-8", "replace")
