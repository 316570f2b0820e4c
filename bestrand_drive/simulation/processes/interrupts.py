"""Ctrl-C and SIGTERM as counts that a loop asks for: the first says stop in peace, the second says stop now."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """What was heard.

    Attributes:
        first: Number of the first signal, None before it.
    """

    def __init__(self) -> None:
        self._count = 0
        self.first: int | None = None

    @property
    def asked(self) -> bool:
        """Whether to stop issuing work and to end what runs, with its grace."""
        return self._count > 0

    @property
    def forced(self) -> bool:
        """Whether to end everything at once."""
        return self._count > 1

    def hear(self, number: int, _: FrameType | None = None) -> None:
        """One more."""
        self._count += 1
        self.first = self.first or number


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Count signals instead of dying of them while the block runs; in the main thread only."""
    heard = Interrupts()
    before = {number: signal.signal(number, heard.hear) for number in _NUMBERS}
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
