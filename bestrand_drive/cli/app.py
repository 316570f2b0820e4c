"""The ``bestrand`` command: parses, calls a workflow, prints; one clear message for a user's mistake."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from bestrand_drive.cli.choosing import compress, inspect
from bestrand_drive.cli.command import run_command
from bestrand_drive.cli.comparing import compare
from bestrand_drive.cli.estimating import estimate, order
from bestrand_drive.cli.gating import gate
from bestrand_drive.cli.headless import group as headless
from bestrand_drive.cli.importing import import_logs
from bestrand_drive.cli.living import homogeneity, refresh
from bestrand_drive.cli.planning import plan
from bestrand_drive.cli.running import adopt, demo, doctor, probe, servers, worker
from bestrand_drive.cli.running.run import run as run_policy
from bestrand_drive.cli.sharing import cite, materialize, share
from bestrand_drive.cli.studying import study

app = typer.Typer(
    name="bestrand",
    help="Evaluate driving policies on a small, representative suite of routes, with honest error bars.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(compress.app, name="compress")
app.add_typer(headless.app, name="headless")
app.add_typer(plan.app, name="plan")
app.add_typer(homogeneity.app, name="homogeneity")
app.add_typer(study.app, name="study")
app.command("adopt")(adopt.adopt)
app.command("cite")(cite.cite)
app.command("compare")(compare.compare)
app.command("doctor")(doctor.doctor)
app.command("estimate")(estimate.estimate)
app.command("gate")(gate.gate)
app.command("import")(import_logs.import_logs)
app.command("inspect")(inspect.inspect)
app.command("order")(order.order)
app.command("materialize")(materialize.materialize)
app.command("refresh")(refresh.refresh_suite)
app.command("share")(share.share)
app.command("probe")(probe.probe)
app.command("demo")(demo.demo)
app.command("run")(run_policy)
app.command("servers")(servers.servers)
app.command("worker")(worker.worker)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"bestrand {metadata.version('bestrand-drive')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Evaluate driving policies on a small, representative suite of routes, with honest error bars."""


def run(arguments: list[str]) -> int:
    """Run the command on some arguments and return its exit code."""
    return run_command(app, arguments)
