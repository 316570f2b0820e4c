"""Reading where an evaluator is: the small file that the hooks in its Python write (``hooks/sitecustomize.py``)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

VARIABLE = "BESTRAND_HEARTBEAT"
"""Names the file to the hooks."""
FORMAT = "<4sHHIQQQd32s"
"""Magic, version, state, pid, changes, ticks, frame, time, town; then a CRC-32. The hooks hold a copy of this."""
_BODY = struct.Struct(FORMAT)
_MARK = (b"BSHB", 1)
_TRIES = 5


class State(IntEnum):
    """What the evaluator does."""

    START = 0
    """Carla is imported, no world loaded yet: it connects, and imports the agent."""
    LOAD = 1
    """In a call that loads a world."""
    TICK = 2
    """In a call that steps the world."""
    BETWEEN = 3
    """In its own code or the agent's."""


@dataclass(frozen=True)
class Beat:
    """One reading.

    Attributes:
        state: What the evaluator does.
        pid: Of the process that runs the evaluator.
        changes: Counts every change of what follows; a reading with another number is progress.
        ticks: Steps of the world that came back.
        frame: Of the last of them, as the server counts.
        changed_s: Monotonic clock of the evaluator's machine at the last change.
        town: Last loaded, "" before.
    """

    state: State
    pid: int
    changes: int
    ticks: int
    frame: int
    changed_s: float
    town: str


def read_beat(path: Path) -> Beat | None:
    """The present reading; None when there is none, or none that this version reads.

    A reading that was torn by a write at the same time is read again.
    """
    for _ in range(_TRIES):
        try:
            content = path.read_bytes()
        except OSError:
            return None
        body, check = content[: _BODY.size], content[_BODY.size :]
        if len(body) == _BODY.size and check == struct.pack("<I", zlib.crc32(body)):
            return _beat(body)
    return None


def _beat(body: bytes) -> Beat | None:
    magic, version, state, pid, changes, ticks, frame, changed_s, town = _BODY.unpack(body)
    if (magic, version) != _MARK:
        return None
    return Beat(
        State(state), pid, changes, ticks, frame, changed_s, town.rstrip(b"\0").decode("utf-8", errors="replace")
    )
