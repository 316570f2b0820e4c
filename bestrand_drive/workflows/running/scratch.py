"""A worker's scratch on its own host: a folder that goes with it, and what killed workers left there."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.holder import myself, read_anew, write_holder
from bestrand_drive.simulation.processes.identity import process_start
from bestrand_drive.simulation.processes.marks import run_mark, run_name
from bestrand_drive.simulation.processes.reaping import reap_run

_OWNER = "owner"


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
    prefix = f"bestrand-{run_name(run)}-"
    try:
        _sweep(parent, prefix)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    except OSError as error:
        raise UsageError(f"--scratch {parent}: {error.strerror}. Give a folder on this host's own disk.") from error
    try:
        with open(folder / _OWNER, "wb") as stream:
            write_holder(stream.fileno(), myself())
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(parent: Path, prefix: str) -> None:
    for folder in parent.glob(f"{prefix}*"):
        with suppress(FileNotFoundError):  # another worker that starts now removes it, too; or its owner is not written
            if not folder.is_symlink() and folder.stat().st_uid == os.getuid() and _is_left(folder):
                reap_run(run_mark(folder))
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether its owner was killed; of one on another host, where scratch is shared after all, nobody here can tell."""
    owner = read_anew(folder / _OWNER)
    if owner is None or owner["host"] != socket.gethostname():
        return False
    return owner["start"] is None or process_start(owner["pid"]) != owner["start"]
