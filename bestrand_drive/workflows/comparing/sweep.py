"""Many policies on one suite, such as the checkpoints of a training run: who leads, and whether that says anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.comparison.lines import Pair, metric_differences, side_values
from bestrand_drive.compression.comparison.results import MetricDifference
from bestrand_drive.compression.comparison.simultaneous import drawn_back, joint_level
from bestrand_drive.compression.intervals import Interval
from bestrand_drive.compression.policy_estimates import Population
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.again import disjoint_command
from bestrand_drive.workflows.comparing.compare import (
    counted_uses,
    notes_of,
    paired_scores,
    read_entries,
    suite_cautions,
)
from bestrand_drive.workflows.comparing.pairing import pairing
from bestrand_drive.workflows.comparing.reading import Contestant, entry_cautions
from bestrand_drive.workflows.comparing.request import CompareRequest
from bestrand_drive.workflows.estimating.knowledge import population_of


@dataclass(frozen=True)
class Rival:
    """Two policies of a sweep: the second minus the first.

    Attributes:
        first: Name.
        second: Name.
        line: The comparison of the two by itself.
        together: Interval that holds together with those of all other pairs; None without an interval.
    """

    first: str
    second: str
    line: MetricDifference
    together: Interval | None


@dataclass(frozen=True)
class SweepMetric:
    """One metric of a sweep.

    Attributes:
        name: Of the metric.
        unit: In words.
        higher_is_better: Direction.
        estimates: Policy -> estimate from the common items, metric units.
        leader: The best of these.
        drawn_back: Policy -> estimate drawn to the mean of all; None for fewer than four policies.
        rivals: All pairs.
        each_level: Level of each pair's own interval at which all hold together.
    """

    name: str
    unit: str
    higher_is_better: bool
    estimates: Mapping[str, float]
    leader: str
    drawn_back: Mapping[str, float] | None
    rivals: tuple[Rival, ...]
    each_level: float

    def against_leader(self, policy: str) -> tuple[float, Interval | None]:
        """Policy minus leader, and its interval that holds together with all others."""
        for rival in self.rivals:
            if {rival.first, rival.second} == {policy, self.leader}:
                sign = 1.0 if rival.second == policy else -1.0
                ends = [] if rival.together is None else sorted((sign * rival.together.low, sign * rival.together.high))
                return sign * (rival.line.difference or 0.0), Interval(*ends) if ends else None
        raise UsageError(f"{policy}: no other policy of this sweep; it has {', '.join(self.estimates)}.")

    def level_with_leader(self) -> tuple[str, ...]:
        """Policies that cannot be told from the leader."""
        others = [name for name in self.estimates if name != self.leader]
        ends = {name: self.against_leader(name)[1] for name in others}
        return tuple(name for name, end in ends.items() if end is None or end.low <= 0 <= end.high)


@dataclass(frozen=True)
class Sweep:
    """Many policies compared.

    Attributes:
        benchmark: Of the suite.
        suite_digest: ``Suite.choice_digest``.
        suite_items: k.
        all_items: N.
        policies: Names, as given.
        metrics: One line a metric.
        level: That all intervals of a metric hold together.
        paired: Ids of the items that all have.
        left_out: Chosen items that do not count -> why.
        missing_rule: As in ``Comparison``.
        missing: Policy -> how many items of the compared part have no result.
        uses: As in ``Comparison``.
        again: Command that makes a suite without these items, on which the winner is to be run again; "" where too few
            items are left.
        cautions: What the reader must know before using the numbers.
        notes: What else is to be said.
    """

    benchmark: str
    suite_digest: str
    suite_items: int
    all_items: int
    policies: tuple[str, ...]
    metrics: tuple[SweepMetric, ...]
    level: float
    paired: tuple[str, ...]
    left_out: Mapping[str, str]
    missing_rule: MissingRule | None
    missing: Mapping[str, int]
    uses: int | None
    again: str
    cautions: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def incomplete(self) -> bool:
        """Whether items are missing and nothing was said of them (exit code 6)."""
        return self.missing_rule is None and any(self.missing.values())


def sweep(
    suite: Suite, contestants: Sequence[Contestant], request: CompareRequest, ledger: Path | None = None
) -> Sweep:
    """Compare many policies.

    Args:
        suite: What all were run on.
        contestants: Two or more.
        request: How; without metrics the suite's first one is reported.
        ledger: As in ``compare``.

    Raises:
        BestrandError: As ``compare``; two policies have one name.
    """
    request.check(suite)
    if len(contestants) < 2:
        raise UsageError("--many: give two policies or more.")
    entries = read_entries(suite, contestants, request)
    names = [one.target.name for one in entries]
    if len(set(names)) < len(names):
        raise UsageError(f"--many {', '.join(names)}: two policies have one name; rename a folder.")
    pairs = pairing(suite, [one.target for one in entries])
    items, scores = paired_scores(suite, entries, pairs, request)
    wanted = request.metrics or (suite.metrics[0].name,)
    found = _metrics(suite, dict(zip(names, scores, strict=True)), wanted, request.level)
    uses, trouble = counted_uses(ledger, suite, entries)
    return Sweep(
        benchmark=suite.benchmark,
        suite_digest=suite.choice_digest(),
        suite_items=suite.k,
        all_items=suite.n,
        policies=tuple(names),
        metrics=found,
        level=request.level,
        paired=items,
        left_out=pairs.left_out(suite, names),
        missing_rule=request.missing,
        missing={name: len(gone) for name, gone in zip(names, pairs.missing, strict=True)},
        uses=uses,
        again=disjoint_command(suite, ledger),
        cautions=(*trouble, *entry_cautions(suite, entries), *suite_cautions(suite, uses, pairs)),
        notes=notes_of(entries),
    )


def _metrics(
    suite: Suite, scores: Mapping[str, ScoreMatrix], wanted: Sequence[str], level: float
) -> tuple[SweepMetric, ...]:
    population, needed = _needed(suite, population_of(suite), wanted)
    kept = {name: one.with_metrics(needed) for name, one in scores.items()}
    pairs = {
        (first, second): Pair(kept[first], kept[second], population, level) for first, second in combinations(kept, 2)
    }
    lines = {key: metric_differences(pair) for key, pair in pairs.items()}
    return tuple(_metric(name, pairs, lines, level, suite.choice.seed) for name in wanted)


def _needed(suite: Suite, population: Population, wanted: Sequence[str]) -> tuple[Population, list[str]]:
    """The population with the wanted lines only, and the metrics that these are made of."""
    harmonic = [rule for rule in population.harmonic if rule.name in wanted]
    domains = [domain for domain in population.domains if domain.name in wanted]
    names = {*wanted, *(part for rule in harmonic for part in (rule.score, rule.success))}
    names |= {domain.metric for domain in domains}
    needed = [metric.name for metric in suite.metrics if metric.name in names]
    return replace(population, harmonic=harmonic, domains=domains), needed


def _metric(
    name: str,
    pairs: Mapping[tuple[str, str], Pair],
    lines: Mapping[tuple[str, str], Mapping[str, MetricDifference]],
    level: float,
    seed: int,
) -> SweepMetric:
    first = next(iter(pairs))[0]
    line = next(iter(lines.values()))[name]
    own = {key: found[name] for key, found in lines.items()}
    if any(one.paired is None for one in own.values()):
        reason = next(one.reason for one in own.values() if one.paired is None)
        raise UsageError(f"--metric {name}: {reason}.")
    sides = {second: side_values(pair, name) for (one, second), pair in pairs.items() if one == first}
    frame, leading = next(iter(sides.values()))[:2]
    values = np.stack([leading, *(side[2] for side in sides.values())], axis=1)
    strata = frame.sample.strata[frame.estimator.used]
    least = min(one.paired.df for one in own.values() if one.paired)
    each = joint_level(values, strata, least, level, seed)
    estimates = {key[0]: one.baseline for key, one in own.items()} | {key[1]: one.candidate for key, one in own.items()}
    known = {policy: value for policy, value in estimates.items() if value is not None}
    error = float(np.mean([one.paired.variance for one in own.values() if one.paired])) / 2
    back = drawn_back(list(known.values()), error)
    best = max(known, key=lambda policy: known[policy] if line.higher_is_better else -known[policy])
    return SweepMetric(
        name=name,
        unit=line.unit,
        higher_is_better=line.higher_is_better,
        estimates=known,
        leader=best,
        drawn_back=None if back is None else dict(zip(known, back, strict=True)),
        rivals=tuple(Rival(*key, one, one.paired.interval(each) if one.paired else None) for key, one in own.items()),
        each_level=each,
    )
