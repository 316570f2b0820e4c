"""Result files of driving policies -> score matrix, for all driving benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from bestrand_drive.benchmarks.benchmark import Benchmark, ScoreTable
from bestrand_drive.benchmarks.catalog import load_rules
from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.benchmarks.penalties import check_evaluator
from bestrand_drive.benchmarks.records import PolicyResults, read_results
from bestrand_drive.compression.noise import Noise
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import printable
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.suite.schema import HarmonicMetric
from bestrand_drive.workflows.evidence.evidence import Evidence, ProbeInfo
from bestrand_drive.workflows.evidence.loads import load_notes

CRASH_LIMIT = 0.25
"""A probe with a larger share of infrastructure outcomes and agent crashes tells about the crash, not about routes."""


@dataclass(frozen=True)
class ResultSource:
    """Where the results of one policy are.

    Attributes:
        name: Of the policy.
        path: File or folder.
        licence: Of the results.
        metric_info: Folder of per-step records for comfort, or None to look beside the results.
    """

    name: str
    path: Path
    licence: str = "not stated"
    metric_info: Path | None = None


def load_benchmark(name: str, routes: Path | None, part: str = "") -> Benchmark:
    """A driving benchmark on the user's routes, or on those that come with this package.

    Args:
        name: Of the benchmark.
        routes: Route file or folder, None for the shipped ones.
        part: A named part of the routes, "" for all.

    Raises:
        UsageError: The benchmark has no routes of its own, or no such part.
        DataRefused: A route file is malformed.
    """
    kind = definition(name)
    if routes is None and kind.shipped is None:
        raise UsageError(f"--routes is needed: {name}'s route files are not shipped.")
    if part and kind.load_part is None:
        raise UsageError(f"--part {part}: {name} has no parts.")
    place = routes or (kind.shipped() if kind.shipped else Path())
    return kind.load_part(place, part) if part and kind.load_part else kind.load(place)


def read_policy(
    benchmark: Benchmark,
    source: ResultSource,
    *,
    allow_mismatch: bool,
    kept: Callable[[PolicyResults], PolicyResults] | None = None,
) -> tuple[PolicyResults, ScoreTable]:
    """Read one policy's results and turn them into a score table.

    Args:
        benchmark: Whose results they are.
        source: Where they are.
        allow_mismatch: Accept files of another benchmark's evaluator.
        kept: Which of the records count; None for all.

    Raises:
        DataRefused: Damaged or foreign files, or another benchmark's evaluator wrote them (unless allowed).
    """
    results = read_results(source.path, name=source.name, benchmark=benchmark.name)
    results = kept(results) if kept else results
    mismatch = check_evaluator(results, benchmark.name)
    if mismatch and not allow_mismatch:
        raise DataRefused(mismatch)
    table = definition(benchmark.name).scores(benchmark, results, source.metric_info)
    return results, replace(table, notes=(*table.notes, mismatch)) if mismatch else table


def driving_evidence(
    benchmark: Benchmark, sources: Sequence[ResultSource], *, allow_mismatch: bool = False
) -> Evidence:
    """Read all probes.

    Raises:
        DataRefused: A probe's files are refused, or more than a quarter of its records are crashes.
        UsageError: Two probes have one name.
    """
    names = [source.name for source in sources]
    if len(set(names)) < len(names):
        raise UsageError(f"--probe: a name is used twice ({', '.join(names)}); give every probe its own.")
    read = [read_policy(benchmark, source, allow_mismatch=allow_mismatch) for source in sources]
    for results, _ in read:
        _refuse_crashed(results)
    tables, kind = [table for _, table in read], definition(benchmark.name)
    notes = load_notes([source.path for source in sources])
    infos = tuple(
        ProbeInfo(
            source.name,
            printable(source.path.resolve().name),
            source.licence,
            table.counts,
            (*table.notes, *([note] if note else [])),
            kind.totals(benchmark, results, table, "exclude"),
        )
        for source, (results, table), note in zip(sources, read, notes, strict=True)
    )
    return Evidence(
        benchmark=benchmark.name,
        route_set=benchmark.route_set,
        source_sha256=benchmark.sha256,
        scores=_with_items(score_matrix(benchmark, dict(zip(names, tables, strict=True))), benchmark, tables),
        probes=infos,
        members=_members(benchmark),
        files=lambda chosen: kind.suite_files(benchmark, chosen),
        domain_metric=kind.domain_metric,
        harmonic=tuple(HarmonicMetric(name=name, score=a, success=b) for name, a, b in kind.harmonic),
        fragile=benchmark.fragile,
        noise={name: Noise(sd, f"borrowed: {benchmark.run_noise_source}") for name, sd in benchmark.run_noise.items()},
        ceiling=load_rules(benchmark.name).ceiling_coverage,
        findings=benchmark.findings,
    )


def _refuse_crashed(results: PolicyResults) -> None:
    if results.crash_share > CRASH_LIMIT:
        raise DataRefused(
            f"{results.path}: {results.crash_share:.0%} of {results.name}'s {len(results.records)} records are "
            f"simulator or agent crashes (limit {CRASH_LIMIT:.0%}). Such a probe ranks crashes, not routes: run it "
            "again or leave it out."
        )


def metric_specs(benchmark: Benchmark) -> tuple[MetricSpec, ...]:
    """The benchmark's metrics as specifications."""
    return tuple(
        MetricSpec(
            name=metric.name,
            low=metric.low,
            high=metric.high,
            higher_is_better=metric.higher_is_better,
            unit=metric.unit,
            binary=metric.binary,
            ratio=metric.ratio,
            select=metric.select,
        )
        for metric in benchmark.metrics
    )


def score_matrix(benchmark: Benchmark, tables: Mapping[str, ScoreTable]) -> ScoreMatrix:
    """Lay score tables out on the benchmark's items; metrics that nobody measured are left out.

    Args:
        benchmark: Gives items and metrics.
        tables: One a policy, by name.
    """
    measured = {metric for table in tables.values() for metric in table.values["metric"].unique()}
    specs = [spec for spec in metric_specs(benchmark) if spec.name in measured or not tables]
    items = [str(item) for item in benchmark.items["item_id"]]
    if not measured:
        empty = np.full((len(items), len(tables), len(specs)), np.nan)
        return ScoreMatrix.from_arrays(empty, items=items, policies=list(tables), metrics=specs)
    frame = pd.concat([table.values.assign(model=name) for name, table in tables.items()], ignore_index=True)
    matrix = ScoreMatrix.from_frame(frame, specs={spec.name: spec for spec in specs}, source=benchmark.name)
    return matrix.relabelled(items, specs).with_policies([name for name in tables if name in matrix.policies])


def _with_items(matrix: ScoreMatrix, benchmark: Benchmark, tables: Sequence[ScoreTable]) -> ScoreMatrix:
    """Attach strata, domains and durations."""
    ids = matrix.items
    return replace(
        matrix,
        strata=tuple(str(label) for label in benchmark.items["stratum"]),
        domains={
            name: torch.tensor([item in inside for item in ids], dtype=torch.bool)
            for name, inside in benchmark.domains.items()
        },
        cost_s=_costs(ids, tables),
    )


def _costs(items: Sequence[str], tables: Sequence[ScoreTable]) -> Tensor | None:
    """Seconds [item, policy], mean over repeats, NaN where not recorded; None when nobody recorded any."""
    columns = [table.costs.groupby("item_id")["duration_s"].mean().reindex(list(items)) for table in tables]
    if not columns or all(column.isna().all() for column in columns):
        return None
    return torch.tensor(np.column_stack([column.to_numpy(dtype=np.float64) for column in columns]))


def _members(benchmark: Benchmark) -> tuple[tuple[str, ...], ...]:
    """Routes of each item; empty for an item that is one route."""
    return tuple(tuple(members) if len(members) > 1 else () for members in benchmark.items["members"])
