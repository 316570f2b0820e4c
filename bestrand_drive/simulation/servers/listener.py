"""F4: is it our server that listens on its port? Another program may have taken it since it was found free."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LISTENS = "0A"
"""State of a listening socket in these tables (the kernel's tcp_states.h)."""


def is_strangers(port: int, pids: Iterable[int]) -> bool:
    """Whether who listens on a port is none of these processes; False where that cannot be known.

    Args:
        port: Of this machine.
        pids: Of a server's tree.
    """
    listening = _listening(port)
    if not listening:
        return False
    for pid in pids:
        sockets = _sockets(pid)
        if sockets is None or listening & sockets:
            return False
    return True


def _listening(port: int) -> set[str]:
    """Inodes of the sockets that listen on a port, on whichever address (proc_net_tcp.txt: columns 2, 4 and 10)."""
    found = set()
    for table in _TABLES:
        try:
            rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
        except OSError:
            continue
        found |= {row[9] for row in rows if row[3] == _LISTENS and int(row[1].rpartition(":")[2], 16) == port}
    return found


def _sockets(pid: int) -> set[str] | None:
    """Inodes of a process's sockets; None when it may not be looked at, nothing when it has ended."""
    folder, found = f"/proc/{pid}/fd", set()
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return set()
    except OSError:
        return None
    for name in names:
        try:
            kind, _, inode = os.readlink(f"{folder}/{name}").partition(":[")
        except OSError:  # closed meanwhile
            continue
        if kind == "socket":
            found.add(inode.rstrip("]"))
    return found
