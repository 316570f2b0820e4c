"""``bestrand plan``: how large a suite must be, or what to expect of a size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bestrand_drive.cli import compress_options as common
from bestrand_drive.cli import plan_options as options
from bestrand_drive.cli.options import name_lists, number_ranges, path_pairs
from bestrand_drive.cli.plan_text import plan_json, print_plan
from bestrand_drive.compression.noise import Noise
from bestrand_drive.errors import ExitCode
from bestrand_drive.files import dump_json
from bestrand_drive.suite import read_suite
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.tabular import TableSource, probed_families, table_evidence
from bestrand_drive.workflows.planning.plan import SuitePlan
from bestrand_drive.workflows.planning.plan_request import PlanRequest
from bestrand_drive.workflows.planning.planning import noise_of_runs, plan_evidence, plan_suite, target_runs


class _Group(TyperGroup):
    """Takes a suite folder in place of a subcommand."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  typer's own untyped interface
        if args and args[0] not in self.commands and (Path(args[0]) / "suite.json").exists():
            args = ["of-suite", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Group,
    help="How large a suite must be, or what to expect of a size: plan scores --p95 0.02 ..., or plan SUITE_FOLDER.",
    no_args_is_help=True,
)


def _driving_command(benchmark: str) -> Callable[..., int]:
    """The subcommand of one driving benchmark; all take the same options."""

    def command(
        routes: common.Routes = None,
        part: common.Part = "",
        probe: Annotated[
            list[str] | None,
            typer.Option("--probe", help="Results of a probe policy, NAME=PATH; repeat.", show_default=False),
        ] = None,
        p95: options.P95 = None,
        error: options.MeanError = None,
        detect: options.Detect = None,
        keep: options.Keep = None,
        k: options.Size = None,
        hours: options.Hours = None,
        targets: options.Targets = 1,
        claim: options.About = None,
        selector: options.SelectorName = "balanced",
        estimator: options.EstimatorName = "default",
        candidates: options.Candidates = 128,
        pool_factor: options.PoolFactor = None,
        metric: options.Metric = None,
        family: options.Family = None,
        repeats: options.Repeats = None,
        seed: common.Seed = 0,
        as_json: options.Json = False,
    ) -> int:
        goal, wanted = options.goal_of(p95, error, detect)
        request = PlanRequest(
            goal=goal,
            wanted=wanted,
            keep=keep,
            k=k,
            hours=hours,
            targets=targets,
            claim=claim,
            selector=selector,
            estimator=estimator,
            candidates=candidates,
            pool_factor=pool_factor,
            metrics=tuple(metric or ()),
            families=name_lists("--family", family or []),
            seed=seed,
        )
        request.check()
        known = load_benchmark(benchmark, routes, part)
        probes = path_pairs("--probe", probe or [])
        evidence = driving_evidence(known, [ResultSource(name, path) for name, path in probes.items()])
        noise: Mapping[str, Noise] = {}
        if repeats:
            runs = path_pairs("--repeats", repeats)
            own = driving_evidence(known, [ResultSource(name, path) for name, path in runs.items()])
            noise = noise_of_runs(own.scores, list(runs))
        return _finish(plan_evidence(evidence, request, noise), as_json)

    return command


for _name in ("bench2drive", "fail2drive", "builtin"):
    app.command(_name, help=f"Plan a suite of {_name} by probes' results: --p95 2.5, --hours 20, --detect 2 ...")(
        _driving_command(_name)
    )


@app.command("scores")
def scores(
    scores: Annotated[Path, typer.Option(help="Score table, wide or long (CSV, JSONL, Parquet).", show_default=False)],
    items: Annotated[
        Path | None, typer.Option(help="Item table: item_id, stratum, group, cost_s.", show_default=False)
    ] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option("--probe", help="A model to be a probe; default: every model.", show_default=False),
    ] = None,
    n_probes: Annotated[
        int | None, typer.Option(help="Instead of --probe: this many models, spread over ability.", show_default=False)
    ] = None,
    p95: options.P95 = None,
    error: options.MeanError = None,
    detect: options.Detect = None,
    keep: options.Keep = None,
    k: options.Size = None,
    hours: options.Hours = None,
    targets: options.Targets = 1,
    claim: options.About = None,
    selector: options.SelectorName = "balanced",
    estimator: options.EstimatorName = "default",
    candidates: options.Candidates = 128,
    pool_factor: options.PoolFactor = None,
    metric: options.Metric = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option("--bounds", help="Least and greatest value of a metric, NAME=LOW:HIGH.", show_default=False),
    ] = None,
    family: options.Family = None,
    repeats: options.Repeats = None,
    seed: common.Seed = 0,
    as_json: options.Json = False,
) -> int:
    """Plan a suite of any benchmark by a table of scores, such as --scores m.csv --n-probes 5 --p95 0.02."""
    goal, wanted = options.goal_of(p95, error, detect)
    request = PlanRequest(
        goal=goal,
        wanted=wanted,
        keep=keep,
        k=k,
        hours=hours,
        targets=targets,
        claim=claim,
        selector=selector,
        estimator=estimator,
        candidates=candidates,
        pool_factor=pool_factor,
        metrics=tuple(metric or ()),
        families=name_lists("--family", family or []),
        seed=seed,
    )
    request.check()
    source = TableSource(
        scores=scores,
        items=items,
        metrics=tuple(metric or ()),
        probes=tuple(probe or ()),
        n_probes=n_probes,
        bounds=number_ranges("--bounds", bounds or []),
        families=request.families,
    )
    noise: Mapping[str, Noise] = {}
    if repeats:
        runs = table_evidence(replace(source, probes=tuple(repeats), n_probes=None))
        noise = noise_of_runs(runs.scores, repeats)
    evidence = table_evidence(source)
    request = replace(request, families=probed_families(request.families, source, evidence))
    return _finish(plan_evidence(evidence, request, noise), as_json)


@app.command("of-suite", hidden=True)
def of_suite(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    p95: options.P95 = None,
    error: options.MeanError = None,
    detect: options.Detect = None,
    keep: options.Keep = None,
    k: options.Size = None,
    hours: options.Hours = None,
    targets: options.Targets = 1,
    claim: options.About = None,
    metric: options.Metric = None,
    repeats: options.Repeats = None,
    as_json: options.Json = False,
) -> int:
    """Say what to expect of a suite, or of another size of the same benchmark, by suite.json alone."""
    goal, wanted = options.goal_of(p95, error, detect)
    request = PlanRequest(
        goal=goal,
        wanted=wanted,
        keep=keep,
        k=k,
        hours=hours,
        targets=targets,
        claim=claim,
        metrics=tuple(metric or ()),
    )
    request.check(size_known=True)
    known = read_suite(suite)
    noise: Mapping[str, Noise] = {}
    if repeats:
        runs = target_runs(known, path_pairs("--repeats", repeats))
        noise = noise_of_runs(runs, list(runs.policies))
    return _finish(plan_suite(known, request, noise), as_json)


def _finish(plan: SuitePlan, as_json: bool) -> int:
    """Print; a goal that no size reaches leaves with 5."""
    if as_json:
        print(dump_json(plan_json(plan)).decode(), end="")
    else:
        print_plan(plan)
    return ExitCode.OK if plan.k is not None else ExitCode.NOTHING_SELECTED
