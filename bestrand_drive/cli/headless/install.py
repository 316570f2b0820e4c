"""``bestrand headless install``: make a CARLA_ROOT that starts the server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.headless.options import (
    DieWithParent,
    Faults,
    Host,
    Map,
    Maps,
    Seed,
    Synchronous,
    Version,
    require_extra,
)
from bestrand_drive.headless.faults.order import parse_faults
from bestrand_drive.headless.options import DEFAULT_MAP, DEFAULT_VERSION, LOOPBACK, ServeOptions


def install(
    root: Annotated[Path, typer.Argument(help="Folder to make; evaluators take it as CARLA_ROOT.", show_default=False)],
    maps: Maps,
    map_name: Map = DEFAULT_MAP,
    host: Host = LOOPBACK,
    carla_version: Version = DEFAULT_VERSION,
    seed: Seed = 0,
    synchronous: Synchronous = False,
    die_with_parent: DieWithParent = False,
    fault: Faults = [],  # noqa: B006  typer's way to say that it may be absent
) -> None:
    """Make a CARLA_ROOT whose CarlaUE4.sh starts the server, so that an evaluator needs no change.

    The script also takes these options, but the root, from the variable BESTRAND_HEADLESS_OPTIONS.

    Example: bestrand headless install carla_root/ --maps towns/
    """
    require_extra()
    from bestrand_drive.headless.installation import install as write  # noqa: PLC0415  only this command needs carla

    options = ServeOptions(
        maps=tuple(maps),
        map_name=map_name,
        host=host,
        carla_version=carla_version,
        seed=seed,
        synchronous=synchronous,
        die_with_parent=die_with_parent,
        faults=parse_faults(fault),
    )
    script = write(root, options)
    print(f"{script} starts the headless server; export CARLA_ROOT={os.path.abspath(root)}")
