"""What faults do to this process."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import NoReturn

NAP_S = 0.05
FLOOD_BYTES = 1 << 16
"""Written to standard error at a time: as much as a Linux pipe holds."""
_WRITE_BYTES = 4096
"""PIPE_BUF of Linux: a pipe that is ready takes so much without blocking."""
_STDERR = 2
_LAST_WORDS = b"""Signal 11 caught.
CommonUnixCrashHandler: Signal=11
headless server: this crash was ordered by --fault.
Engine crash handling finished; re-raising signal 11 for the default handler. Good bye.
"""
"""As an Unreal server ends (CARLA's issues 3903 and 7710), so that who reads its log finds the words."""
_NOISE = b"LogHeadless: Warning: noise ordered by --fault stderr-flood; nothing is wrong but whoever does not read.\n"


class Ended(BaseException):
    """The server was told to end while something held it up; nothing on the way may catch this."""


def crash() -> NoReturn:
    """Die of SIGSEGV with Unreal's last words and without a core file."""
    _write_what_fits(_LAST_WORDS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    _die(signal.SIGSEGV)


def run_out_of_memory() -> NoReturn:
    """Die as the kernel's out-of-memory killer lets a process die: of SIGKILL, without a word."""
    _die(signal.SIGKILL)


def _die(number: signal.Signals) -> NoReturn:
    os.kill(os.getpid(), number)
    while True:  # the signal is on its way
        time.sleep(NAP_S)


def wait(lasts: Callable[[], bool], seconds: float = float("inf")) -> None:
    """Do nothing: sockets stay open, and connections are taken by the kernel alone.

    Raises:
        Ended: ``lasts`` says that the server is to end.
    """
    end_s = time.monotonic() + seconds
    while (left_s := end_s - time.monotonic()) > 0.0:
        if not lasts():
            raise Ended
        time.sleep(min(NAP_S, left_s))


def flood(lasts: Callable[[], bool], size_bytes: int = FLOOD_BYTES) -> None:
    """Write noise to standard error, and wait for a reader who is late as long as it takes, as a blocking write does.

    Raises:
        Ended: ``lasts`` says that the server is to end.
    """
    noise = _NOISE * (_WRITE_BYTES // len(_NOISE))
    for _ in range(size_bytes // len(noise)):
        while not _write_what_fits(noise, NAP_S):
            if not lasts():
                raise Ended


def _write_what_fits(data: bytes, patience_s: float = 0.0) -> bool:
    """Write up to ``_WRITE_BYTES`` if that does not block; whether it did. A reader who has gone takes everything."""
    with contextlib.suppress(OSError):
        if not select.select([], [_STDERR], [], patience_s)[1]:
            return False
        os.write(_STDERR, data)
    return True
