"""Repeats that are one run: the same traffic seed and the same content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.record_parsing import RouteRecord
from bestrand_drive.benchmarks.records import PolicyResults

SEEDED_REPEATS = {"fail2drive"}
"""Benchmarks whose launcher gives every repeat a traffic seed of its own."""


def independent(results: PolicyResults, seeds: Mapping[str, int]) -> tuple[PolicyResults, int]:
    """The results without repeats that say nothing new, and how many these were.

    Two scored records of a route are one run when they agree in all that the simulator made (status, scores,
    infractions, simulated time, length) and their traffic seeds are not known to differ. The wall time is no evidence:
    a copy has the same and a repeat of a deterministic drive another.

    Args:
        results: As read.
        seeds: Place under the results -> traffic seed, as far as is known.
    """
    if results.benchmark in SEEDED_REPEATS and not seeds:
        return results, 0
    seen: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    kept = []
    for record in results.records:
        seed = seeds.get(record.source.partition("#")[0])
        said = (seed, *_content(record))
        if record.outcome is not Outcome.INFRASTRUCTURE:
            if said in seen[record.route_id]:
                continue
            seen[record.route_id].append(said)
        kept.append(record)
    return replace(results, records=tuple(kept)), len(results.records) - len(kept)


def _content(record: RouteRecord) -> tuple[object, ...]:
    scores = (record.route_completion, record.penalty, record.driving_score)
    made = (repr(record.duration_game_s), repr(record.route_length_m))
    return (
        record.status,
        *scores,
        *made,
        tuple(sorted((kind, said) for kind, said in record.infractions.items() if said)),
    )
