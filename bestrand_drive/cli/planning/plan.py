"""``bestrand plan``: how large a suite must be, or what to expect of a size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.cli.declared import declared
from bestrand_drive.cli.evidence import options as read
from bestrand_drive.cli.options import number_ranges, path_pairs
from bestrand_drive.cli.planning.plan_options import OF_A_PLAN, Asked
from bestrand_drive.cli.planning.plan_text import plan_json, print_plan
from bestrand_drive.compression.noise import Noise
from bestrand_drive.errors import ExitCode, UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, probed_families, table_evidence
from bestrand_drive.workflows.planning.plan import SuitePlan
from bestrand_drive.workflows.planning.planning import noise_of_runs, plan_evidence, plan_suite, target_runs
from bestrand_drive.workflows.planning.verb import is_suite

CHOICE = ("selector", "estimator", "candidates", "pool_factor", "family", "seed")
"""Options that a suite answers itself."""


class _Group(TyperGroup):
    """Takes a suite folder in place of a subcommand."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  typer's own untyped interface
        if args and args[0] not in self.commands and is_suite(Path(args[0])):
            args = ["of-suite", *args]
        elif args and "/" in args[0]:
            raise UsageError(f"No such command, and no suite folder: {args[0]} (no suite.json is there).")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Group,
    help="How large a suite must be, or what to expect of a size; by results, a table, or a suite folder.\n\n"
    "Example: bestrand plan scores --scores scores.csv --n-probes 5 --p95 0.03\n\n"
    "Example: bestrand plan suite/",
    no_args_is_help=True,
)


def _driving_command(benchmark: str) -> Callable[..., int]:
    """The subcommand of one driving benchmark; all take the same options."""

    def command(
        *,
        routes: read.Routes = None,
        part: read.Part = "",
        probe: Annotated[
            list[str] | None,
            typer.Option("--probe", help="Results of a probe policy, NAME=PATH; repeat.", show_default=False),
        ] = None,
        asked: Annotated[Asked, OF_A_PLAN],
    ) -> int:
        asked.request.check()
        known = load_benchmark(benchmark, routes, part)
        evidence = _results(known, path_pairs("--probe", probe or []))
        noise: Mapping[str, Noise] = {}
        if asked.repeats:
            runs = path_pairs("--repeats", asked.repeats)
            noise = noise_of_runs(_results(known, runs).scores, list(runs))
        return _finish(plan_evidence(evidence, asked.request, noise), asked.as_json)

    return declared(command)


def _results(known: Benchmark, paths: Mapping[str, Path]) -> Evidence:
    return driving_evidence(known, [ResultSource(name, path) for name, path in paths.items()])


for _name, _given in {
    "bench2drive": "--routes bench2drive220.xml --probe A=results/A --probe B=results/B",
    "fail2drive": "--routes fail2drive_split/ --probe F=results/F --probe G=results/G",
    "builtin": "--probe expert=runs/expert --probe novice=runs/novice",
}.items():
    app.command(
        _name,
        help=f"Plan a suite of {_name} by probes' results: --p95 2.5, --hours 20, --detect 2 ...\n\n"
        f"Example: bestrand plan {_name} {_given} --keep 0.35",
    )(_driving_command(_name))


def _scores(
    *,
    scores: read.Scores,
    items: read.Items = None,
    probe: Annotated[
        list[str] | None,
        typer.Option("--probe", help="A model to be a probe; default: every model.", show_default=False),
    ] = None,
    n_probes: Annotated[
        int | None, typer.Option(help="Instead of --probe: this many models, spread over ability.", show_default=False)
    ] = None,
    bounds: read.Bounds = None,
    asked: Annotated[Asked, OF_A_PLAN],
) -> int:
    """Plan a suite of any benchmark by a table of scores, such as --scores m.csv --n-probes 5 --p95 0.02.

    Example: bestrand plan scores --scores scores.csv --n-probes 5 --p95 0.03
    """
    request = asked.request
    request.check()
    source = TableSource(
        scores=scores,
        items=items,
        metrics=request.metrics,
        probes=tuple(probe or ()),
        n_probes=n_probes,
        bounds=number_ranges("--bounds", bounds or []),
        families=request.families,
    )
    noise: Mapping[str, Noise] = {}
    if asked.repeats:
        runs = table_evidence(replace(source, probes=asked.repeats, n_probes=None))
        noise = noise_of_runs(runs.scores, asked.repeats)
    evidence = table_evidence(source)
    request = replace(request, families=probed_families(source, evidence))
    return _finish(plan_evidence(evidence, request, noise), asked.as_json)


app.command("scores")(declared(_scores))


def _of_suite(
    suite: Annotated[Path, typer.Argument(help="Suite folder.", show_default=False)],
    asked: Annotated[Asked, replace(OF_A_PLAN, without=CHOICE)],
) -> int:
    """Say what to expect of a suite, or of another size of the same benchmark, by suite.json alone."""
    asked.request.check(size_known=True)
    known = read_suite(suite)
    noise: Mapping[str, Noise] = {}
    if asked.repeats:
        runs = target_runs(known, path_pairs("--repeats", asked.repeats))
        noise = noise_of_runs(runs, list(runs.policies))
    return _finish(plan_suite(known, asked.request, noise), asked.as_json)


app.command("of-suite", hidden=True)(declared(_of_suite))


def _finish(plan: SuitePlan, as_json: bool) -> int:
    """Print; a goal that no size reaches leaves with 5."""
    if as_json:
        print(dump_json(plan_json(plan)).decode(), end="")
    else:
        print_plan(plan)
    return ExitCode.OK if plan.k is not None else ExitCode.NOTHING_SELECTED
