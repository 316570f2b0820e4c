"""What a supervisor writes down of its tree, for the next start if nobody is left to end it.

One file a supervisor in the user's runtime folder, named after run and start; it is gone when the tree is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from bestrand_drive.files import PARTIAL
from bestrand_drive.simulation.processes.identity import ProcessId
from bestrand_drive.simulation.processes.runtime_folder import private_folder, runtime_folder

_SUFFIX = ".tree"


class StopCommand(NamedTuple):
    """What ends something that is not in the tree: a container, whose client may be killed without it.

    Attributes:
        argv: The command.
        folder: Its working folder.
    """

    argv: tuple[str, ...]
    folder: str


def record_path(run: str, start: str) -> Path:
    """Where the record of a start lies; its folder is made.

    Args:
        run: Mark of the run.
        start: Mark of the start.
    """
    return private_folder(runtime_folder() / "trees") / f"{run[:32]}.{start}{_SUFFIX}"


def write_record(path: Path, processes: Iterable[ProcessId], stop: StopCommand | None = None) -> None:
    """Write down what is ours: whole or not at all, but not for after a power cut, which ends them too.

    A supervisor must not wait for a disk.
    """
    beside = path.with_name(f"{path.name}{PARTIAL}")
    beside.write_text(json.dumps({"processes": [list(one) for one in processes], "stop": stop}))
    beside.replace(path)


def records_of(run: str) -> tuple[Path, ...]:
    """All records of a run."""
    return tuple(sorted(record_path(run, "").parent.glob(f"{run[:32]}.*{_SUFFIX}")))


def forget(run: str) -> None:
    """Remove all records of a run, half-written ones too."""
    for path in record_path(run, "").parent.glob(f"{run[:32]}.*"):
        path.unlink(missing_ok=True)


def recorded(path: Path) -> Iterator[ProcessId]:
    """The processes of a record; of a damaged one, none."""
    try:
        raw = json.loads(path.read_bytes())
        found = [ProcessId(int(pid), str(start)) for pid, start in raw["processes"]]
    except (OSError, ValueError, TypeError, KeyError):
        return
    yield from found


def recorded_stop(path: Path) -> StopCommand | None:
    """The stop command of a record; None without one, and of a damaged record."""
    try:
        argv, folder = json.loads(path.read_bytes())["stop"]
        return StopCommand(tuple(map(str, argv)), str(folder))
    except (OSError, ValueError, TypeError, KeyError):
        return None
