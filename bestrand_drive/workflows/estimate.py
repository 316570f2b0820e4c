"""Estimate: a target's full score from its results on a suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import torch

from bestrand_drive.compression.estimation import Estimate
from bestrand_drive.errors import Incomplete, UsageError
from bestrand_drive.suite import Suite, SuiteProbe
from bestrand_drive.workflows.digests import score_digest
from bestrand_drive.workflows.knowledge import item_weights
from bestrand_drive.workflows.metric_lines import metric_lines
from bestrand_drive.workflows.probe_models import whole_values
from bestrand_drive.workflows.targets import Target, missing_items, only_chosen, with_filled

FULL_SHARE = 0.9
"""Share of all items that must be measured for the target's own full value to be shown."""

MissingRule = Literal["zero", "exclude"]


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
        missing: Chosen items without a complete result, suite order.
        missing_rule: What was done with them.
        reasons: Why they are missing.
        warnings: What the reader must know before using the numbers.
        notes: What was counted while reading.
    """

    policy: str
    simulator: str
    results: tuple[MetricResult, ...]
    suite_items: int
    missing: tuple[str, ...]
    missing_rule: MissingRule
    reasons: dict[str, str]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> MetricResult:
        """The line of one metric.

        Raises:
            UsageError: Unknown name; the message lists the known ones.
        """
        for result in self.results:
            if result.name == name:
                return result
        raise UsageError(f"No metric {name!r} in this estimate; it has {', '.join(r.name for r in self.results)}.")


def estimate_target(
    suite: Suite, target: Target, *, level: float = 0.95, missing: MissingRule = "exclude", family: str | None = None
) -> SuiteEstimate:
    """Estimate every metric of the suite for one target.

    Args:
        suite: The suite the target was run on.
        target: Its results.
        level: Of the intervals, between 0.5 and 1.
        missing: ``zero`` scores missing items as the benchmark's official number does; ``exclude`` estimates from the
            measured ones.
        family: The target's family, to warn when a probe belongs to it.

    Raises:
        Incomplete: No chosen item was measured.
        UsageError: The level is out of range.
    """
    if not 0.5 <= level < 1:
        raise UsageError(f"--level {level}: give the confidence of the intervals, from 0.5 to below 1, such as 0.95.")
    if not bool(only_chosen(target, suite).valid.any()):
        raise Incomplete(f"{target.name}: none of the suite's {suite.k} items has a result yet; run the suite first.")
    absent = missing_items(target, suite)
    worst, best = (with_filled(target, absent, best=side) for side in (False, True))
    lines = _lines(suite, worst if missing == "zero" else target, level)
    twin = _identical_probe(suite, target)
    if twin is not None:
        lines = {name: _known(line, twin, name) for name, line in lines.items()}
    low, high = (_lines(suite, side, level) if absent and twin is None else {} for side in (worst, best))
    full = _full_values(suite, target)
    return SuiteEstimate(
        policy=target.name,
        simulator=target.simulator,
        results=tuple(
            MetricResult(
                name, _unit(suite, name), line, full.get(name), _range(suite, low.get(name), high.get(name), name)
            )
            for name, line in lines.items()
        ),
        suite_items=suite.k,
        missing=tuple(absent),
        missing_rule=missing,
        reasons={item: target.reasons.get(item, "no result") for item in absent},
        warnings=tuple(_warnings(suite, target, twin, family)),
        notes=target.notes,
    )


def _lines(suite: Suite, target: Target, level: float) -> dict[str, Estimate]:
    return metric_lines(suite, only_chosen(target, suite), level)


def _identical_probe(suite: Suite, target: Target) -> SuiteProbe | None:
    """The probe whose scores on the chosen items are exactly the target's, or None."""
    positions = {item: number for number, item in enumerate(suite.item_ids)}
    digest = score_digest(target.scores, torch.tensor([positions[item] for item in suite.chosen]))
    return next((probe for probe in suite.probes if probe.digest == digest), None)


def _known(line: Estimate, twin: SuiteProbe, name: str) -> Estimate:
    """The known full score of a probe, without an interval: nothing is estimated."""
    reason = (
        f"the scores are those of probe {twin.name}: this is its full score over {twin.items} items, not an estimate"
    )
    return replace(line, value=twin.full.get(name), run=None, policy=None, method="known", reason=reason)


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


def _range(suite: Suite, low: Estimate | None, high: Estimate | None, name: str) -> tuple[float, float] | None:
    """Estimates with the missing items at their worst and best; None where the metric has no such values."""
    ratio = any(metric.name == name and (metric.ratio or metric.high is None) for metric in suite.metrics)
    if ratio or low is None or high is None or low.value is None or high.value is None:
        return None
    return low.value, high.value


def _warnings(suite: Suite, target: Target, twin: SuiteProbe | None, family: str | None) -> Iterator[str]:
    names = {probe.name for probe in suite.probes}
    if twin is None and target.name in names:
        yield (
            f"a probe of this suite is named {target.name} too, but its scores differ; if this is another run or "
            "checkpoint, the suite was chosen with its relative and the intervals may be too narrow"
        )
    related = [label for label, members in suite.families.items() if target.name in members or label == family]
    kin = sorted(names & {member for label in related for member in suite.families[label]} - {target.name})
    if kin:
        yield f"{', '.join(kin)} of the same family guided the choice; the intervals assume an unrelated policy"
    if not suite.probes:
        yield "the suite was chosen without probes: stratified means, wider intervals"
