"""Free ports that nobody else is given meanwhile: below those of runs, and below those that the kernel serves others.

That a port is free when it is asked for says nothing of the moment at which a server takes it. So a process locks each
ten that it is told, and keeps them until it ends, whatever ended it.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import itertools
import os
import socket
import tempfile
from pathlib import Path

_FIRST, _LAST, _STRIDE = 10_000, 20_000, 10
_BLOCKS = (_LAST - _FIRST) // _STRIDE
_steps = itertools.count(os.getpid() * 37)  # processes that run side by side begin at different places


def free_ports(count: int) -> int:
    """The first of so many free ports in a row (at most 10); a process is never told the same twice in a row."""
    for step in itertools.islice(_steps, _BLOCKS):
        block = step % _BLOCKS
        port = _FIRST + block * _STRIDE
        if _is_ours(block) and _are_free(range(port, port + count)):
            return port
    raise SystemExit("no free ports")


def _is_ours(block: int) -> bool:
    """Lock one byte of a file of this user: the kernel lets go of it when this process ends, and no child has it."""
    try:
        fcntl.lockf(_locks(os.getpid()), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, block)
    except OSError:
        return False
    return True


@functools.cache
def _locks(_process: int) -> int:
    """The file, open for as long as the process lives: to close it anywhere is to lose all its locks."""
    path = Path(tempfile.gettempdir()) / f"bestrand-free-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _are_free(ports: range) -> bool:
    with contextlib.ExitStack() as held, contextlib.suppress(OSError):
        for port in ports:
            held.enter_context(socket.socket()).bind(("127.0.0.1", port))
        return True
    return False
