"""The options that all commands share that drive: ``run`` and ``doctor``, ``probe``, and some of ``demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WHAT, HOW, SERVERS, SHOW = "What is run", "How it is run", "Servers", "What is shown"

Towns = Annotated[
    Path | None,
    typer.Option(
        help="builtin: folder of further towns, OpenDRIVE files (TOWN.xodr), beside the shipped ones.",
        rich_help_panel=WHAT,
        show_default=False,
    ),
]
Root = Annotated[
    Path | None,
    typer.Option(help="The benchmark's checkout; builtin has none.", rich_help_panel=WHAT, show_default=False),
]
Repeats = Annotated[int, typer.Option(help="Of every route, each with its own traffic seed.", rich_help_panel=WHAT)]
Env = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE for the evaluator; repeat.", rich_help_panel=HOW, show_default=False),
]
MaxAttempts = Annotated[
    int, typer.Option(help="Of a route, as long as none has a result of the policy.", rich_help_panel=HOW)
]
Timeout = Annotated[
    float | None, typer.Option(help="The evaluator's own, in seconds.", rich_help_panel=HOW, show_default=False)
]
RouteLimit = Annotated[
    float | None,
    typer.Option(
        help="Seconds of a whole attempt; a longer drive has no score and is not tried again. Default: none.",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
CarlaRoot = Annotated[
    Path | None,
    typer.Option(help="CARLA's folder. builtin: else a headless server.", rich_help_panel=SERVERS, show_default=False),
]
Servers = Annotated[int, typer.Option(help="At the same time.", rich_help_panel=SERVERS)]
Gpus = Annotated[
    str,
    typer.Option(
        help="Such as 0,1; or 0:0,1:2 where CARLA counts otherwise than CUDA.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
ServersPerGpu = Annotated[
    int, typer.Option(help="Of --servers on one of --gpus; more than 1 can change scores.", rich_help_panel=SERVERS)
]
ServerCommand = Annotated[
    str,
    typer.Option(
        help="Another way to start a server (a container), with {port}, {gpu}, {run}, {flags} in it.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
ServerStopCommand = Annotated[
    str, typer.Option(help="Ends what that started.", rich_help_panel=SERVERS, show_default=False)
]
CarlaVersion = Annotated[
    str | None,
    typer.Option(help="Default: what --carla-root says.", rich_help_panel=SERVERS, show_default=False),
]
PortBase = Annotated[int, typer.Option(help="First port.", rich_help_panel=SERVERS)]
Durations = Annotated[
    list[Path] | None,
    typer.Option(
        help="Earlier results of another policy: the longest routes run first; repeat. Default: a suite's probes, "
        "else length.",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.", rich_help_panel=SHOW)]
