"""A place in a log that is still written, found again although its middle may have been taken out meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_TAIL = 256
_LEFT_OUT = b"bytes were left out here ...]\n"
"""Ends the notice that ``processes.capped_log`` puts in the place of the middle."""


@dataclass(frozen=True)
class LogPlace:
    """The end of a log at one moment.

    Attributes:
        path: Of the log.
        offset: Bytes that it had.
        tail: The last of them, by which the place is known again.
    """

    path: Path
    offset: int = 0
    tail: bytes = b""

    def now(self) -> int:
        """Where in the file that place is; all that follows was written later.

        The head of a capped log never moves. Behind it, what is left is the newest: a place that is gone lay before it.
        """
        if not self.offset or not self.path.is_file():
            return 0
        with self.path.open("rb") as stream:
            stream.seek(self.offset - len(self.tail))
            if stream.read(len(self.tail)) == self.tail:
                return self.offset
            stream.seek(0)
            content = stream.read()
        if (at := content.find(self.tail)) >= 0:
            return at + len(self.tail)
        begin = content.find(_LEFT_OUT) + len(_LEFT_OUT) if _LEFT_OUT in content else 0
        rest = content[begin : begin + len(self.tail)]
        return begin + next(size for size in range(len(self.tail), -1, -1) if rest.startswith(self._last(size)))

    def _last(self, size: int) -> bytes:
        """So many bytes of the tail, of which the first may have been taken out."""
        return self.tail[len(self.tail) - size :]


def end_of(path: Path) -> LogPlace:
    """The end of a log now; the beginning of one that is not there yet."""
    if not path.is_file():
        return LogPlace(path)
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(size - _TAIL, 0))
        tail = stream.read(_TAIL)
    return LogPlace(path, max(size - _TAIL, 0) + len(tail), tail)


def read_from(place: LogPlace) -> str:
    """What was written since."""
    if not place.path.is_file():
        return ""
    with place.path.open("rb") as stream:
        stream.seek(place.now())
        return stream.read().decode("utf-8", "replace")
