"""A CARLA_ROOT whose ``CarlaUE4.sh`` starts this server, so that an evaluator needs no change."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.headless.launch import VARIABLE, script_arguments
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.options import ServeOptions, check_maps
from bestrand_drive.headless.versions import load_version

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
        DataRefused: A folder of maps holds no town, or not the first one.
        UsageError: A folder of maps is not there, the version is not known, or ``root`` holds a script that is not
            ours, perhaps a real CARLA, or is no folder.
    """
    _check(options)
    script = root / SCRIPT
    if root.exists() and not root.is_dir():
        raise UsageError(f"{root} is a file; install into a folder.")
    if script.exists() and _MARK not in script.read_text(encoding="utf-8", errors="replace"):
        raise UsageError(f"{script} was not written by this command, and stays; install into another folder.")
    root.mkdir(parents=True, exist_ok=True)
    write_atomic(script, _script(options).encode())
    script.chmod(0o755)
    return script


def _check(options: ServeOptions) -> None:
    """Refuse now what the script would refuse at every start."""
    load_version(options.carla_version)
    check_maps(options.maps)
    towns = MapLibrary(options.maps)
    if towns.find(options.map_name) is None:
        raise DataRefused(f"--map {options.map_name}: no such town; there are {', '.join(towns.names())}.")


def _script(options: ServeOptions) -> str:
    """The text of the script; ``exec`` lets signals and the exit code through."""
    package_home = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "bestrand_drive.headless", *script_arguments(options), "--"]
    return (
        "#!/bin/sh\n"
        f"{_MARK}: a headless server in CARLA's place. Scores from it are not CARLA's.\n"
        f"# ${VARIABLE} may hold more options, such as --fault crash@tick=50.\n"
        "unset PYTHONHOME\n"
        "export PYTHONSAFEPATH=1\n"
        f"export PYTHONPATH={shlex.quote(str(package_home))}\n"
        f'exec {shlex.join(command)} "$@"\n'
    )
