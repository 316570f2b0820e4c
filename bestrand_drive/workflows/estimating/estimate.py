"""Estimate: a target's full score from its results on a suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.estimation import Bound, Estimate
from bestrand_drive.compression.policy_estimates import policy_estimates
from bestrand_drive.compression.stopping.rule import Decision
from bestrand_drive.errors import Incomplete, UsageError, choices
from bestrand_drive.suite.schema import Suite, SuiteProbe
from bestrand_drive.workflows.estimating.cautions import cautions
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers, item_weights, population_of
from bestrand_drive.workflows.estimating.missing import (
    missing_items,
    only_chosen,
    unboundable,
    whole_items,
    with_filled,
)
from bestrand_drive.workflows.estimating.targets import Target
from bestrand_drive.workflows.evidence.digests import distinct_values, score_digest
from bestrand_drive.workflows.evidence.probe_models import whole_values

FULL_SHARE = 0.9
"""Share of all items that must be measured for the target's own full value to be shown."""
UNMISTAKABLE = 20
"""Distinct values off the bounds at which equal scores on a suite cannot be a coincidence."""
NEAR = 1.5
"""Factor in suite size up to which a measured coverage at a bound still speaks."""

KNOWN = "known"
"""Method of a line that repeats a probe's known score."""


@dataclass(frozen=True)
class MetricResult:
    """One line of an estimate.

    Attributes:
        name: Of the metric.
        unit: In words.
        estimate: The number and its intervals.
        full: The target's own value over everything it measured, when that is (nearly) the whole benchmark.
        if_missing: Estimates with all missing items at their worst and at their best; None when nothing is missing or
            the metric has no such bounds.
    """

    name: str
    unit: str
    estimate: Estimate
    full: float | None
    if_missing: tuple[float, float] | None


@dataclass(frozen=True)
class SuiteEstimate:
    """All estimates of one policy.

    Attributes:
        policy: Name.
        simulator: What simulated it.
        results: One a metric.
        suite_items: k.
        all_items: N.
        measured_items: How many of all N items have a score.
        missing: Chosen items without a complete result, suite order.
        missing_rule: What was done with them.
        reasons: Why they are missing.
        warnings: What the reader must know before using the numbers.
        counts: What was counted while reading.
        notes: What else the reader says.
        until: Whether a part of the results would have been enough, when that was asked.
        loads: See ``Target``.
    """

    policy: str
    simulator: str
    results: tuple[MetricResult, ...]
    suite_items: int
    all_items: int
    measured_items: int
    missing: tuple[str, ...]
    missing_rule: MissingRule
    reasons: dict[str, str]
    warnings: tuple[str, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    until: Decision | None = None
    loads: Mapping[int, int] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether the target is a probe, so that nothing had to be estimated."""
        return any(result.estimate.method == KNOWN for result in self.results)

    def __getitem__(self, name: str) -> MetricResult:
        """The line of one metric.

        Raises:
            UsageError: Unknown name; the message lists the known ones.
        """
        for result in self.results:
            if result.name == name:
                return result
        raise UsageError(f"No metric {name!r} in this estimate; it has {choices(name, [r.name for r in self.results])}")


def estimate_target(
    suite: Suite, target: Target, *, level: float = 0.95, missing: MissingRule = "exclude", family: str | None = None
) -> SuiteEstimate:
    """Estimate every metric of the suite for one target.

    Args:
        suite: The suite the target was run on.
        target: Its results.
        level: Of the intervals, from 0.5 to below 1.
        missing: ``zero`` scores missing items as the benchmark's official number does; ``exclude`` estimates from the
            measured ones.
        family: The target's family, to warn when a probe belongs to it.

    Raises:
        Incomplete: No chosen item was measured.
        UsageError: The level is out of range, the family is unknown, or ``zero`` has no meaning for a metric.
    """
    if not 0.5 <= level < 1:
        raise UsageError(f"--level {level}: give the confidence of the intervals, from 0.5 to below 1, such as 0.95.")
    if family is not None and family not in suite.families:
        known = ", ".join(suite.families) or "none"
        raise UsageError(f"--family {family}: the suite knows no such family; known: {known}.")
    absent = missing_items(target, suite)
    _check_measured(suite, target, absent, missing)
    worst, best = (with_filled(target, absent, suite, best=side) for side in (False, True))
    lines = _lines(suite, worst if missing == "zero" else target, level)
    same = _same_as(suite, target)
    twin = same if same and _unmistakable(suite, target, same) else None
    if twin is not None:
        lines = {name: _known(line, twin, name) for name, line in lines.items()}
    low, high = (_lines(suite, side, level) if absent and twin is None else {} for side in (worst, best))
    full = _full_values(suite, target)
    return SuiteEstimate(
        policy=target.name,
        simulator=target.simulator,
        results=tuple(
            MetricResult(name, _unit(suite, name), line, full.get(name), _range(suite, name, line, low, high))
            for name, line in lines.items()
        ),
        suite_items=suite.k,
        all_items=suite.n,
        measured_items=int(target.scores.valid.any(dim=2).sum()),
        missing=tuple(absent),
        missing_rule=missing,
        reasons={item: target.reasons.get(item, "no result") for item in absent},
        warnings=tuple(cautions(suite, target, same, twin, family)),
        counts=target.counts,
        notes=target.notes,
        loads=target.loads,
    )


def _check_measured(suite: Suite, target: Target, absent: list[str], missing: MissingRule) -> None:
    if not bool(only_chosen(target, suite).valid.any()):
        why = sorted({target.reasons[item] for item in suite.chosen if item in target.reasons})
        said = f" ({'; '.join(why[:3])})" if why else ""
        raise Incomplete(f"{target.name}: none of the suite's {suite.k} items has a usable result{said}; run it first.")
    metrics = unboundable(target, suite) if absent and missing == "zero" else []
    if metrics:
        raise UsageError(
            f"--missing zero: no worst value is known for {', '.join(metrics)}; state it when the suite is made "
            "(compress scores --bounds NAME=LOW:HIGH), or use --missing exclude."
        )


def _lines(suite: Suite, target: Target, level: float) -> dict[str, Estimate]:
    lines = policy_estimates(whole_items(target, suite), population_of(suite), level)
    return {name: _with_coverage(suite, name, line) for name, line in lines.items()}


def _with_coverage(suite: Suite, name: str, line: Estimate) -> Estimate:
    """At a bound, say what the interval was measured to be worth there, not its nominal level."""
    if line.at_bound is None:
        return line
    cases = suite.ceiling.get(name, {}) if line.at_bound is Bound.BEST else {}
    near = [k for k in cases if suite.k / NEAR <= k <= suite.k * NEAR]
    said = "how often its interval holds there was not measured"
    if near:
        k = min(near, key=lambda size: abs(size - suite.k))
        held, count = cases[k]
        said = f"in replays of real policies at k = {k} without a failure the 95 % interval held in {held} of {count}"
    reason = f"{line.at_bound.value} in the suite: {said}"
    return replace(line, reason="; ".join(part for part in (reason, line.reason) if part))


def _same_as(suite: Suite, target: Target) -> SuiteProbe | None:
    """The probe whose scores on the chosen items are exactly the target's, or None."""
    digest = score_digest(target.scores, torch.from_numpy(chosen_numbers(suite)))
    return next((probe for probe in suite.probes if probe.digest == digest), None)


def _unmistakable(suite: Suite, target: Target, probe: SuiteProbe) -> bool:
    """Whether equal scores on the suite mean the same policy: equal everywhere, or on values that nobody else has."""
    if score_digest(target.scores, torch.arange(suite.n)) == probe.full_digest:
        return True
    return distinct_values(target.scores, torch.from_numpy(chosen_numbers(suite))) >= UNMISTAKABLE


def _known(line: Estimate, twin: SuiteProbe, name: str) -> Estimate:
    """The known full score of a probe, without an interval: nothing is estimated."""
    reason = f"the scores are those of probe {twin.name}: its full score over {twin.items} items, not an estimate"
    return replace(line, value=twin.full.get(name), run=None, policy=None, method=KNOWN, reason=reason, at_bound=None)


def _full_values(suite: Suite, target: Target) -> dict[str, float]:
    """The target's own values over all it measured, when at least nine tenths of the benchmark are there."""
    if float(target.scores.valid.any(dim=2).double().mean()) < FULL_SHARE:
        return {}
    if target.official:
        return target.official
    masks = {d.name: torch.tensor([item in set(d.items) for item in suite.item_ids]) for d in suite.domains}
    scores = replace(target.scores, weights=torch.as_tensor(item_weights(suite)), domains=masks)
    return whole_values(scores, suite.harmonic, suite.domains[0].metric if suite.domains else "")


def _unit(suite: Suite, name: str) -> str:
    part_of = {domain.name: domain.metric for domain in suite.domains}
    part_of |= {rule.name: rule.score for rule in suite.harmonic}
    return suite.metric(part_of.get(name, name)).unit


def _range(
    suite: Suite, name: str, line: Estimate, worst: Mapping[str, Estimate], best: Mapping[str, Estimate]
) -> tuple[float, float] | None:
    """Estimates with the missing items at their worst and best, the line's own value inside; None without bounds."""
    if name not in worst or any(m.name == name and (m.ratio or m.low is None or m.high is None) for m in suite.metrics):
        return None
    values = [side.value for side in (worst[name], best[name], line) if side.value is not None]
    return (min(values), max(values)) if len(values) == 3 else None
