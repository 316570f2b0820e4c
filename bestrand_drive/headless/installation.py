"""A CARLA_ROOT whose ``CarlaUE4.sh`` starts this server, so that an evaluator needs no change."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.headless.options import ServeOptions

SCRIPT = "CarlaUE4.sh"
_MARK = "# Written by `bestrand headless install`"


def install(root: Path, options: ServeOptions) -> Path:
    """Write the script; its path.

    The script needs this interpreter and this package where they are now. It gives the server a Python path of its own:
    evaluators put their own folders there, some with a ``carla`` for another Python.

    Args:
        root: The folder to make; evaluators take it as CARLA_ROOT.
        options: What the server is started with; CARLA's flags override map and ports.

    Raises:
        DataRefused: A folder of maps holds no town.
        UsageError: ``root`` holds a script that is not ours, perhaps a real CARLA.
    """
    for folder in options.maps:
        if not any(folder.glob("*.xodr")):
            raise DataRefused(f"--maps {folder}: no *.xodr file in it.")
    script = root / SCRIPT
    if script.exists() and _MARK not in script.read_text(encoding="utf-8", errors="replace"):
        raise UsageError(f"{script} was not written by this command, and stays; install into another folder.")
    root.mkdir(parents=True, exist_ok=True)
    write_atomic(script, _script(options).encode())
    script.chmod(0o755)
    return script


def _script(options: ServeOptions) -> str:
    """The text of the script."""
    package_home = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "bestrand_drive.headless.launch", *_fixed(options), "--"]
    return (
        "#!/bin/sh\n"
        f"{_MARK}: a headless server in CARLA's place. Scores from it are not CARLA's.\n"
        "unset PYTHONHOME\n"
        "export PYTHONSAFEPATH=1\n"
        f"export PYTHONPATH={shlex.quote(str(package_home))}\n"
        f'exec {shlex.join(command)} "$@"\n'
    )


def _fixed(options: ServeOptions) -> list[str]:
    """Options as arguments of the launcher."""
    maps = [part for folder in options.maps for part in ("--maps", os.path.abspath(folder))]
    return [
        *maps,
        f"--map={options.map_name}",
        f"--host={options.host}",
        f"--carla-version={options.carla_version}",
        f"--seed={options.seed}",
    ]
