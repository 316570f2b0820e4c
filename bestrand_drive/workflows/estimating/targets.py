"""A target's results on a suite, whatever the benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd

from bestrand_drive.benchmarks.benchmark import NO_RECORD, Benchmark, ScoreTable
from bestrand_drive.benchmarks.catalog import load_rules
from bestrand_drive.benchmarks.definitions import MissingRule, definition
from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.benchmarks.records import PolicyResults
from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.files import printable
from bestrand_drive.scores.frames import ITEM_COLUMNS
from bestrand_drive.scores.groups import fold_groups
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec, inside_bounds
from bestrand_drive.scores.tables import read_table
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.evidence.driving import ResultSource, read_policy, score_matrix
from bestrand_drive.workflows.evidence.loads import loads_in
from bestrand_drive.workflows.evidence.tried import tried_in_vain
from bestrand_drive.workflows.importing.target_logs import joined_frame

TABLE = "scores"
"""Benchmark name of suites made from score tables."""


@dataclass(frozen=True)
class Target:
    """One policy's scores laid out on a suite's benchmark.

    Attributes:
        name: Of the policy.
        simulator: ``carla``, ``headless``, ``mixed`` or ``unknown``.
        scores: One policy on all N items; metrics of the suite in its order, invalid where not measured.
        reasons: Item id -> why it has no score, for items with a reason on record.
        notes: What a reader must know, as sentences.
        counts: What the reader counted.
        official: Totals over everything measured by the benchmark's own rule; empty when it has none.
        loads: Servers that shared a GPU -> results of a run folder that were made so; empty for other results.
        results: Of a driving benchmark, all records as they were read; None for score tables.
        table: The same as a table; None for score tables.
    """

    name: str
    simulator: str
    scores: ScoreMatrix
    reasons: dict[str, str]
    notes: tuple[str, ...]
    counts: dict[str, int]
    official: dict[str, float]
    loads: dict[int, int] = field(default_factory=dict)
    results: PolicyResults | None = field(default=None, repr=False)
    table: ScoreTable | None = field(default=None, repr=False)


def suite_specs(suite: Suite) -> list[MetricSpec]:
    """The suite's metrics as specifications."""
    return [
        MetricSpec(
            name=metric.name,
            low=metric.low,
            high=metric.high,
            higher_is_better=metric.higher_is_better,
            unit=metric.unit,
            binary=metric.binary,
            ratio=metric.ratio,
        )
        for metric in suite.metrics
    ]


def read_target(
    suite: Suite,
    results: Path,
    *,
    name: str | None,
    missing: MissingRule = "exclude",
    metric_info: Path | None = None,
    allow_mismatch: bool = False,
    kept: Callable[[PolicyResults], PolicyResults] | None = None,
) -> Target:
    """Read a target's results.

    Args:
        suite: What it was run on.
        results: Result file or folder; for ``scores`` suites a table.
        name: Of the policy; None takes the file's or the only model's name.
        missing: What the totals over everything measured do with missing routes.
        metric_info: Folder of per-step records for comfort, or None.
        allow_mismatch: Accept files of another benchmark's evaluator.
        kept: Which of the records count; None for all.

    Raises:
        DataRefused: The files are damaged, foreign, or hold none of the benchmark's items.
        UsageError: The table holds several models and none was named, or an unknown rule for missing items.
    """
    if missing not in get_args(MissingRule):
        raise UsageError(f"--missing {missing}: known are {choices(missing, get_args(MissingRule))}")
    if suite.benchmark == TABLE:
        return _table_target(suite, results, name)
    if metric_info is not None and "comfort" not in {metric.name for metric in suite.metrics}:
        raise UsageError("--metric-info: this suite has no comfort; its probes had no per-step records.")
    benchmark = benchmark_of(suite)
    source = ResultSource(name or policy_name(results), results, metric_info=metric_info)
    read, table = read_policy(benchmark, source, allow_mismatch=allow_mismatch, kept=kept)
    matrix = score_matrix(benchmark, {source.name: table})
    return Target(
        name=source.name,
        simulator=read.simulator,
        scores=_placed(matrix, suite, source.name, results),
        reasons=_reasons(table, benchmark, results),
        notes=table.notes,
        counts=dict(table.counts),
        official=definition(benchmark.name).totals(benchmark, read, table, missing),
        loads=loads_in(results),
        results=read,
        table=table,
    )


def nothing_measured(suite: Suite) -> Target:
    """Of a policy that has no result yet."""
    specs = suite_specs(suite)
    empty = np.full((suite.n, 1, len(specs)), np.nan)
    scores = ScoreMatrix.from_arrays(empty, items=suite.item_ids, policies=["-"], metrics=specs)
    return Target("-", UNKNOWN_SIMULATOR, scores, {}, (), {}, {})


def policy_name(results: Path) -> str:
    """What to call a policy after its results: a folder's whole name, a file's name without .json."""
    name = printable(results.resolve().name)
    return name.removesuffix(".json") if results.is_file() else name


def benchmark_of(suite: Suite) -> Benchmark:
    """The benchmark as the suite knows it, so that no route file is needed."""
    rules = load_rules(suite.benchmark)
    rows = [(item.id, tuple(item.members) or (item.id,), item.stratum or "", "") for item in suite.items]
    return Benchmark(
        name=suite.benchmark,
        route_set=suite.route_set,
        sha256=suite.source_sha256,
        findings=(),
        items=pd.DataFrame(rows, columns=["item_id", "members", "stratum", "town"]),
        domains={domain.name: frozenset(domain.items) for domain in suite.domains},
        metrics=rules.descriptions(),
        run_noise=rules.run_noise,
        run_noise_source=rules.run_noise_source,
        fragile=(),
        files=(),
    )


def _reasons(table: ScoreTable, benchmark: Benchmark, results: Path) -> dict[str, str]:
    grouped = table.missing.groupby("item_id", sort=False)["reason"].first()
    reasons = {str(item): str(reason) for item, reason in grouped.items()}
    in_vain = tried_in_vain(results)
    for item, members in zip(benchmark.items["item_id"], benchmark.items["members"], strict=True):
        routes = [route_number(member) for member in members]
        said = next((in_vain[route] for route in routes if route in in_vain), None)
        if said and reasons.get(item) == NO_RECORD:
            reasons[item] = said
    return reasons


def _table_target(suite: Suite, path: Path, name: str | None) -> Target:
    frame, said = joined_frame(suite, path) or (read_table(path), ())
    if "value" not in frame.columns and name is not None:
        frame = _one_column(frame, name, path)
    if "metric" not in frame.columns and len(suite.metrics) > 1:
        names = ", ".join(metric.name for metric in suite.metrics)
        raise DataRefused(
            f"{path}: the suite has several metrics ({names}); give a long table (item_id, model, metric, value)."
        )
    matrix = ScoreMatrix.from_frame(
        frame,
        metric=suite.metrics[0].name,
        specs={spec.name: spec for spec in suite_specs(suite)},
        source=str(path),
    )
    if name is None and len(matrix.policies) > 1:
        raise UsageError(
            f"{path} holds {len(matrix.policies)} models; name one, such as {matrix.policies[0]!r}: estimate takes "
            "--policy NAME, report NAME=PATH, compare and gate --scores TABLE and names."
        )
    chosen = name or matrix.policies[0]
    matrix = matrix.with_policies([chosen])
    groups = {member: item.id for item in suite.items for member in item.members}
    notes = (*said, *_unknown_items(matrix, set(groups) or set(suite.item_ids)))
    if groups:
        matrix = _fold(matrix, groups, path)
    placed = _placed(matrix, suite, chosen, path)
    _refuse_out_of_bounds(placed, path)
    return Target(chosen, UNKNOWN_SIMULATOR, placed, {}, notes, {}, {})


def _one_column(frame: pd.DataFrame, name: str, path: Path) -> pd.DataFrame:
    item = next((column for column in ITEM_COLUMNS if column in frame.columns), None)
    if item is None or name not in frame.columns:
        listed = ", ".join(str(column) for column in frame.columns[:8])
        raise UsageError(f"{path}: no model {name!r} with an item_id column beside it; columns are {listed}.")
    return frame[[item, name]]


def _fold(matrix: ScoreMatrix, groups: dict[str, str], path: Path) -> ScoreMatrix:
    """Fold members into their groups; a group counts as measured only when all its members are."""
    if not set(matrix.items) & set(groups):
        raise DataRefused(f"{path}: none of its items is in the suite's benchmark.")
    inside = matrix.relabelled(list(groups), matrix.metrics)
    return fold_groups(inside, tuple(groups.values()), whole=True)[0]


def _placed(matrix: ScoreMatrix, suite: Suite, name: str, path: Path) -> ScoreMatrix:
    """Lay the scores out on the suite's items and metrics.

    Raises:
        DataRefused: Nothing of the suite was measured.
    """
    placed = matrix.relabelled(suite.item_ids, suite_specs(suite))
    if not bool(placed.valid.any()):
        metrics = ", ".join(metric.name for metric in suite.metrics)
        raise DataRefused(
            f"{path}: {name} has no score on any item of this suite's benchmark ({suite.route_set}, metrics "
            f"{metrics}). Are these the results of another benchmark?"
        )
    return placed


def _refuse_out_of_bounds(scores: ScoreMatrix, path: Path) -> None:
    for number, spec in enumerate(scores.metrics):
        column = scores.masked(number)[:, 0]
        outside = np.flatnonzero(~np.isnan(column) & ~inside_bounds(column, spec.low, spec.high))
        if outside.size:
            first = int(outside[0])
            raise DataRefused(
                f"{path}: item {scores.items[first]!r} has {spec.name} {column[first]:g}, outside the suite's bounds "
                f"[{spec.low}, {spec.high}]. Is it on another scale?"
            )


def _unknown_items(matrix: ScoreMatrix, known: set[str]) -> tuple[str, ...]:
    foreign = sorted(set(matrix.items) - known)
    if not foreign:
        return ()
    return (f"{len(foreign)} items are not in the suite's benchmark and do not count: {', '.join(foreign[:5])}",)
