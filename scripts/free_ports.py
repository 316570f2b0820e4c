"""Free ports that nobody else is given meanwhile: below those of runs, and below those that the kernel serves others.

That a port is free when it is asked for says nothing of the moment at which a server takes it. So a process leases each
ten that it is told as runs do (``bestrand_drive.simulation.servers.ports``): by a socket on the last port. The kernel
shows it to whoever shares these ports, and lets go of it when the process ends, whatever ended it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from collections import deque

_FIRST, _LAST, _STRIDE = 10_000, 20_000, 10
_BLOCKS = (_LAST - _FIRST) // _STRIDE
_HOST = "127.0.0.1"
_HELD = 100
"""Leases that a process keeps, the newest ones: what it was told before has its server by now, or had it."""
_steps = itertools.count(os.getpid() * 37)  # processes that run side by side begin at different places
_leases = deque[int]()


def free_ports(count: int) -> int:
    """The first of so many free ports in a row (at most 9); a process is never told the same twice in a row."""
    for step in itertools.islice(_steps, _BLOCKS):
        port = _FIRST + step % _BLOCKS * _STRIDE
        guard = socket.socket()  # on which nobody listens, and that no program we start inherits
        try:
            guard.bind((_HOST, port + _STRIDE - 1))
        except OSError:
            guard.close()
            continue
        if _are_free(range(port, port + count)):
            _keep(guard)
            return port
        guard.close()
    raise SystemExit("no free ports")


def _keep(guard: socket.socket) -> None:
    _leases.append(guard.detach())
    if len(_leases) > _HELD:
        os.close(_leases.popleft())


def _are_free(ports: range) -> bool:
    with contextlib.ExitStack() as held, contextlib.suppress(OSError):
        for port in ports:
            held.enter_context(socket.socket()).bind((_HOST, port))
        return True
    return False
