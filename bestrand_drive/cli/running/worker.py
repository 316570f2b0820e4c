"""``bestrand worker``: makes attempts for a driver on another host."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bestrand_drive.cli.running.run import exit_code
from bestrand_drive.cli.tables import console, say
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.processes.interrupts import interrupts
from bestrand_drive.simulation.servers.gpus import parse_gpus
from bestrand_drive.workflows.running.worker import WorkerRequest, work


def worker(
    run_folder: Annotated[
        Path,
        typer.Argument(
            help="OUT of `bestrand run ... --engine workers`; of `bestrand probe`, the folder of the probe that runs.",
            show_default=False,
        ),
    ],
    scratch: Annotated[
        Path | None, typer.Option(help="Folder on this host's own disk. Default: $TMPDIR.", show_default=False)
    ] = None,
    servers: Annotated[
        int | None, typer.Option(help="At the same time here. Default: the driver's.", show_default=False)
    ] = None,
    gpus: Annotated[str, typer.Option(help="Of this host. Default: the driver's.", show_default=False)] = "",
    wait: Annotated[float, typer.Option(help="Seconds to wait for a driver.")] = 600.0,
) -> int:
    """Make attempts on this host for a run that is driven elsewhere; routes, agent and checkout must be seen here, too.

    It may be started before the run or while it goes on, and leaves with it; SIGTERM gives back what it has begun.

    Example: bestrand worker runs/MyPolicy --servers 2 --gpus 0,1
    """
    if not wait >= 0:
        raise UsageError(f"--wait {wait:g}: give a number of seconds, 0 or more.")
    if servers is not None and servers < 1:
        raise UsageError(f"--servers {servers}: at least 1.")
    request = WorkerRequest(
        run=run_folder,
        scratch=scratch or Path(tempfile.gettempdir()),
        servers=servers,
        gpus=parse_gpus(gpus) if gpus else None,
        wait_s=wait,
    )
    out = console()
    with interrupts() as heard:
        work(request, heard, lambda line: say(out, line))
    return exit_code((), heard)
