"""Ctrl-C, SIGTERM and SIGHUP as counts that a loop asks for: the first says stop in peace, the second says stop now."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
    """Count signals instead of dying of them while the block runs; in the main thread only.

    A hang-up that is ignored already stays ignored: that is what ``nohup`` asks for.
    """
    heard = Interrupts()
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    numbers = [number for number in _NUMBERS if number != signal.SIGHUP or not ignored]
    before = {number: signal.signal(number, heard.hear) for number in numbers}
    try:
        yield heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
