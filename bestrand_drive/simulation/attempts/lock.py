"""One driver a run folder: who holds it is written in ``driver.lock``, and the kernel vouches for it where it can.

The kernel's lock (flock) ends with its process, also by SIGKILL. Where it is refused, somebody drives. Where it is
given, that alone says nothing of other hosts: on a local disk and on NFSv4 it holds for all of them, on some mounts
(NFS with ``local_lock``, Lustre with ``localflock``) only for one's own, and the two cannot be told apart. So the words
in the file decide too. A driver on this host is alive when the process with that id and start is. A driver on another
host is alive as long as it touches the file: it does so every ``BEAT_S`` seconds, and is given up after ``STALE_S``.
Touch and age are both told by the clock of the file's own server, so that those of the hosts need not agree.
"""

from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypedDict

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.processes.identity import process_start

BEAT_S = 10.0
"""Between two touches of the lock by the driver that lives."""
STALE_S = 60.0
"""Without a touch, after which a driver on another host is taken for dead: several beats, and less than a batch system
waits before it starts a job again elsewhere."""
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
        _refuse_living(path, handle, flocked=held, now=lambda: _server_time(path.parent))
        me = _myself()
        _write(handle, me)
        try:
            with _beating(handle, me):
                yield
        finally:
            if _read(handle) == me:  # not the word of one that took over while this host was cut off
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
        _refuse_living(path, handle, flocked=False, now=time.time)
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


@contextmanager
def _beating(handle: int, me: Holder) -> Iterator[None]:
    """Touch the lock now and then while the block runs."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_S):
            with suppress(OSError):  # the server is away; it is tried again
                if _read(handle) == me:
                    os.utime(handle)

    thread = threading.Thread(target=beat, name="driver.lock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _server_time(folder: Path) -> float:
    """Seconds since the epoch by the clock that stamps the files of a folder."""
    with tempfile.TemporaryFile(dir=folder) as probe:
        os.utime(probe.fileno())
        return os.fstat(probe.fileno()).st_mtime


def _refuse_living(path: Path, handle: int, *, flocked: bool, now: Callable[[], float]) -> None:
    """Refuse when the last holder may still be there; one that ended without a word is stale and is taken over."""
    holder = _read(handle)
    if holder is None:
        return
    if holder["host"] != socket.gethostname():
        silent_s = now() - os.fstat(handle).st_mtime
        if abs(silent_s) < STALE_S:  # a touch far in the future is from before a clock was set back
            raise _refusal(path, holder, wait_s=STALE_S - silent_s)
        return
    alive = holder["start"] is not None and process_start(holder["pid"]) == holder["start"]
    if alive and not (flocked and holder["pid"] == os.getpid()):
        raise _refusal(path, holder)


def _refusal(path: Path, holder: Holder | None, *, wait_s: float | None = None) -> UsageError:
    """What to say.

    Args:
        path: The lock file.
        holder: Who drives, as far as is known.
        wait_s: When the folder is free if nobody touches the lock any more; None where the kernel says who lives.
    """
    who = f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else "another process"
    said = f"{path.parent}: driven by {who}. Wait for it or end it, or choose another --out."
    if wait_s is not None:
        said += f" If it has ended without a word, the same command goes on in {math.ceil(wait_s)} s."
    return UsageError(said)


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
