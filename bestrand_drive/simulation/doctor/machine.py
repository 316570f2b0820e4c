"""This machine: GPUs, ports, disk, open files."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.finding import Finding, NotLooked, fail, ok, warning
from bestrand_drive.simulation.processes.runtime_folder import runtime_folder
from bestrand_drive.simulation.servers.ports import PORTS, lease_ports

_SMI = "nvidia-smi"
_SMI_S = 60
_GPU = re.compile(r"GPU (\d+): (.*) \(UUID: ([^)]+)\)")
_MIG = re.compile(r"\(UUID: (MIG-[^)]+)\)")
_GIB = 2**30
NEEDED_GIB, WANTED_GIB = 0.5, 10.0
"""Below the first no run starts; below the second logs and agents' pictures of a long one may fill the disk."""
FEW_INODES = 10_000
NEEDED_FILES, WANTED_FILES = 256, 1024


def check_gpus(case: Case) -> Iterator[Finding]:
    """Whether the GPUs that were asked for are there."""
    if not case.gpus:
        raise NotLooked("no --gpus given")
    _only_here(case)
    listed = _listed()
    if listed is None:
        advice = "as wanted on a machine without NVIDIA's driver; else see what nvidia-smi -L says"
        yield warning("gpus", f"{_SMI} lists none here", advice)
        return
    known = {name for line in listed for name in _names(line)}
    absent = [gpu.cuda for gpu in case.gpus if gpu.cuda and gpu.cuda not in known]
    if absent:
        said = f"no GPU {', '.join(absent)}; there are {', '.join(sorted(known))}"
        yield fail("gpus", said, "give numbers or UUIDs as nvidia-smi -L prints them")
        return
    share = -(-case.servers // len(case.gpus))
    yield ok("gpus", f"{', '.join(gpu.cuda or '' for gpu in case.gpus)}; at most {share} servers on one")


def _only_here(case: Case) -> None:
    """Leave alone what servers on other machines need.

    Raises:
        NotLooked: They run there.
    """
    if case.engine != "local":
        raise NotLooked(f"those of --engine {case.engine} are the nodes'")


def _listed() -> list[str] | None:
    """Lines of ``nvidia-smi -L``; None when it is not there or finds no GPU."""
    program = shutil.which(_SMI)
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603  a fixed program, found on the user's path
            [program, "-L"], capture_output=True, text=True, errors="replace", timeout=_SMI_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = [line for line in done.stdout.splitlines() if _names(line)]
    return lines if done.returncode == 0 and lines else None


def _names(line: str) -> tuple[str, ...]:
    gpu, mig = _GPU.match(line), _MIG.search(line)
    return (gpu[1], gpu[3]) if gpu else (mig[1],) if mig else ()


def check_ports(case: Case) -> Iterator[Finding]:
    """Whether every server can have its ports now; they are given back at once."""
    _only_here(case)
    first, last = case.port_base, case.port_base + PORTS - 1
    with contextlib.ExitStack() as held:
        leases = [held.enter_context(lease_ports(first, last)) for _ in range(case.servers)]
    lowest, highest = leases[0].ports.rpc, leases[-1].ports.traffic_manager
    servers = "1 server" if case.servers == 1 else f"{case.servers} servers"
    yield ok("ports", f"free for {servers}, from {lowest} to {highest}")


def check_disk(case: Case) -> Iterator[Finding]:
    """Whether the run folder can be written, and has room."""
    place = _existing((case.out or Path.cwd()).absolute())
    if not os.access(place, os.W_OK | os.X_OK):
        yield fail("disk", f"{place} may not be written", "choose another --out, or another user")
        return
    found = os.statvfs(place)
    free = found.f_bavail * found.f_frsize / _GIB
    said = f"{free:.1f} GiB free at {place}"
    if free < NEEDED_GIB:
        yield fail("disk", said, "make room, or choose another --out")
    elif free < WANTED_GIB:
        yield warning("disk", said, "logs, kept files and what agents write may need more")
    elif found.f_files and found.f_favail < FEW_INODES:
        yield warning("disk", f"room for {found.f_favail} more files at {place}", "make room, or choose another --out")
    else:
        yield ok("disk", said)


def _existing(path: Path) -> Path:
    """The folder itself, or the nearest above it that exists."""
    return next(place for place in (path, *path.parents) if place.is_dir())


def check_runtime_folder(_case: Case) -> Iterator[Finding]:
    """Whether there is one for what supervisors write down."""
    yield ok("runtime folder", str(runtime_folder()))


def check_open_files(_case: Case) -> Iterator[Finding]:
    """How many files a process may hold open; servers and agents inherit the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = soft == resource.RLIM_INFINITY
    said = "unlimited" if unlimited else f"{soft} a process"
    advice = f"ulimit -n {WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, 4 * WANTED_FILES)}"
    if unlimited or soft >= WANTED_FILES:
        yield ok("open files", said)
    elif soft >= NEEDED_FILES:
        yield warning("open files", said, advice)
    else:
        yield fail("open files", said, advice)
