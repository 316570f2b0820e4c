"""``bestrand servers``: how many servers a run that goes on uses, or is to use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.tables import console, say
from bestrand_drive.simulation.crews.resizing import ask_servers


def servers(
    run_folder: Annotated[Path, typer.Argument(help="Of a run that is driven now.", show_default=False)],
    wanted: Annotated[
        int | None,
        typer.Option(
            "--set", help="So many from now on; what runs on others is ended in its own time.", show_default=False
        ),
    ] = None,
) -> int:
    """Say how many servers a run that goes on uses, or let it use more or fewer without stopping it.

    Example: bestrand servers runs/MyPolicy --set 4
    """
    found = ask_servers(run_folder, wanted)
    say(console(), f"{run_folder}: {found.servers} servers, of {found.most} for which it has ports and GPUs")
    return 0
