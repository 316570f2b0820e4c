"""A worker's scratch on its own host: a folder that goes with it, and what killed workers left there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.processes.identity import ProcessId, identify, is_running
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.processes.reaping import reap_run

_OWNER = "owner"
_MARK = 12


@contextmanager
def scratch(parent: Path, run: Path) -> Iterator[Path]:
    """A folder of this process's own, removed at the end.

    What a killed worker of the same run left is removed first, processes too; other runs' are not looked at.

    Args:
        parent: On this host.
        run: The run folder.

    Raises:
        UsageError: The folder cannot be made there.
        EnvironmentFault: A process that a killed worker left does not end.
    """
    prefix = f"bestrand-{run_mark(run)[:_MARK]}-"
    try:
        _sweep(parent, prefix)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    except OSError as error:
        raise UsageError(f"--scratch {parent}: {error.strerror}. Give a folder on this host's own disk.") from error
    me = identify(os.getpid())
    (folder / _OWNER).write_text(f"{me.pid} {me.start}" if me else "")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(parent: Path, prefix: str) -> None:
    for folder in parent.glob(f"{prefix}*"):
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            continue
        owner = _owner(folder)
        if owner is not None and not is_running(owner):
            reap_run(run_mark(folder))
            shutil.rmtree(folder, ignore_errors=True)


def _owner(folder: Path) -> ProcessId | None:
    """Whose it is; None when that is not written yet."""
    with suppress(OSError, ValueError):
        pid, _, start = (folder / _OWNER).read_text().partition(" ")
        return ProcessId(int(pid), start)
    return None
