"""Free ports that nobody else is given meanwhile: below the range from which the kernel serves others."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket

_FIRST, _LAST, _STRIDE = 10_000, 32_000, 10
_steps = itertools.count(os.getpid() * 37)  # processes that run side by side begin at different places


def free_ports(count: int) -> int:
    """The first of so many free ports in a row (at most 10); a process is never told the same twice in a row."""
    for step in itertools.islice(_steps, 1000):
        port = _FIRST + step * _STRIDE % (_LAST - _FIRST)
        with contextlib.ExitStack() as held, contextlib.suppress(OSError):
            for offset in range(count):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port + offset))
            return port
    raise SystemExit("no free ports")
