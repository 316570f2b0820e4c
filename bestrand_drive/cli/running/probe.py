"""``bestrand probe``: run probe policies on a drawn pool and choose a suite by what they did, in one command."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from bestrand_drive.cli.choosing.compress_options import OF_A_CHOICE, Asked
from bestrand_drive.cli.choosing.suite_text import print_compressed
from bestrand_drive.cli.declared import Options, declared
from bestrand_drive.cli.evidence import options as read
from bestrand_drive.cli.running.driving_options import HOW, SHOW, WHAT, Json
from bestrand_drive.cli.running.probe_progress import Progress
from bestrand_drive.cli.running.run import exit_code
from bestrand_drive.cli.running.run_options import run_request
from bestrand_drive.cli.running.run_text import as_json, print_summary
from bestrand_drive.cli.tables import console, say, table
from bestrand_drive.errors import ExitCode, Incomplete, UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.simulation.attempts.plan import Action
from bestrand_drive.simulation.processes.interrupts import interrupts
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.running.dry_run import dry_run as lines_of
from bestrand_drive.workflows.running.preparing import Prepared
from bestrand_drive.workflows.running.probe import check_place, choose_suite, plan_runs, run_probes
from bestrand_drive.workflows.running.probe_file import ProbeEntry, read_probe_file, shipped_probes
from bestrand_drive.workflows.running.probe_plan import ProbePlan, ProbeRequest, plan_probes
from bestrand_drive.workflows.running.run import RunReport
from bestrand_drive.workflows.running.run_again import again_line
from bestrand_drive.workflows.running.run_request import RunRequest, routes_or_shipped

EACH = ("agent", "agent_config", "policy_name", "policy_id", "only", "repeat", "until", "until_interval", "level")
"""Options of a run that are each probe's own, or follow from the pool."""
OF_PROBES = Options(partial(run_request, agent="", out=Path()), without=(*EACH, "out", "routes", "part"))
"""Options of a run that hold for every probe; places are those of a choice."""


def _probe(
    *,
    probe_file: Annotated[
        Path | None,
        typer.Option(
            help="Which probes, and how each is run. Default for builtin: three that are shipped.",
            rich_help_panel=WHAT,
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the probes' run folders. Default: --out with -runs.",
            rich_help_panel=WHAT,
            show_default=False,
        ),
    ] = None,
    routes: read.Routes = None,
    part: read.Part = "",
    run: Annotated[RunRequest, OF_PROBES],
    missing: Annotated[
        Literal["exclude"] | None,
        typer.Option(help="Choose though routes have no result, leaving them out.", rich_help_panel=HOW),
    ] = None,
    choice: Annotated[Asked, replace(OF_A_CHOICE, without=("hours",))],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print pool and commands, start nothing.", rich_help_panel=SHOW)
    ] = False,
    json: Json = False,
) -> int:
    """Run probes on a drawn pool of the routes, then choose a suite by what they did.

    Give the same command again to go on after whatever happened. The suite is the one that `compress` makes of the
    same results. Leaves with 6, and writes no suite, when routes have no result and --missing does not allow it.

    What a probe's entry says goes before --python, --track and --env. Each probe is a run of its own, one after the
    other; with --engine workers, `bestrand worker` is given the folder of the probe that runs, which is printed.

    Example: bestrand probe builtin --part demo --keep 0.35 --servers 2 --out suite/
    """
    choice.check_guard(run.benchmark)
    out = choice.out
    plan = plan_probes(
        ProbeRequest(
            run=replace(run, routes=routes_or_shipped(run.benchmark, routes), part=part),
            probes=_probes(run.benchmark, probe_file),
            choice=choice.request,
            out=out,
            runs=runs or _beside(out),
            exclude=choice.exclude,
            disjoint_from=choice.disjoint_from,
            missing=missing is not None,
            force=choice.force,
        )
    )
    return _show(plan, as_object=json) if dry_run else _run(plan, as_object=json)


probe = declared(_probe)


def _beside(out: Path) -> Path:
    """The folder of run folders, unless the user says where."""
    named = Path(os.path.abspath(out)) if out.name in ("", "..") else out
    return named.parent / f"{named.name}-runs"


def _probes(benchmark: str, path: Path | None) -> tuple[ProbeEntry, ...]:
    if path is not None:
        return read_probe_file(path)
    if benchmark != "builtin":
        raise UsageError("--probe-file is needed: it says which probes there are and how each is run.")
    return shipped_probes()


def _show(plan: ProbePlan, *, as_object: bool) -> int:
    found = plan_runs(plan)
    if as_object:
        said = _json(plan, [report for _, report in found], None)
        for probe_said, (prepared, report) in zip(said["probes"], found, strict=True):
            probe_said["commands"] = [line for line in _lines(prepared, report) if not line.startswith("#")]
        print(dump_json(said).decode(), end="")
        return ExitCode.OK
    out = console()
    for one, (prepared, report) in zip(plan.runs, found, strict=True):
        say(out, f"# {one.entry.name}, into {one.request.out}")
        for line in _lines(prepared, report):
            say(out, line)
    _print_plan(out, plan, [report for _, report in found])
    return ExitCode.OK


def _lines(prepared: Prepared, report: RunReport) -> list[str]:
    return lines_of(prepared, report.of(Action.RUN))


def _print_plan(out: Console, plan: ProbePlan, reports: list[RunReport]) -> None:
    say(out, f"pool: {len(plan.pool)} of {len(plan.benchmark.items)} items, for a suite of {plan.k}")
    rows = [
        (report.policy, *(str(len(report.of(action))) for action in Action), str(one.request.out))
        for one, report in zip(plan.runs, reports, strict=True)
    ]
    table(out, ("probe", *(action.value for action in Action), "folder"), rows)


def _run(plan: ProbePlan, *, as_object: bool) -> int:
    out = Console(stderr=True, highlight=False) if as_object else console()
    check_place(plan)
    say(out, f"pool: {len(plan.pool)} of {len(plan.benchmark.items)} items, for a suite of {plan.k}")
    with interrupts() as heard:
        progress = Progress(out)
        reports = run_probes(plan, progress.listening, heard, progress.say)
        stopped = heard.asked
    for one, report in zip(plan.runs, reports, strict=False):
        print_summary(out, report, partial(again_line, one.request), str(one.request.out))
    if stopped:
        if as_object:
            print(dump_json(_json(plan, reports, None)).decode(), end="")
        return exit_code(reports, heard)
    return _choose(plan, reports, out, as_object=as_object)


def _choose(plan: ProbePlan, reports: list[RunReport], out: Console, *, as_object: bool) -> int:
    try:
        evidence, suite = choose_suite(plan, reports, sys.argv)
    except Incomplete:
        if as_object:
            print(dump_json(_json(plan, reports, None)).decode(), end="")
        raise
    if as_object:
        print(dump_json(_json(plan, reports, suite)).decode(), end="")
    else:
        print_compressed(evidence, suite, plan.request.out)
    return ExitCode.OK


def _json(plan: ProbePlan, reports: list[RunReport], suite: Suite | None) -> dict[str, Any]:
    return {
        "benchmark": plan.benchmark.name,
        "route_set": plan.benchmark.route_set,
        "k": plan.k,
        "pool": list(plan.pool),
        "probes": [
            {"folder": str(one.request.out)} | as_json(report, partial(again_line, one.request))
            for one, report in zip(plan.runs, reports, strict=False)
        ],
        "suite": None if suite is None else {"folder": str(plan.request.out), "chosen": list(suite.chosen)},
    }
