"""Ending what was left behind by us: what carries our mark or is written down as ours, and what descends from it.

Never by name: another user of CARLA on this machine is none of our business.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes.identity import ProcessId, is_running, send_signal
from bestrand_drive.simulation.processes.marks import RUN, START, driver_of, marked
from bestrand_drive.simulation.processes.records import forget, record_path, recorded, records_of
from bestrand_drive.simulation.processes.tree import below, command_line, lineage, processes

PATIENCE_S = 10.0
_PAUSE_S = 0.03


def reap_run(run: str, *, grace_s: float = 2.0, patience_s: float = PATIENCE_S) -> tuple[str, ...]:
    """End everything that earlier starts of a run left behind. Only for who holds the run folder's lock.

    Args:
        run: Mark of the run.
        grace_s: Seconds between SIGTERM, which a container's client passes on, and SIGKILL.
        patience_s: Seconds until it is given up after that.

    Returns:
        What was ended: id and command line each.

    Raises:
        EnvironmentFault: Something does not end; its id is named.
    """
    noted = [one for path in records_of(run) for one in recorded(path)]
    ended = _end(lambda: _with_descendants(noted, RUN, run), grace_s, patience_s)
    forget(run)
    return ended


def living_owner(run: str) -> ProcessId | None:
    """Another process on this host that drives a run now, by the marks of what it has started; None when none does."""
    kept = lineage(os.getpid())
    started = (one.process.pid for one in marked(RUN, run))
    owners = {driver_of(pid) for pid in started if pid not in kept}
    return next((one for one in owners if one and one.pid not in kept and is_running(one)), None)


def reap_start(run: str, start: str, *, patience_s: float = PATIENCE_S) -> tuple[str, ...]:
    """End what one supervised start left behind, at once. See ``reap_run``."""
    path = record_path(run, start)
    noted = list(recorded(path))
    ended = _end(lambda: _with_descendants(noted, START, start), 0.0, patience_s)
    path.unlink(missing_ok=True)
    return ended


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
