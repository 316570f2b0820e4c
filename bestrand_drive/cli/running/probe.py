"""``bestrand probe``: run probe policies on a drawn pool and choose a suite by what they did, in one command."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from bestrand_drive.cli.choosing import compress_options as common
from bestrand_drive.cli.choosing.suite_text import print_compressed
from bestrand_drive.cli.evidence import options as read
from bestrand_drive.cli.options import comma_list, metric_weights
from bestrand_drive.cli.running import driving_options as driving
from bestrand_drive.cli.running.driving_options import HOW, SHOW, WHAT
from bestrand_drive.cli.running.probe_progress import Progress
from bestrand_drive.cli.running.run import exit_code
from bestrand_drive.cli.running.run_text import as_json, print_summary
from bestrand_drive.cli.tables import console, say, table
from bestrand_drive.errors import ExitCode, Incomplete, UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.simulation.adapters.variables import parse_variables
from bestrand_drive.simulation.attempts.plan import MAX_ATTEMPTS, Action
from bestrand_drive.simulation.processes.interrupts import interrupts
from bestrand_drive.simulation.servers.gpus import parse_gpus
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.suite import Suite
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.running.dry_run import dry_run
from bestrand_drive.workflows.running.preparing import Prepared
from bestrand_drive.workflows.running.probe import (
    ProbePlan,
    ProbeRequest,
    check_place,
    choose_suite,
    plan_probes,
    plan_runs,
    run_probes,
)
from bestrand_drive.workflows.running.probe_file import ProbeEntry, read_probe_file, shipped_probes
from bestrand_drive.workflows.running.run import RunReport
from bestrand_drive.workflows.running.run_again import again_line
from bestrand_drive.workflows.running.run_request import RunRequest, routes_or_shipped


def probe(
    benchmark: Annotated[
        Literal["bench2drive", "fail2drive", "builtin"],
        typer.Argument(help="Whose evaluator runs, on whose routes.", show_default=False),
    ],
    out: common.Out,
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
    towns: driving.Towns = None,
    root: driving.Root = None,
    python: Annotated[
        str,
        typer.Option(help="Interpreter of probes whose entry names none.", rich_help_panel=HOW, show_default=False),
    ] = "",
    env: driving.Env = None,
    repeats: driving.Repeats = 1,
    max_attempts: driving.MaxAttempts = MAX_ATTEMPTS,
    timeout: driving.Timeout = None,
    route_limit: driving.RouteLimit = None,
    durations: driving.Durations = None,
    missing: Annotated[
        Literal["exclude"] | None,
        typer.Option(help="Choose though routes have no result, leaving them out.", rich_help_panel=HOW),
    ] = None,
    carla_root: driving.CarlaRoot = None,
    servers: driving.Servers = 1,
    gpus: driving.Gpus = "",
    servers_per_gpu: driving.ServersPerGpu = 1,
    server_command: driving.ServerCommand = "",
    server_stop_command: driving.ServerStopCommand = "",
    carla_version: driving.CarlaVersion = None,
    port_base: driving.PortBase = FIRST,
    keep: Annotated[
        float | None,
        typer.Option(help="Share of items to keep, such as 0.35; exactly one of --keep and --k.", show_default=False),
    ] = None,
    k: common.Size = None,
    pool_factor: common.PoolFactor = None,
    seed: common.Seed = 0,
    selector: common.SelectorName = "balanced",
    candidates: common.Candidates = 128,
    metric: common.Metric = None,
    exclude: common.Exclude = "",
    disjoint_from: common.DisjointFrom = None,
    no_probe_data: common.NoProbeData = False,
    force: common.Force = False,
    only_show: Annotated[
        bool, typer.Option("--dry-run", help="Print pool and commands, start nothing.", rich_help_panel=SHOW)
    ] = False,
    json: driving.Json = False,
) -> int:
    """Run probes on a drawn pool of the routes, then choose a suite by what they did.

    Give the same command again to go on after whatever happened. The suite is the one that `compress` makes of the
    same results. Leaves with 6, and writes no suite, when routes have no result and --missing does not allow it.

    Example: bestrand probe builtin --part demo --keep 0.35 --servers 2 --out suite/
    """
    choice = CompressRequest(
        keep=keep,
        k=k,
        seed=seed,
        selector=selector,
        candidates=candidates,
        pool_factor=pool_factor,
        metric_weights=metric_weights(metric or []),
        probe_data=not no_probe_data,
    )
    run = RunRequest(
        benchmark=benchmark,
        root=root,
        routes=routes_or_shipped(benchmark, routes),
        part=part,
        towns=towns,
        agent="",
        out=out,
        carla_root=carla_root,
        servers=servers,
        gpus=parse_gpus(gpus) if gpus else (),
        servers_per_gpu=servers_per_gpu,
        repeats=repeats,
        python=python,
        max_attempts=max_attempts,
        server_command=server_command,
        server_stop_command=server_stop_command,
        carla_version=carla_version,
        variables=parse_variables(env or ()),
        timeout_s=timeout,
        route_limit_s=route_limit,
        port_base=port_base,
        durations=tuple(durations or ()),
    )
    plan = plan_probes(
        ProbeRequest(
            run=run,
            probes=_probes(benchmark, probe_file),
            choice=choice,
            out=out,
            runs=runs or out.with_name(f"{out.name}-runs"),
            exclude=comma_list(exclude),
            disjoint_from=tuple(disjoint_from or ()),
            missing=missing is not None,
            force=force,
        )
    )
    return _show(plan, as_object=json) if only_show else _run(plan, as_object=json)


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
    return dry_run(prepared, report.of(Action.RUN))


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
