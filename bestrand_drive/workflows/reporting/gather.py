"""A report's data out of a suite and the results of policies on it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.benchmark import ScoreTable
from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.benchmarks.records import PolicyResults, RouteRecord
from bestrand_drive.compression.estimation import Estimate
from bestrand_drive.compression.intervals import Interval
from bestrand_drive.files import printable
from bestrand_drive.reports.data import Cell, Ends, Hours, Line, Policy, ReportData
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.suite_folder import version_of
from bestrand_drive.workflows.estimating.estimate import MetricResult, SuiteEstimate, estimate_target
from bestrand_drive.workflows.estimating.targets import Target, read_target
from bestrand_drive.workflows.reporting.cells import Evidence, cells_of, with_short_logs
from bestrand_drive.workflows.reporting.run_folders import Tried, tried_in
from bestrand_drive.workflows.reporting.suite_facts import metrics_of, suite_facts
from bestrand_drive.workflows.running.until import routes_of


@dataclass(frozen=True)
class Source:
    """Results of one policy.

    Attributes:
        path: File or folder.
        name: Of the policy; None takes the path's or the table's.
    """

    path: Path
    name: str | None = None


def gather(
    suite: Suite,
    sources: Sequence[Source],
    *,
    level: float = 0.95,
    missing: MissingRule = "exclude",
    allow_mismatch: bool = False,
) -> ReportData:
    """Everything that a report tells.

    Args:
        suite: What the policies were run on.
        sources: Their results.
        level: Of the intervals.
        missing: What happens with missing items.
        allow_mismatch: Accept files of another benchmark's evaluator.

    Raises:
        BestrandError: As ``estimate``, of any of them.
    """
    policies: list[Policy] = []
    cells: list[Cell] = []
    for source in sources:
        target = read_target(suite, source.path, name=source.name, missing=missing, allow_mismatch=allow_mismatch)
        evidence = _evidence(target, source.path)
        found = estimate_target(suite, target, level=level, missing=missing)
        policies.append(_policy(suite, found, evidence, source.path))
        cells += cells_of(suite, evidence, found.reasons)
    short, said = with_short_logs(cells)
    return ReportData(
        suite=suite_facts(suite),
        level=level,
        metrics=metrics_of(suite),
        policies=tuple(policies),
        cells=short,
        notes=(said,) if said else (),
        version=version_of("bestrand-drive"),
    )


def _evidence(target: Target, path: Path) -> Evidence:
    """What the target was made of, not read again: a run may go on, and a page shows one state."""
    if target.results is None or target.table is None:
        return Evidence(target, {}, {}, None)
    return Evidence(target, _records(target.results), _hours(target.table), tried_in(path))


def _records(read: PolicyResults) -> dict[str, list[RouteRecord]]:
    by_route: dict[str, list[RouteRecord]] = defaultdict(list)
    for record in read.records:
        by_route[route_number(record.route_id)].append(record)
    return by_route


def _hours(table: ScoreTable) -> dict[str, float]:
    seconds = table.costs.groupby("item_id")["duration_s"].sum()
    return {str(item): round(float(total) / 3600, 6) for item, total in seconds.items()}


def _policy(suite: Suite, found: SuiteEstimate, evidence: Evidence, path: Path) -> Policy:
    return Policy(
        name=found.policy,
        source=printable(path.resolve().name),
        simulator=found.simulator,
        known=found.known,
        lines={result.name: _line(result) for result in found.results},
        present=found.suite_items - len(found.missing),
        missing=dict(found.reasons),
        missing_rule=found.missing_rule,
        hours=_cost(suite, evidence),
        warnings=(*found.warnings, *_damage(evidence.tried)),
        notes=_notes(found),
        provenance={} if evidence.tried is None else _provenance(evidence.tried),
    )


def _line(result: MetricResult) -> Line:
    line, missing = result.estimate, result.if_missing
    return Line(
        estimate=line.value,
        run=_ends(line.run),
        policy=_ends(line.policy),
        noise_source=_noise_source(line),
        estimator=line.method,
        reason=line.reason,
        full=result.full,
        if_missing=None if missing is None else Ends(*missing),
    )


def _noise_source(line: Estimate) -> str:
    return line.noise.source if line.noise is not None and line.policy is not None else ""


def _ends(interval: Interval | None) -> Ends | None:
    return None if interval is None else Ends(interval.low, interval.high)


def _cost(suite: Suite, evidence: Evidence) -> Hours:
    chosen, tried = set(suite.chosen), evidence.tried.attempts if evidence.tried else ()
    inside = math.fsum(hours for item, hours in evidence.hours.items() if item in chosen)
    others = math.fsum(hours for item, hours in evidence.hours.items() if item not in chosen)
    rest = _rest(suite, evidence)
    spans = [one.wall_s for one in tried if one.wall_s is not None]
    known = bool(chosen & set(evidence.hours))
    return Hours(
        suite=round(inside, 6) if known else None,
        others=round(others, 6) if known else None,
        attempts=round(math.fsum(spans) / 3600, 6) if spans else None,
        tried=len(tried),
        in_vain=sum(not one.counts for one in tried),
        whole=None if rest is None else round(inside + others + sum(rest), 6),
        spared=None if rest is None else round(rest[0], 6),
    )


def _rest(suite: Suite, evidence: Evidence) -> tuple[float, float] | None:
    """Predicted hours of what was not tried outside the suite, and of what else has no result; None if unknown.

    The probes' durations say how long an item is beside the others; the policy's own on the suite, how long it takes.
    """
    costs, hours = {item.id: item.cost_s for item in suite.items}, evidence.hours
    driven = [item for item in suite.chosen if item in hours]
    expected = math.fsum(costs[item] or 0.0 for item in driven)
    if None in costs.values() or expected <= 0:
        return None
    pace = math.fsum(hours[item] for item in driven) / expected
    left = {item: pace * (cost or 0.0) for item, cost in costs.items() if item not in hours}
    tried = {item.id for item in suite.items if any(route in evidence.records for route in routes_of(item))}
    gaps = math.fsum(left.pop(item) for item in {*suite.chosen, *tried} if item in left)
    return math.fsum(left.values()), gaps


def _damage(tried: Tried | None) -> tuple[str, ...]:
    return tuple(f"damaged in the run folder: {why}" for why in tried.damage) if tried else ()


def _notes(found: SuiteEstimate) -> tuple[str, ...]:
    counted = {name: count for name, count in found.counts.items() if count and name not in {"routes", "no_record"}}
    read = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counted.items())
    return (*found.notes, *((f"read: {read}",) if read else ()))


def _provenance(tried: Tried) -> dict[str, str]:
    """Of a run folder: who was evaluated, by what, on what, when."""
    info, made = tried.info, tried.attempts
    stamps = sorted(stamp for one in made for stamp in (one.started, one.ended) if stamp)
    builds = sorted({one.carla_build for one in made if one.carla_build})
    versions = sorted({one.key.carla_version for one in made})
    loads = sorted({str(one.load.servers_per_gpu) for one in made if one.load})
    told = {
        "policy": f"{info.policy.name}, {info.policy.digest}",
        "evaluator": f"{info.evaluator.adapter or 'adopted results'}, commit {info.evaluator.commit}",
        "simulator": f"{info.simulator} {', '.join(versions)}" + (f" ({', '.join(builds)})" if builds else ""),
        "hosts": ", ".join(sorted({one.host for one in made if one.host})),
        "servers a GPU": ", ".join(loads),
        "driven": f"{stamps[0]} to {stamps[-1]}" if stamps else "",
    }
    return {label: text for label, text in told.items() if text}
