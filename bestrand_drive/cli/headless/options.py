"""What ``bestrand headless serve`` and ``install`` share: their options, and the packages that they need."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.errors import EnvironmentFault

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


def require_extra() -> None:
    """The server needs the carla client's map library and MessagePack.

    Raises:
        EnvironmentFault: One of them is not installed.
    """
    try:
        import carla  # noqa: F401, PLC0415  184 MB; only these commands need it
        import msgpack  # noqa: F401, PLC0415  as above
    except ImportError as error:
        raise EnvironmentFault(f"{error}; run, in a checkout of bestrand_drive: pip install '.[headless]'") from error
