"""``bestrand headless``: a CPU-only server that the real CARLA client connects to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.map_from_routes import map_from_routes
from bestrand_drive.cli.running import INTERRUPTED, run_command
from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.headless.faults.order import parse_faults
from bestrand_drive.headless.options import DEFAULT_MAP, DEFAULT_PORT, DEFAULT_VERSION, LOOPBACK, ServeOptions

app = typer.Typer(
    help="A CPU-only server that speaks CARLA's wire protocol to the real client. Scores from it are not CARLA's.",
    no_args_is_help=True,
)
app.command("map-from-routes")(map_from_routes)

Maps = Annotated[
    list[Path], typer.Option(help="Folder of OpenDRIVE files, TownNN.xodr; repeatable.", show_default=False)
]
Map = Annotated[str, typer.Option("--map", help="Town of the first episode.")]
Version = Annotated[str, typer.Option(help="Protocol to speak: that of the client's version.")]
Host = Annotated[str, typer.Option(help="Address to listen on; there is no authentication.")]
Seed = Annotated[int, typer.Option(help="Seed of the traffic lights' first phases and of the draw of faults.", min=0)]
Synchronous = Annotated[
    bool, typer.Option("--synchronous", help="Begin in synchronous mode: nothing moves before the first tick.")
]
DieWithParent = Annotated[bool, typer.Option("--die-with-parent", help="End when the process that started it ends.")]
Faults = Annotated[
    list[str],
    typer.Option(
        "--fault",
        help="What shall go wrong, such as crash@tick=50 or hang@load=Town02:p=0.3; repeatable, or with commas.",
        show_default=False,
    ),
]


@app.command()
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
    """Serve until interrupted. SIGTERM ends it with 0, Ctrl-C with 130."""
    _require_extra()
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


@app.command()
def install(
    root: Annotated[Path, typer.Argument(help="Folder to make; evaluators take it as CARLA_ROOT.", show_default=False)],
    maps: Maps,
    map_name: Map = DEFAULT_MAP,
    host: Host = LOOPBACK,
    carla_version: Version = DEFAULT_VERSION,
    seed: Seed = 0,
    synchronous: Synchronous = False,
    die_with_parent: DieWithParent = False,
    fault: Faults = [],  # noqa: B006  as above
) -> None:
    """Make a CARLA_ROOT whose CarlaUE4.sh starts the server, so that an evaluator needs no change.

    The script also takes these options, but the root, from the variable BESTRAND_HEADLESS_OPTIONS.
    """
    _require_extra()
    from bestrand_drive.headless.installation import install as write  # noqa: PLC0415  as above

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


def _require_extra() -> None:
    """The server needs the carla client's map library and MessagePack.

    Raises:
        EnvironmentFault: One of them is not installed.
    """
    try:
        import carla  # noqa: F401, PLC0415  184 MB; only this command needs it
        import msgpack  # noqa: F401, PLC0415
    except ImportError as error:
        raise EnvironmentFault(f"{error}; run, in a checkout of bestrand_drive: pip install '.[headless]'") from error


def run_alone(arguments: list[str]) -> int:
    """Run ``bestrand headless ...`` without the rest of the command; its exit code."""
    alone = typer.Typer(name="bestrand", pretty_exceptions_enable=False)
    alone.add_typer(app, name="headless")
    alone.callback()(lambda: None)
    return run_command(alone, arguments, interrupted="" if arguments[1:2] == ["serve"] else INTERRUPTED)
