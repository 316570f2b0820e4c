"""Whether the scores of a suite's probes are still what they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

import torch

from bestrand_drive.readers.items import Key
from bestrand_drive.scores.groups import fold_groups
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite, SuiteProbe
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers
from bestrand_drive.workflows.estimating.targets import suite_specs
from bestrand_drive.workflows.evidence.digests import score_digest
from bestrand_drive.workflows.evidence.probe_models import whole_values
from bestrand_drive.workflows.living.benchmark_now import Now
from bestrand_drive.workflows.living.matching import Matching

NOISE_BOUND = 2.0
"""Standard deviations of a difference between two runs of one model that are still taken for run noise."""
SIX_DIGITS = 1e-6
"""Relative difference of two values that are written with six digits less than they have."""


@dataclass(frozen=True)
class ModelChange:
    """A probe of the suite that is in the new table too.

    Attributes:
        model: Its name.
        then: Metric -> its value over all items that it had.
        now: Metric -> its value over the same items now.
        changed: Whether its scores are others; None where that cannot be told.
        noise: Whether the difference is within what two runs of one model differ by; None where noise is unknown.
    """

    model: str
    then: Mapping[str, float]
    now: Mapping[str, float]
    changed: bool | None
    noise: bool | None


def probe_changes(suite: Suite, leaves: Mapping[Key, str], now: Now, found: Matching) -> tuple[ModelChange, ...]:
    """Compare the probes that are there now with what the suite keeps of them.

    Args:
        suite: The suite.
        leaves: Task and own id -> id of each row of the suite's table.
        now: What was read.
        found: Which of its items are the suite's.
    """
    shared = [probe for probe in suite.probes if probe.name in now.scores.policies]
    if not shared:
        return ()
    laid = _laid_out(suite, leaves, now, found).with_policies([probe.name for probe in shared])
    return tuple(_model(suite, probe, laid.with_policies([probe.name])) for probe in shared)


def _laid_out(suite: Suite, leaves: Mapping[Key, str], now: Now, found: Matching) -> ScoreMatrix:
    """The new scores on the suite's items; what is no item of it, or another by content, is left out."""
    names = {home: leaves[key] for key, home in found.same.items()}
    numbers = [number for number, key in enumerate(now.keys) if key in names]
    rows = torch.tensor(numbers, dtype=torch.long)
    scores = now.scores
    kept = replace(
        scores,
        items=tuple(names[now.keys[number]] for number in numbers),
        values=scores.values[rows],
        valid=scores.valid[rows],
        repeats=scores.repeats[rows],
        repeat_variance=scores.repeat_variance[rows],
    )
    groups = {member: item.id for item in suite.items for member in item.leaves}
    specs = suite_specs(suite)
    if len(groups) > suite.n:
        kept = fold_groups(kept.relabelled(list(groups), specs), tuple(groups.values()))[0]
    weights = torch.tensor([float(item.weight) for item in suite.items]).double()
    return replace(kept.relabelled(suite.item_ids, specs), weights=weights)


def _model(suite: Suite, probe: SuiteProbe, own: ScoreMatrix) -> ModelChange:
    now = whole_values(own, suite.harmonic, "")
    then = {name: value for name, value in probe.full.items() if name in now}
    items = int(own.valid.any(dim=2).sum())
    comparable = then if items == probe.items else {}
    changed = _changed(suite, probe, own, whole=items == probe.items)
    if changed is None and comparable:
        changed = any(abs(now[name] - value) > SIX_DIGITS * max(1.0, abs(value)) for name, value in then.items())
    noise = _within_noise(suite, comparable, now)
    return ModelChange(probe.name, comparable, now if comparable else {}, changed, noise)


def _changed(suite: Suite, probe: SuiteProbe, own: ScoreMatrix, *, whole: bool) -> bool | None:
    """By the digests of its scores on all items, or on the suite's where the others are not there."""
    if not probe.digest:
        return None
    if whole:
        return score_digest(own, torch.arange(suite.n)) != probe.full_digest
    chosen = torch.from_numpy(chosen_numbers(suite))
    there = bool(own.valid[chosen].any(dim=2).any(dim=1).all())
    return score_digest(own, chosen) != probe.digest if there else None


def _within_noise(suite: Suite, then: Mapping[str, float], now: Mapping[str, float]) -> bool | None:
    """Whether two runs of one model may differ by so much on all items: sd of the difference sqrt(2 / N) s_n."""
    noises = {metric.name: metric.noise for metric in suite.metrics}
    told = [(name, noises.get(name)) for name in then]
    if not told or any(noise is None for _, noise in told):
        return None
    bounds = {name: NOISE_BOUND * sqrt(2 / suite.n) * noise.sd for name, noise in told if noise is not None}
    return all(abs(now[name] - then[name]) <= bound for name, bound in bounds.items())
