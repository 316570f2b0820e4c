"""``bestrand demo``: the whole job on routes, probes and a simulator that come with this package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bestrand_drive.cli.running.driving_options import PortBase
from bestrand_drive.cli.running.probe_progress import Progress
from bestrand_drive.cli.running.run import exit_code
from bestrand_drive.cli.tables import console, say, table
from bestrand_drive.errors import ExitCode, Incomplete
from bestrand_drive.simulation.processes.interrupts import interrupts
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.workflows.running.demo import TARGET, DemoReport, DemoRequest, run_demo


def demo(
    out: Annotated[Path, typer.Option(help="Folder for runs and suite; the same again goes on in it.")] = Path(
        "bestrand-demo"
    ),
    servers: Annotated[
        int | None, typer.Option(help="At the same time. Default: one a core.", show_default=False, min=1)
    ] = None,
    target: Annotated[str, typer.Option(help="Shipped probe that is estimated.")] = TARGET,
    port_base: PortBase = FIRST,
) -> int:
    """Drive three probes on 40 short routes, choose a suite, estimate a fourth policy from it, and drive the truth.

    Everything runs on the headless server: no CARLA, no GPU, no files of a benchmark.

    Example: bestrand demo --servers 2 --out bestrand-demo
    """
    screen = console()
    progress = Progress(screen, brief=True)
    request = DemoRequest(out, servers or len(os.sched_getaffinity(0)), target, port_base=port_base)
    with interrupts() as heard:
        try:
            report = run_demo(request, progress.listening, heard, progress.say, sys.argv)
        except Incomplete as error:
            if not heard.asked:
                raise
            progress.say(str(error))
            return exit_code((), heard)
    _print(screen, report)
    return ExitCode.OK


def _print(out: Console, report: DemoReport) -> None:
    """The table at the end."""
    suite, found = report.suite, report.found
    strata = len(suite.strata) - len(suite.choice.undriven_strata)
    say(out, "")
    say(out, f"suite: {suite.k} of {suite.n} routes, {strata} of {len(suite.strata)} scenario types ({report.folder})")
    say(out, f"routes: {', '.join(suite.chosen)}")
    say(out, f"{found.policy}, estimated from the suite alone, and what it did on all {suite.n} routes:")
    rows = []
    for line in found.results:
        truth, interval = report.truth.get(line.name), line.estimate.run
        if truth is None or line.estimate.value is None:
            continue
        held = "-" if interval is None else "yes" if interval.low <= truth <= interval.high else "no"
        shown = "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"
        rows.append((line.name, f"{line.estimate.value:.2f}", shown, f"{truth:.2f}", held, line.unit))
    table(
        out,
        ("metric", "estimate", f"{100 * found.results[0].estimate.level:g}% interval", "truth", "held", "unit"),
        rows,
    )
    spared = report.all_s - report.suite_s
    say(
        out,
        f"simulated: {report.suite_s / 3600:.3f} h on the suite instead of {report.all_s / 3600:.3f} h on all routes: "
        f"{spared / 3600:.3f} h ({spared / report.all_s:.0%}) spared",
    )
    say(out, "note: simulated by the headless server: these scores are not CARLA's")
