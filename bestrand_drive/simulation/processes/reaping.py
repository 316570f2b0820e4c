"""Ending what was left behind by us: what carries our mark or is written down as ours, and what descends from it.

Never by name: another user of CARLA on this machine is none of our business. A container is no descendant of its
client, so the stop commands that supervisors wrote down are run first.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes.identity import ProcessId, is_running, send_signal
from bestrand_drive.simulation.processes.marks import RUN, START, driver_of, marked
from bestrand_drive.simulation.processes.records import (
    StopCommand,
    forget,
    record_path,
    recorded,
    recorded_stop,
    records_of,
)
from bestrand_drive.simulation.processes.tree import below, command_line, lineage, processes

PATIENCE_S = 10.0
STOP_COMMAND_S = 20.0
"""What a stop command may take."""
_PAUSE_S = 0.03


def reap_run(run: str, *, grace_s: float = 2.0, patience_s: float = PATIENCE_S) -> tuple[str, ...]:
    """End everything that earlier starts of a run left behind. Only for who holds the run folder's lock.

    Args:
        run: Mark of the run.
        grace_s: Seconds between SIGTERM, which a container's client passes on, and SIGKILL.
        patience_s: Seconds until it is given up after that.

    Returns:
        What was ended: id and command line each, and the stop commands that were run.

    Raises:
        EnvironmentFault: Something does not end; its id is named.
    """
    paths = records_of(run)
    noted = [one for path in paths for one in recorded(path)]
    stopped = _run_stops(paths)
    ended = _end(lambda: _with_descendants(noted, RUN, run), grace_s, patience_s)
    forget(run)
    return (*stopped, *ended)


def living_owner(run: str) -> ProcessId | None:
    """Another process on this host that drives a run now, by the marks of what it has started; None when none does."""
    kept = lineage(os.getpid())
    started = (one.process.pid for one in marked(RUN, run))
    owners = dict.fromkeys(driver_of(pid) for pid in started if pid not in kept)
    return next((one for one in owners if one and one.pid not in kept and is_running(one)), None)


def reap_start(run: str, start: str) -> None:
    """End what one supervised start left behind, at once. See ``reap_run``."""
    path = record_path(run, start)
    noted = list(recorded(path))
    _run_stops([path])
    _end(lambda: _with_descendants(noted, START, start), 0.0, PATIENCE_S)
    path.unlink(missing_ok=True)


def _run_stops(paths: Iterable[Path]) -> tuple[str, ...]:
    """Run the stop commands of records, all at once; one that fails has nothing to stop any more. Those that ran."""
    stops = [stop for path in paths if (stop := recorded_stop(path))]
    until = time.monotonic() + STOP_COMMAND_S
    running = [(stop, process) for stop in stops for process in _started(stop)]
    for _, process in running:
        try:
            process.wait(max(until - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return tuple(f"by {shlex.join(stop.argv)}" for stop, _ in running)


def _started(stop: StopCommand) -> Iterator[subprocess.Popen[bytes]]:
    """A stop command on its way; nothing where its program is gone."""
    folder = stop.folder if os.path.isdir(stop.folder) else "/"
    with contextlib.suppress(OSError):
        yield subprocess.Popen(  # noqa: S603  an argument list, no shell
            stop.argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _with_descendants(noted: Iterable[ProcessId], variable: str, mark: str) -> list[ProcessId]:
    """Our processes and all below them; neither this process nor its ancestors, whatever mark they have."""
    kept = lineage(os.getpid())
    found = [one for one in noted if is_running(one)] + [one.process for one in marked(variable, mark)]
    found += [one.process for one in below([one.pid for one in found if one.pid not in kept], processes())]
    return [one for one in dict.fromkeys(found) if one.pid not in kept]


def _end(find: Callable[[], list[ProcessId]], grace_s: float, patience_s: float) -> tuple[str, ...]:
    began = time.monotonic()
    met: dict[ProcessId, str] = {}
    while found := find():
        passed = time.monotonic() - began
        if passed > grace_s + patience_s:
            raise EnvironmentFault(
                f"processes of an earlier start do not end: {', '.join(str(one.pid) for one in found)}. "
                "They may be stuck in the kernel (a GPU driver); restart the machine if they stay."
            )
        for one in found:
            if one not in met:
                met[one] = command_line(one.pid)
                send_signal(one, signal.SIGTERM)
            if passed >= grace_s:
                send_signal(one, signal.SIGKILL)
        time.sleep(_PAUSE_S)
    return tuple(f"{one.pid} {said}" for one, said in met.items())
