"""Whether a process that was written down is still the same one: its id together with its start."""

from __future__ import annotations

import os
import signal
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_STATE, _PARENT, _THREADS, _START = 0, 1, 17, 19
"""Fields of ``/proc/<pid>/stat`` after the name in brackets (proc(5): 3, 4, 20, 22)."""
_GONE = {"Z", "X", "x"}


class ProcessId(NamedTuple):
    """A process for ever: no other one has both its id and its start.

    Attributes:
        pid: Its id now; ids are used again.
        start: See ``process_start``.
    """

    pid: int
    start: str


class Running(NamedTuple):
    """What the kernel tells of a process.

    Attributes:
        process: Which one.
        parent: Id of the one that would be told of its end.
    """

    process: ProcessId
    parent: int


def running(pid: int) -> Running | None:
    """What runs under an id; None when nothing does.

    A zombie is a process that has ended, unless it is only its first thread that has. Names are any bytes, such as half
    a letter where the kernel has cut one.
    """
    try:
        fields = (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].decode().split()
        start = f"{_boot()}:{fields[_START]}"
    except OSError:
        return None
    if fields[_STATE] in _GONE and int(fields[_THREADS]) <= 1:
        return None
    return Running(ProcessId(pid, start), int(fields[_PARENT]))


def process_start(pid: int) -> str | None:
    """When a process was started: boot id and clock ticks since the boot. None when there is no such process."""
    found = running(pid)
    return found.process.start if found else None


def identify(pid: int) -> ProcessId | None:
    """The process that has an id now."""
    found = running(pid)
    return found.process if found else None


def is_running(process: ProcessId) -> bool:
    """Whether it has not ended yet."""
    return process_start(process.pid) == process.start


def send_signal(process: ProcessId, number: int) -> bool:
    """Signal a process, and never another one that was given its id; whether it was there and ours to signal."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return False
    except OSError:  # kernels before 5.3, and sandboxes: between the question and the signal lie microseconds then
        return is_running(process) and _kill(process.pid, number)
    try:
        if not is_running(process):
            return False
        signal.pidfd_send_signal(handle, number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        os.close(handle)
    return True


def _kill(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


@cache
def _boot() -> str:
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
