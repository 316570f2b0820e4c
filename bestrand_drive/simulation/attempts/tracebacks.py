"""The tracebacks that Python printed into a log."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_BEGIN = "Traceback (most recent call last):"
_FRAME = re.compile(r'\s+File "(.+?)", line \d+(?:, in (.+))?$')
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_ASIDE = ("Exception ignored", "Exception in thread")
"""The line before a traceback of something that ended nothing."""


@dataclass(frozen=True)
class Raised:
    """An exception, with those that it was raised from or while they were handled.

    Attributes:
        frames: File and function of each frame, the outermost first; of the last exception.
        said: The line of each exception, in the order of the log.
    """

    frames: tuple[tuple[str, str], ...]
    said: tuple[str, ...]


def tracebacks(lines: Iterable[str]) -> list[Raised]:
    """All of a log, in order, without those of destructors and of other threads."""
    found: list[Raised] = []
    frames: list[tuple[str, str]] | None = None
    aside = chained = False
    before = ""
    for coloured in lines:
        line = (_COLOUR.sub("", coloured) if "\x1b" in coloured else coloured).rstrip()
        if line.strip() == _BEGIN:
            frames, aside = [], before.startswith(_ASIDE)
        elif frames is not None and (frame := _FRAME.match(line)):
            frames.append((frame[1], frame[2] or ""))
        elif frames is not None and line and not line[0].isspace():
            if not aside:
                earlier = found.pop().said if chained and found else ()
                found.append(Raised(tuple(frames), (*earlier, line)))
            frames, chained = None, False
        elif line.startswith(_CHAINED):
            chained = True
        before = line or before
    return found
