"""What all driving benchmarks have in common: their description, and the table their results are turned into."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.benchmarks.routes import RouteFile

NO_RECORD = "no record"
_LONGEST_S = 1e9
"""Thirty years: what took longer was not measured."""


@dataclass(frozen=True)
class MetricDescription:
    """One number per item and policy.

    Attributes:
        name: As in tables.
        unit: Of the values and the bounds.
        low: Least possible value, None when unbounded.
        high: Greatest possible value, None when unbounded.
        higher_is_better: Direction.
        binary: A single run has only the two bounds.
        ratio: The benchmark's value is a mean over those routes only that logged the metric.
        select: The metric takes part in choosing a subset.
        note: What a reader must know of it, "" for nothing.
    """

    name: str
    unit: str
    low: float | None
    high: float | None
    higher_is_better: bool
    binary: bool
    ratio: bool
    select: bool
    note: str = ""


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark on the user's own route files.

    Attributes:
        name: ``bench2drive``, ``fail2drive`` or ``builtin``.
        route_set: Name of the known route set, or ``unknown``.
        sha256: Of the route file, or over names and hashes of a folder's files.
        findings: What is unlike the known route sets, as sentences.
        items: One row an item, in file order: item_id, members (tuple of routes), stratum, town.
        domains: Ability -> ids of the items that test it; only abilities with an item.
        metrics: What can be measured.
        run_noise: Metric -> reference standard deviation of one item's value between runs of one policy, in the
            metric's unit.
        run_noise_source: Where ``run_noise`` was measured.
        fragile: Items known to crash the simulator.
        files: The route files as read; empty for a benchmark known from a suite only.
    """

    name: str
    route_set: str
    sha256: str
    findings: tuple[str, ...]
    items: pd.DataFrame
    domains: Mapping[str, frozenset[str]]
    metrics: tuple[MetricDescription, ...]
    run_noise: Mapping[str, float]
    run_noise_source: str
    fragile: tuple[str, ...]
    files: tuple[RouteFile, ...]

    @property
    def route_ids(self) -> frozenset[str]:
        """Ids of all routes, as records name them (a Fail2Drive member ``Base_Animals_0075`` is route 75)."""
        members = (member for item in self.items["members"] for member in item)
        return frozenset(route_number(member) for member in members)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The results of one policy as a table.

    Attributes:
        values: item_id, repeat, metric, value; no NaN, each (item, repeat, metric) at most once here or in
            ``missing``.
        missing: item_id, repeat, metric, reason.
        costs: item_id, repeat, duration_s (wall time; of ``builtin`` simulated), where recorded; members are summed.
        counts: What was found: routes, records, usable, missing, foreign ...
        notes: What a reader must know, as sentences.
    """

    values: pd.DataFrame
    missing: pd.DataFrame
    costs: pd.DataFrame
    counts: Mapping[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One measured or missing value; ``reason`` is "" exactly when ``value`` is a number."""

    item_id: str
    repeat: str
    metric: str
    value: float
    reason: str = ""


def missing_cells(item_id: str, repeat: str, metrics: Iterable[str], reason: str) -> list[Cell]:
    """The same missing cell for several metrics."""
    return [Cell(item_id, repeat, metric, math.nan, reason) for metric in metrics]


def score_table(
    cells: Iterable[Cell],
    costs: Iterable[tuple[str, str, float]],
    counts: Mapping[str, int],
    notes: tuple[str, ...],
) -> ScoreTable:
    """Split cells into values and missing ones.

    Args:
        cells: Each (item, repeat, metric) once.
        costs: item_id, repeat, wall time in seconds; times that are not positive, or endless, are left out.
        counts: Kept as they are.
        notes: Kept as they are.
    """
    all_cells = list(cells)
    measured = [(c.item_id, c.repeat, c.metric, c.value) for c in all_cells if not c.reason]
    absent = [(c.item_id, c.repeat, c.metric, c.reason) for c in all_cells if c.reason]
    timed = [cost for cost in costs if 0 < cost[2] <= _LONGEST_S]
    return ScoreTable(
        pd.DataFrame(measured, columns=["item_id", "repeat", "metric", "value"]),
        pd.DataFrame(absent, columns=["item_id", "repeat", "metric", "reason"]),
        pd.DataFrame(timed, columns=["item_id", "repeat", "duration_s"]),
        dict(counts),
        notes,
    )
