"""What became of each item of a suite with one policy: scores, statuses, attempts, logs, commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.benchmarks.outcomes import SUCCESS_STATUSES
from bestrand_drive.benchmarks.records import RouteRecord
from bestrand_drive.files import printable
from bestrand_drive.reports.data import Cell, State
from bestrand_drive.reports.text import plain_text
from bestrand_drive.suite.schema import Suite, SuiteItem
from bestrand_drive.workflows.estimating.targets import Target
from bestrand_drive.workflows.reporting.run_folders import Tried, as_try
from bestrand_drive.workflows.running.until import routes_of

LOG_LETTERS = 600_000
"""Of all logs of a report together, so that it stays a file that opens at once."""
LEAST_LETTERS, MOST_LETTERS = 200, 2000
"""Of one log."""


@dataclass(frozen=True)
class Evidence:
    """One policy's results in all depth.

    Attributes:
        target: Its scores.
        records: By route number; empty for score tables.
        hours: By item, where recorded: of driving, all repeats.
        tried: Its run folder, None for other results.
    """

    target: Target
    records: Mapping[str, Sequence[RouteRecord]]
    hours: Mapping[str, float]
    tried: Tried | None


def cells_of(suite: Suite, evidence: Evidence, missing: Mapping[str, str]) -> list[Cell]:
    """One cell an item of the suite.

    Args:
        suite: The suite.
        evidence: Of the policy.
        missing: Item -> why it has no complete result.
    """
    items = {item.id: item for item in suite.items}
    rows = {item: number for number, item in enumerate(suite.item_ids)}
    scores = np.stack([evidence.target.scores.masked(n)[:, 0] for n in range(len(suite.metrics))], axis=1)
    names = [metric.name for metric in suite.metrics]
    return [
        _cell(items[item], evidence, dict(zip(names, scores[rows[item]], strict=True)), missing)
        for item in suite.chosen
    ]


def _cell(item: SuiteItem, evidence: Evidence, scores: Mapping[str, float], missing: Mapping[str, str]) -> Cell:
    routes = routes_of(item)
    records = [record for route in routes for record in evidence.records.get(route, ())]
    tried = evidence.tried
    return Cell(
        policy=evidence.target.name,
        item=item.id,
        stratum=item.stratum or "",
        state=_state(item.id, records, missing),
        status=printable(missing.get(item.id) or "; ".join(dict.fromkeys(record.status for record in records))),
        values={name: None if np.isnan(value) else float(f"{value:.9g}") for name, value in scores.items()},
        hours=evidence.hours.get(item.id),
        tries=tuple(as_try(one) for route in routes for one in tried.by_route.get(route, ())) if tried else (),
        log=_log(tried, routes),
        again=tuple(line for route in routes for line in tried.again(route)) if tried else (),
    )


def _state(item: str, records: Sequence[RouteRecord], missing: Mapping[str, str]) -> State:
    if item in missing:
        return "missing"
    if not records:
        return "measured"
    return "completed" if all(record.status in SUCCESS_STATUSES for record in records) else "failed"


def _log(tried: Tried | None, routes: tuple[str, ...]) -> str:
    attempt = tried.last_failed(routes) if tried else None
    return plain_text(tried.tail(attempt)).strip("\n") if tried and attempt else ""


def with_short_logs(cells: Iterable[Cell]) -> tuple[tuple[Cell, ...], str]:
    """The cells with logs cut to their last letters, and what to say of it ("" for nothing)."""
    whole = tuple(cells)
    logs = sum(bool(cell.log) for cell in whole)
    most = min(MOST_LETTERS, max(LEAST_LETTERS, LOG_LETTERS // max(logs, 1)))
    cut = sum(len(cell.log) > most for cell in whole)
    said = f"{cut} logs are longer than the {most} letters of their end that are shown" if cut else ""
    return tuple(replace(cell, log=_end(cell.log, most)) for cell in whole), said


def _end(log: str, most: int) -> str:
    """The last whole lines; the last letters where there is but one line."""
    end = log[-most:]
    return end if end == log else end.partition("\n")[2] or end
