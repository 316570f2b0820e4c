"""``bestrand headless serve``: run the server."""

from __future__ import annotations

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
from bestrand_drive.headless.options import DEFAULT_MAP, DEFAULT_PORT, DEFAULT_VERSION, LOOPBACK, ServeOptions


def serve(
    maps: Maps,
    map_name: Map = DEFAULT_MAP,
    port: Annotated[int, typer.Option(help="Of remote calls; sensor streams use the next one.", min=0, max=65535)] = (
        DEFAULT_PORT
    ),
    streaming_port: Annotated[
        int | None,
        typer.Option(
            help="Of sensor streams, 0 for any. [default: the port after --port]", show_default=False, min=0, max=65535
        ),
    ] = None,
    host: Host = LOOPBACK,
    carla_version: Version = DEFAULT_VERSION,
    seed: Seed = 0,
    synchronous: Synchronous = False,
    die_with_parent: DieWithParent = False,
    fault: Faults = [],  # noqa: B006  typer's way to say that it may be absent
) -> int:
    """Serve until interrupted. SIGTERM ends it with 0, Ctrl-C with 130.

    Example: bestrand headless serve --maps towns/ --map Town01

    Example: bestrand headless serve --maps towns/ --synchronous --fault crash@tick=500
    """
    require_extra()
    from bestrand_drive.headless.serving import serve as run  # noqa: PLC0415  only this command needs carla

    return run(
        ServeOptions(
            maps=tuple(maps),
            map_name=map_name,
            host=host,
            port=port,
            streaming_port=streaming_port,
            carla_version=carla_version,
            seed=seed,
            synchronous=synchronous,
            die_with_parent=die_with_parent,
            faults=parse_faults(fault),
        )
    )
