"""The headless server as ``bestrand run builtin`` starts it, by the door that loads least."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.servers.command import FLAGS, ServerCommand

_HOME = Path(__file__).resolve().parents[3]


def headless_command(towns: Sequence[Path], town: str, version: str) -> ServerCommand:
    """How a headless server is started.

    It gets a Python path of its own, as under an installed CARLA_ROOT: what the user's holds is for the evaluator.

    Args:
        towns: Folders of OpenDRIVE files.
        town: Of the first episode; where no folder holds it, the first that one does.
        version: Of CARLA, whose protocol it speaks.
    """
    names = sorted(path.stem for folder in towns for path in folder.glob("*.xodr"))
    first = town if town in names else next(iter(names), town)
    maps = (f"--maps={folder}" for folder in towns)
    options = (*maps, f"--map={first}", f"--carla-version={version}", "--synchronous")
    environment = ("env", "-u", "PYTHONHOME", "PYTHONSAFEPATH=1", f"PYTHONPATH={_HOME}")
    return ServerCommand(
        template=(*environment, sys.executable, "-m", "bestrand_drive.headless", *options, "--", FLAGS), ours=True
    )


def client_version() -> str:
    """Version of this interpreter's ``carla``, which the server needs itself, and which its clients then have too.

    Raises:
        UsageError: There is none.
    """
    try:
        return metadata.version("carla")
    except metadata.PackageNotFoundError as error:
        raise UsageError(
            "the headless server needs the carla client: pip install '.[headless]' in the checkout of this package, or "
            "give the "
            "--carla-root of a CARLA."
        ) from error
