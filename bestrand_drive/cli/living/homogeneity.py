"""``bestrand homogeneity``: how alike policies are, and which belong to one family."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from bestrand_drive.cli.evidence import options as read
from bestrand_drive.cli.options import path_pairs
from bestrand_drive.cli.tables import console, listed, say, sentences, table
from bestrand_drive.compression.homogeneity import CUT
from bestrand_drive.errors import UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.workflows.evidence.driving import driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.tabular import TableSource
from bestrand_drive.workflows.living.homogeneity import (
    Homogeneity,
    MetricLikeness,
    homogeneity,
    homogeneity_json,
    table_policies,
)
from bestrand_drive.workflows.verbs import result_sources

MOST_COLUMNS = 16
"""Policies up to which the matrix is printed."""

app = typer.Typer(
    help="Show how alike policies are: rho for every two, families by clustering, copies.\n\n"
    "Example: bestrand homogeneity scores --scores scores.csv",
    no_args_is_help=True,
)

Metric = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Metric to make families by; repeat. Default: the main ones.", show_default=False),
]
Cut = Annotated[float, typer.Option(help="Join policies whose distance 1 - r (item-centred) is at most this.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _driving_command(benchmark: str) -> Callable[..., None]:
    """The subcommand of one driving benchmark."""

    def command(
        routes: read.Routes = None,
        part: read.Part = "",
        probe: read.Probe = None,
        metric: Metric = None,
        metric_info: read.MetricInfo = None,
        allow_evaluator_mismatch: read.Mismatch = False,
        cut: Cut = CUT,
        as_json: Json = False,
    ) -> None:
        known = load_benchmark(benchmark, routes, part)
        probes = path_pairs("--probe", probe or [])
        sources = result_sources(probes, {}, path_pairs("--metric-info", metric_info or []))
        if not sources:
            raise UsageError("Give policies to compare: --probe NAME=PATH, two or more.")
        evidence = driving_evidence(known, sources, allow_mismatch=allow_evaluator_mismatch)
        _told(homogeneity(evidence.scores, metric or [], cut), as_json)

    return command


for _name, _given in {
    "bench2drive": "--routes bench2drive220.xml --probe A=results/A --probe B=results/B",
    "fail2drive": "--routes fail2drive_split/ --probe F=results/F --probe G=results/G",
    "builtin": "--probe expert=runs/expert --probe novice=runs/novice",
}.items():
    app.command(
        _name,
        help=f"Compare policies by their result files on {_name}.\n\nExample: bestrand homogeneity {_name} {_given}",
    )(_driving_command(_name))


@app.command("scores")
def scores(
    scores: read.Scores,
    probe: Annotated[
        list[str] | None, typer.Option("--probe", help="Only these models; repeat.", show_default=False)
    ] = None,
    metric: Metric = None,
    cut: Cut = CUT,
    as_json: Json = False,
) -> None:
    """Compare the models of a score table.

    Example: bestrand homogeneity scores --scores scores.csv
    """
    policies = table_policies(TableSource(scores=scores, probes=tuple(probe or ())))
    _told(homogeneity(policies, metric or [], cut), as_json)


def _told(found: Homogeneity, as_json: bool) -> None:
    if as_json:
        print(dump_json(homogeneity_json(found)).decode(), end="")
        return
    out = console()
    say(out, f"{len(found.policies)} policies, {found.items} items; rho = mean covariance over mean variance")
    for one in found.metrics:
        _print_metric(out, one, found.policies)
    heads = ["metric", "rho", "mean r", "sd of r", "r > 0", "between families"]
    table(out, heads, [_summary(one) for one in found.metrics])
    _print_families(out, found)


def _print_metric(out: Console, one: MetricLikeness, policies: Sequence[str]) -> None:
    """Each policy's mean r with the others, and the matrix where it fits."""
    others = np.where(np.eye(len(policies), dtype=bool), np.nan, one.correlations)
    means = [float(np.nanmean(row)) if (~np.isnan(row)).any() else float("nan") for row in others]
    wide = len(policies) <= MOST_COLUMNS
    numbers = [str(number + 1) for number in range(len(policies))] if wide else []
    rows = [
        [f"{number + 1} {name}", _r(means[number]), *(map(_r, others[number]) if wide else [])]
        for number, name in enumerate(policies)
    ]
    table(out, [one.name, "mean", *numbers], rows)


def _r(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.2f}"


def _summary(one: MetricLikeness) -> list[str]:
    m = one.moments
    return [one.name, _r(m.rho), _r(m.correlation), _r(m.correlation_sd), f"{m.positive:.0%}", _r(one.apart)]


def _print_families(out: Console, found: Homogeneity) -> None:
    for copy, original in found.copies.items():
        say(out, f"copy: {copy} has exactly the scores of {original}")
    if not found.clustered:
        say(out, "families: not told; that takes four distinct policies at least")
    for name, (members, inside) in found.families.items():
        say(out, f"family {name}: {listed(members, 30)} (mean r {inside:.2f})")
    if found.clustered and not found.families:
        say(out, "families: none")
    how = "average linkage on 1 - r of item-centred scores, mean over metrics"
    by_chance = (
        f"; unrelated policies have r {-1 / (len(found.policies) - 1):.2f}, give or take {found.items**-0.5:.2f}"
    )
    hint = "policies of like strength look alike too: a family is a hint, not a proof of lineage"
    sentences(out, [f"families: {how}, joined from r {found.least:.2f} on{by_chance}", hint])
    if found.options():
        say(out, f"for compress: {shlex.join(part for line in found.options() for part in line.split(' ', 1))}")
