"""One driver a run folder: who holds it is written in ``driver.lock``, and the kernel vouches for it where it can.

The kernel's lock (flock) ends with its process, also by SIGKILL. Where it is refused, somebody drives. Where it is
given, that alone says nothing of other hosts: on a local disk and on NFSv4 it holds for all of them, on some mounts
(NFS with ``local_lock``, Lustre with ``localflock``) only for one's own, and the two cannot be told apart. So the words
in the file decide too. A driver on this host is alive when the process with that id and start is. A driver on another
host is alive as long as it touches the file: it does so every ``BEAT_S`` seconds, and is given up after ``STALE_S``.
Touch and age are both told by the clock of the file's own server, so that those of the hosts need not agree. Hosts are
told apart by name and boot. Whoever was taken over, or met another one after all, is told by ``DriverLock.check``.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.attempts.holder import (
    Holder,
    is_of_this_host,
    myself,
    read_anew,
    read_holder,
    words,
    write_holder,
)
from bestrand_drive.simulation.processes.identity import process_start

BEAT_S = 10.0
"""Between two touches of the lock by the driver that lives."""
STALE_S = 60.0
"""Without a touch, after which a driver on another host is taken for dead: several beats, and less than a batch system
waits before it starts a job again elsewhere."""
SETTLE_S = 0.5
"""Between writing the lock and reading it again: two that found it free at the same moment have both written by then,
and the one whose words do not stand leaves. Should it take a file server longer, the first beat finds it."""
_NO_FLOCK = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}


class DriverLock:
    """The lock while it is held.

    Args:
        path: Its file.
        me: Its holder.
    """

    def __init__(self, path: Path, me: Holder) -> None:
        self._path, self._me = path, me
        self._other: Holder | None = None
        self._lost = False

    def look(self) -> bool:
        """Read the file; whether it is still ours.

        Raises:
            OSError: It cannot be read now, which says nothing.
        """
        found = read_anew(self._path)
        if found != self._me and not self._lost:
            self._other, self._lost = found, True
        return not self._lost

    def check(self) -> None:
        """Stop who no longer holds it, as far as the last look has shown.

        Raises:
            EnvironmentFault: Another driver has it.
        """
        if self._lost:
            raise EnvironmentFault(
                f"{self._path.parent}: taken over by {words(self._other)}; this driver was cut off from the folder, or "
                "both started at the same moment. What ran here was ended; what had ended before is stored."
            )


@contextmanager
def driver_lock(path: Path) -> Iterator[DriverLock]:
    """Be the one driver of a run folder while the block runs.

    Args:
        path: The lock file; its folder must exist.

    Raises:
        UsageError: Another process drives it; its pid and host are named.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        flocked = _flock(handle, path)
        _refuse_living(path, handle, flocked=flocked, now=lambda: _server_time(path.parent))
        me = myself()
        held = DriverLock(path, me)
        try:
            write_holder(handle, me)
            time.sleep(SETTLE_S)
            if not held.look():
                raise _refusal(path, read_holder(handle))
            with _beating(handle, held):
                yield held
        finally:
            with suppress(OSError):  # the server is away: what was run is stored, and these words are stale soon
                if read_holder(handle) == me:  # not the word of one that took over while this host was cut off
                    write_holder(handle, None)
    finally:
        os.close(handle)


def refuse_driven(path: Path) -> None:
    """Refuse when another process drives a run folder, by the words of its lock file; nothing is taken or written.

    So the age of another host's touch is told by the clock of this one.

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


def is_driven(path: Path) -> bool:
    """Whether a process drives a run folder, by the words of its lock file.

    Args:
        path: The lock file; it may not exist.
    """
    try:
        refuse_driven(path)
    except UsageError:
        return True
    return False


def _flock(handle: int, path: Path) -> bool:
    """Take the kernel's lock; False where the file system has none."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise _refusal(path, read_holder(handle)) from error
    except OSError as error:
        if error.errno in _NO_FLOCK:
            return False
        raise
    return True


@contextmanager
def _beating(handle: int, held: DriverLock) -> Iterator[None]:
    """Touch the lock now and then while the block runs, and see whether it is still ours."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_S):
            with suppress(OSError):  # the server is away; it is tried again
                if held.look():
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
    holder = read_holder(handle)
    if holder is None:
        return
    if not is_of_this_host(holder):
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
    said = f"{path.parent}: driven by {words(holder)}. Wait for it or end it, or choose another --out."
    if wait_s is not None:
        said += f" If it has ended without a word, the same command goes on in {math.ceil(wait_s)} s."
    return UsageError(said)
