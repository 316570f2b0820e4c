"""Whose code the main thread of an evaluator is in, by the stacks that the hooks print into its log.

The format is that of ``faulthandler``: every thread with its innermost frame first, the main thread last, at most 100
frames a thread, names escaped as by ``backslashreplace``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):$")
_FRAME = re.compile(r'  File "(.+)", line \d+ in .+$')
_CUT, _THREADS_CUT = "  ...", "..."
_WRAPPER = re.compile(r"(.*)/autoagents/agent_wrapper[^/]*\.py$")
"""Through it the evaluators call the agent while they drive: ``agent_wrapper.py``, ``agent_wrapper_local.py``."""


@dataclass(frozen=True)
class Stack:
    """Of one thread.

    Attributes:
        files: Of its frames, the innermost first.
        cut: Whether further frames were left out.
    """

    files: tuple[str, ...]
    cut: bool = False


def main_stack(text: str) -> Stack | None:
    """The main thread's, None when it was not printed."""
    files: list[str] | None = None
    cut = False
    for line in text.splitlines():
        if _THREAD.match(line):
            files, cut = [], False
        elif files is not None and (frame := _FRAME.match(line)):
            files.append(frame[1])
        elif line == _THREADS_CUT:
            files = None
        cut = cut or line == _CUT
    return Stack(tuple(files), cut) if files else None


def in_agent(stack: Stack, agent: Path) -> bool:
    """Whether the evaluator waits for the agent's own code.

    So it is when the agent's file, or one below its folder, was called through the evaluator's wrapper, and did not
    itself call the evaluator again. A stack too deep to show the wrapper is taken for one that has it.

    Args:
        stack: Of the main thread.
        agent: File of the agent, as the evaluator was given it.
    """
    wrapper = next(((at, found[1]) for at, file in enumerate(stack.files) if (found := _WRAPPER.match(file))), None)
    if wrapper is None and not stack.cut:
        return False
    at, package = wrapper or (len(stack.files), None)
    for file in stack.files[:at]:
        if file in _names(agent):
            return True
        if package and file.startswith(f"{package}/"):
            return False
        if file.startswith(tuple(f"{folder}/" for folder in _names(agent.parent))):
            return True
    return False


def _names(path: Path) -> Sequence[str]:
    """How a path can be printed: as it was given, or with links resolved."""
    return [str(one).encode("ascii", "backslashreplace").decode() for one in (path, path.resolve())]
