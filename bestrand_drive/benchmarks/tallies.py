"""What all benchmarks count and say about a policy's results, whatever the metrics."""

from __future__ import annotations

from collections.abc import Sequence

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import PolicyResults, RouteRecord
from bestrand_drive.errors import DataRefused


def split_foreign(benchmark: Benchmark, results: PolicyResults) -> tuple[list[RouteRecord], list[str]]:
    """Records of the benchmark's routes, and the ids of routes that are not in its files.

    Raises:
        DataRefused: Most records are for other routes, and they cover less than half of the benchmark's.
    """
    known = benchmark.route_ids
    own = [record for record in results.records if record.route_id in known]
    foreign = sorted({record.route_id for record in results.records} - known, key=int)
    covered = len({record.route_id for record in own})
    if covered < len(foreign) and covered < len(known) / 2:
        raise DataRefused(
            f"{results.path}: {len(foreign)} of its {covered + len(foreign)} routes (such as {', '.join(foreign[:3])}) "
            f"are not among the {len(known)} of {benchmark.name} ({benchmark.route_set}). These are results of another "
            "route set; route ids do not carry over."
        )
    return own, foreign


def result_counts(
    benchmark: Benchmark, own: Sequence[RouteRecord], foreign: Sequence[str], unrecorded: int
) -> dict[str, int]:
    """Counts of routes and records; ``no_record`` counts items."""
    by_outcome = {outcome: sum(record.outcome is outcome for record in own) for outcome in Outcome}
    return {
        "routes": len(benchmark.route_ids),
        "records": len(own),
        "unique_routes": len({record.route_id for record in own}),
        "usable_routes": len({record.route_id for record in own if record.outcome is Outcome.SCORED}),
        "infrastructure": by_outcome[Outcome.INFRASTRUCTURE],
        "agent_crashed": by_outcome[Outcome.AGENT_CRASHED],
        "no_record": unrecorded,
        "foreign": len(foreign),
    }


def result_notes(results: PolicyResults, foreign: Sequence[str]) -> tuple[str, ...]:
    """The reader's notes, and the routes that are not in the route files."""
    if not foreign:
        return results.notes.lines()
    listed = ", ".join(foreign[:10]) + (" ..." if len(foreign) > 10 else "")
    return (*results.notes.lines(), f"{len(foreign)} routes are not in the route file and do not count: {listed}")
