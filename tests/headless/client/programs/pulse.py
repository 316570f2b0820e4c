"""A page of memory that a client program writes and its watchdog reads: how far it is, and whether inside a tick."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import NamedTuple

TIMEOUT_S = 10.0
"""Of every call of a client."""
_LAYOUT = struct.Struct("<Q??")


class Beat(NamedTuple):
    """What the program last wrote: its steps so far, whether it is inside a tick, whether it has a TrafficManager."""

    steps: int
    ticking: bool
    managed: bool


class Pulse:
    """The page, over a file that both processes open."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(_LAYOUT.size))
        with path.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), _LAYOUT.size)

    def read(self) -> Beat:
        return Beat(*_LAYOUT.unpack_from(self._page))

    def write(self, steps: int, *, ticking: bool, managed: bool) -> None:
        _LAYOUT.pack_into(self._page, 0, steps, ticking, managed)
