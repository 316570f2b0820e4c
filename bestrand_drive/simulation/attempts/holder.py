"""The words of a run folder's ``driver.lock``: who holds it."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import TypedDict

from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.processes.identity import process_start


class Holder(TypedDict):
    """Who drives a run folder; the start begins with the id of its host's boot, which no other host has."""

    pid: int
    start: str | None
    host: str
    since: str


def myself() -> Holder:
    """This process."""
    pid = os.getpid()
    return {"pid": pid, "start": process_start(pid), "host": socket.gethostname(), "since": utc_stamp()}


def is_of_this_host(holder: Holder) -> bool:
    """Whether this kernel can tell if it lives: hosts can be named alike, a new boot knows no earlier process."""
    own = process_start(os.getpid())
    boots = [start.partition(":")[0] if start else None for start in (holder["start"], own)]
    return holder["host"] == socket.gethostname() and boots[0] == boots[1]


def words(holder: Holder | None) -> str:
    """The same for people."""
    return f"process {holder['pid']} on {holder['host']}, since {holder['since']}" if holder else "another process"


def read_holder(handle: int) -> Holder | None:
    """The holder as written; None when nobody is, or when a killed driver left half a line."""
    try:
        raw = json.loads(os.pread(handle, 4096, 0))
        start = None if raw["start"] is None else str(raw["start"])
        return {"pid": int(raw["pid"]), "start": start, "host": str(raw["host"]), "since": str(raw["since"])}
    except (ValueError, KeyError, TypeError):
        return None


def read_anew(path: Path) -> Holder | None:
    """As ``read_holder``, from the file server: it is asked when a file is opened, not at every read of an open one.

    Raises:
        OSError: The file or its server is not there.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        return read_holder(handle)
    finally:
        os.close(handle)


def write_holder(handle: int, holder: Holder | None) -> None:
    """Write it, through to the file server."""
    os.ftruncate(handle, 0)
    if holder is not None:
        os.pwrite(handle, json.dumps(holder).encode() + b"\n", 0)
    os.fsync(handle)
