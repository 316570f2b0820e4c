"""One driver a run folder: who holds it is written in ``driver.lock``, and the kernel vouches for it where it can.

The kernel's lock (flock) ends with its process, also by SIGKILL. Where a file system has none, or the folder is shared
with another host, the words in the file decide: pid, start of the process, host.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.processes.identity import process_start

_NO_FLOCK = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


class Holder(TypedDict):
    """Who drives a run folder."""

    pid: int
    start: str | None
    host: str
    since: str


@contextmanager
def driver_lock(path: Path) -> Iterator[None]:
    """Be the one driver of a run folder while the block runs.

    Args:
        path: The lock file; its folder must exist.

    Raises:
        UsageError: Another process drives it; its pid and host are named.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        held = _flock(handle, path)
        _refuse_living(path, _read(handle), flocked=held)
        _write(handle, _myself())
        try:
            yield
        finally:
            _write(handle, None)
    finally:
        os.close(handle)


def refuse_driven(path: Path) -> None:
    """Refuse when another process drives a run folder, by the words of its lock file; nothing is taken or written.

    Args:
        path: The lock file; it may not exist.

    Raises:
        UsageError: Another process drives it; its pid and host are named.
    """
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        _refuse_living(path, _read(handle), flocked=False)
    finally:
        os.close(handle)


def _flock(handle: int, path: Path) -> bool:
    """Take the kernel's lock; False where the file system has none."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise _refusal(path, _read(handle)) from error
    except OSError as error:
        if error.errno in _NO_FLOCK:
            return False
        raise
    return True


def _refuse_living(path: Path, holder: Holder | None, *, flocked: bool) -> None:
    """Refuse when the last holder may still be there; one that ended without a word is stale and is taken over."""
    if holder is None:
        return
    if holder["host"] != socket.gethostname():
        raise _refusal(path, holder)
    alive = holder["start"] is not None and process_start(holder["pid"]) == holder["start"]
    if alive and not (flocked and holder["pid"] == os.getpid()):
        raise _refusal(path, holder)


def _refusal(path: Path, holder: Holder | None) -> UsageError:
    who = f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else "another process"
    return UsageError(
        f"{path.parent}: driven by {who}. Wait for it or end it, or choose another --out. "
        f"If that host is gone for good, remove {path.name} there."
    )


def _myself() -> Holder:
    pid = os.getpid()
    return {"pid": pid, "start": process_start(pid), "host": socket.gethostname(), "since": utc_stamp()}


def _read(handle: int) -> Holder | None:
    """The holder as written; None when nobody is, or when a killed driver left half a line."""
    try:
        raw = json.loads(os.pread(handle, 4096, 0))
        return {"pid": int(raw["pid"]), "start": raw["start"], "host": str(raw["host"]), "since": str(raw["since"])}
    except (ValueError, KeyError, TypeError):
        return None


def _write(handle: int, holder: Holder | None) -> None:
    os.ftruncate(handle, 0)
    if holder is not None:
        os.pwrite(handle, json.dumps(holder).encode() + b"\n", 0)
