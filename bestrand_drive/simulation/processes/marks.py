"""Marks in the environment of every process we start; children inherit them, also those that leave their parents."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from bestrand_drive.simulation.processes.identity import ProcessId, Running, identify
from bestrand_drive.simulation.processes.tree import processes

RUN = "BESTRAND_RUN"
"""Variable that names the run folder."""
START = "BESTRAND_ATTEMPT"
"""Variable that names one supervised start: an attempt's evaluator, or a server."""

DRIVER = "BESTRAND_DRIVER"
"""Variable that names the driver: id and start."""


def run_mark(folder: Path) -> str:
    """The mark of a run folder: hash of its real path and of the user."""
    return hashlib.sha256(f"{os.path.realpath(folder)}\n{os.getuid()}".encode(errors="surrogateescape")).hexdigest()


def run_name(folder: Path) -> str:
    """The mark, short enough for names: of containers, jobs and scratch."""
    return run_mark(folder)[:12]


def new_mark() -> str:
    """A mark that nothing else has."""
    return uuid.uuid4().hex


def marked(variable: str, mark: str) -> Iterator[Running]:
    """Our own user's processes that were started with a mark."""
    wanted = f"{variable}={mark}".encode()
    for one in processes():
        if wanted in _environment(one.process.pid):
            yield one


def driver_mark() -> str:
    """Who starts something now."""
    me = identify(os.getpid())
    return f"{me.pid} {me.start}" if me else ""


def driver_of(pid: int) -> ProcessId | None:
    """The driver that a process was started by; None when it has no such mark, or cannot be asked."""
    before = f"{DRIVER}=".encode()
    for entry in _environment(pid):
        if entry.startswith(before):
            number, _, start = entry[len(before) :].decode("utf-8", "replace").partition(" ")
            return ProcessId(int(number), start) if number.isdecimal() else None
    return None


def _environment(pid: int) -> list[bytes]:
    """What a process was started with; nothing of other users' processes."""
    try:
        if os.stat(f"/proc/{pid}").st_uid != os.getuid():
            return []
        with open(f"/proc/{pid}/environ", "rb") as stream:
            return stream.read().split(b"\0")
    except OSError:
        return []
