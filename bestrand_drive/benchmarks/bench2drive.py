"""Bench2Drive: its route file as items, its records as scores, its own totals (rules in ``bench2drive_rules``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import Literal

import pandas as pd

from bestrand_drive.benchmarks.abilities import TRAFFIC_SIGNS_NOTE, ability_domains
from bestrand_drive.benchmarks.bench2drive_rules import RECORD_METRICS, measure
from bestrand_drive.benchmarks.benchmark import NO_RECORD, Benchmark, Cell, ScoreTable, missing_cells, score_table
from bestrand_drive.benchmarks.catalog import Identification, identify, load_rules
from bestrand_drive.benchmarks.comfort import ComfortFiles
from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import PolicyResults, RouteRecord
from bestrand_drive.benchmarks.routes import RouteElement, RouteFile, read_route_file, subset_xml
from bestrand_drive.benchmarks.tallies import result_counts, result_notes, split_foreign
from bestrand_drive.errors import DataRefused

NAME = "bench2drive"
_NO_COMFORT_NOTE = "comfort is not measured: no metric_info.json (the agent's per-step record) was found"
_COMFORT_NOTE = "comfort is computed by Bench2Drive's rule, but not validated on real files"


def load(path: Path) -> Benchmark:
    """Read a Bench2Drive route file.

    Args:
        path: The route file; ``items`` has one row a route, the stratum is the type of its first scenario.

    Raises:
        DataRefused: The file is malformed, or a route has no scenario (the evaluator would crash on it).
    """
    file = read_route_file(path)
    return described(NAME, file, identify((file,), NAME))


def described(name: str, file: RouteFile, known: Identification) -> Benchmark:
    """A benchmark of Bench2Drive's kind on a route file.

    Args:
        name: Whose rules hold.
        file: The routes.
        known: Which known route set they are.

    Raises:
        DataRefused: A route has no scenario.
    """
    types = {route.id: _first_type(route, file) for route in file.routes}
    rules = load_rules(name)
    domains, findings = ability_domains(types, rules.abilities)
    fragile = known.nearest.fragile if known.nearest else {}
    return Benchmark(
        name=name,
        route_set=known.name,
        sha256=file.sha256,
        findings=known.findings + findings,
        items=pd.DataFrame(
            [(route.id, (route.id,), types[route.id], route.town) for route in file.routes],
            columns=["item_id", "members", "stratum", "town"],
        ),
        domains=domains,
        metrics=rules.descriptions(),
        run_noise=rules.run_noise,
        run_noise_source=rules.run_noise_source,
        fragile=tuple(route.id for route in file.routes if route.id in fragile and route.id in known.unchanged),
        files=(file,),
    )


def _first_type(route: RouteElement, file: RouteFile) -> str:
    if not route.scenario_types or not route.scenario_types[0]:
        raise DataRefused(
            f"{file.path}, line {route.line}: route {route.id} has no scenario type; "
            "Bench2Drive's evaluator crashes on such a route. Is this a Fail2Drive file?"
        )
    return route.scenario_types[0]


def route_files(benchmark: Benchmark, item_ids: Collection[str]) -> dict[str, bytes]:
    """The reduced route file, as name -> content.

    Raises:
        DataRefused: An id is not in the route file.
    """
    return {"routes.xml": subset_xml(benchmark.files[0], item_ids)}


def suite_files(benchmark: Benchmark, item_ids: Collection[str]) -> dict[str, bytes]:
    """The reduced route file, and the evaluator's ``--routes-subset`` string: ids in file order, joined by commas."""
    wanted = set(item_ids)
    ids = [item for item in benchmark.items["item_id"] if item in wanted]
    return route_files(benchmark, item_ids) | {"routes-subset.txt": (",".join(ids) + "\n").encode()}


def scores(
    benchmark: Benchmark,
    results: PolicyResults,
    metric_info: Path | None = None,
    notes: tuple[str, ...] = (TRAFFIC_SIGNS_NOTE,),
    *,
    duration_s: Callable[[RouteRecord], float] = attrgetter("duration_system_s"),
) -> ScoreTable:
    """The results of one policy as a score table.

    Args:
        benchmark: From ``load``.
        results: The policy's records.
        metric_info: Folder with ``<save_name>/metric_info.json`` files for comfort; None looks under the results.
        notes: What is to be said whatever the results.
        duration_s: What a route costs, seconds.

    Raises:
        DataRefused: No result is for a route of the file, or a ``metric_info.json`` is malformed.
    """
    own, foreign = split_foreign(benchmark, results)
    comfort = ComfortFiles.find(results.path, metric_info)
    metrics = (*RECORD_METRICS, "comfort") if comfort else RECORD_METRICS
    cells = [cell for record in own for cell in _cells(record, metrics, comfort)]
    recorded = {record.route_id for record in own}
    absent = [item for item in benchmark.items["item_id"] if item not in recorded]
    for item in absent:
        cells += missing_cells(item, results.repeats[0], metrics, NO_RECORD)
    return score_table(
        cells,
        [(r.route_id, r.repeat, duration_s(r)) for r in own if r.outcome is not Outcome.INFRASTRUCTURE],
        result_counts(benchmark, own, foreign, len(absent)),
        (*result_notes(results, foreign), *notes, _COMFORT_NOTE if comfort else _NO_COMFORT_NOTE),
    )


def _cells(record: RouteRecord, metrics: Iterable[str], comfort: ComfortFiles | None) -> Iterator[Cell]:
    if record.outcome is Outcome.INFRASTRUCTURE:
        yield from missing_cells(record.route_id, record.repeat, metrics, record.reason)
        return
    for metric, value in measure(record).items():
        reason = "no speed checkpoint" if math.isnan(value) else ""
        yield Cell(record.route_id, record.repeat, metric, value, reason)
    if comfort:
        percent, reason = comfort.percent(record.save_name, record.repeat)
        yield Cell(record.route_id, record.repeat, "comfort", percent, reason)


def totals(
    benchmark: Benchmark, results: PolicyResults, table: ScoreTable, missing: Literal["zero", "exclude"]
) -> dict[str, float]:
    """The official totals by the rule for missing routes, and comfort where it was measured."""
    found = official(results, benchmark, missing=missing)
    if missing == "zero":  # abilities too; the official script leaves routes without a record out of them
        won = _per_route(split_foreign(benchmark, results)[0])["success"]
        found |= _abilities(won.reindex(benchmark.items["item_id"], fill_value=0.0), benchmark.domains)
    comfort = table.values.loc[table.values["metric"] == "comfort", "value"]
    return found | ({"comfort": float(comfort.mean())} if len(comfort) else {})


def official(
    results: PolicyResults, benchmark: Benchmark, missing: Literal["zero", "exclude"] = "zero"
) -> dict[str, float]:
    """The benchmark's own totals.

    Args:
        results: The policy's records; repeats of a route are averaged first.
        benchmark: From ``load``.
        missing: ``zero`` divides by all routes of the file, as Bench2Drive does; ``exclude`` by the measured ones.

    Returns:
        driving_score, success and route_completion; efficiency over the routes that logged it;
        ``ability_*`` in percent over the routes with a record (``zero`` counts infrastructure failures as
        failures, as the official script does) and ``ability_mean`` when all five are there. A total of nothing
        is absent.

    Raises:
        DataRefused: No result is for a route of the file.
    """
    own, _ = split_foreign(benchmark, results)
    routes = _per_route(own)
    if missing == "zero":
        totals = {name: float(routes[name].sum()) / len(benchmark.items) for name in RECORD_METRICS}
        success = routes["success"].reindex(sorted({record.route_id for record in own}), fill_value=0.0)
    else:
        totals = {name: float(routes[name].mean()) for name in RECORD_METRICS}
        success = routes["success"]
    totals["efficiency"] = float(routes["efficiency"].mean())
    totals |= _abilities(success, benchmark.domains)
    return {name: value for name, value in totals.items() if not math.isnan(value)}


def _per_route(records: Iterable[RouteRecord]) -> pd.DataFrame:
    """Metrics of each measured route, repeats averaged: index item_id, one column a metric."""
    rows = [
        {"item_id": record.route_id, **measure(record)}
        for record in records
        if record.outcome is not Outcome.INFRASTRUCTURE
    ]
    frame = pd.DataFrame(rows, columns=["item_id", *RECORD_METRICS])
    return frame.astype(dict.fromkeys(RECORD_METRICS, float)).groupby("item_id").mean()


def _abilities(success: pd.Series[float], domains: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """Success share of each ability over the routes that are given, in percent."""
    shares = {}
    for ability, items in domains.items():
        inside = success[success.index.isin(items)]
        if len(inside):
            shares[ability] = float(inside.mean())
    if len(shares) == 5:
        shares["ability_mean"] = fmean(shares.values())
    return shares
