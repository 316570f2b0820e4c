"""How the server's process ends: on SIGTERM with 0, on SIGINT with 130, with its parent with 0."""

from __future__ import annotations

import os
import signal
from types import FrameType

from bestrand_drive.errors import ExitCode

_CODES = {signal.SIGTERM: ExitCode.OK, signal.SIGINT: ExitCode.INTERRUPTED}
_STARTED_BY = os.getppid()
"""Taken when this module is loaded, before the slow imports: a parent that dies during these is noticed too."""


def end_at_once() -> None:
    """Until a server listens there is nothing to clean up: signals end the process where it stands.

    The handlers come before the slow imports, so that a server stopped right after its start ends like any other.
    """
    for number in _CODES:
        signal.signal(number, _leave)


def _leave(number: int, _frame: FrameType | None) -> None:
    os._exit(_farewell(number))


def _farewell(number: int) -> ExitCode:
    """Say that an interrupt came through; the exit code. A write by itself cannot meet a half-done print."""
    if number == signal.SIGINT:
        os.write(2, b"headless server: stopped.\n")
    return _CODES[signal.Signals(number)]


class Lifetime:
    """Whether the server is to go on."""

    def __init__(self, die_with_parent: bool) -> None:
        """Begin with signals that end at once."""
        self._parent = _STARTED_BY if die_with_parent else None
        self._ended = False
        self.exit_code: int = ExitCode.OK
        end_at_once()

    def end_gently(self) -> None:
        """From now on signals only say that it is to end; the server's loop looks."""
        for number in _CODES:
            signal.signal(number, self._end)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if not self._ended:
            self._ended, self.exit_code = True, _farewell(number)

    def lasts(self) -> bool:
        """Whether to go on."""
        return not self._ended and (self._parent is None or os.getppid() == self._parent)
