"""Estimates of every target from the chosen subsets of a batch of seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bestrand_drive.compression.estimation import MetricFrame, estimate
from bestrand_drive.compression.estimators.registry import ESTIMATORS, guesses
from bestrand_drive.compression.estimators.source import Guess, Source
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.arms import OWN_ESTIMATOR, Chosen
from bestrand_drive.study.batch_harmonic import Part, harmonic_estimates, harmonic_values
from bestrand_drive.study.batch_intervals import estimates
from bestrand_drive.study.choosing import DOUBLES
from bestrand_drive.study.knowledge import Knowledge
from bestrand_drive.study.points import Draws
from bestrand_drive.study.problem import Problem

LEVEL = 0.95
FAST = ("mean", "stratified", "expc", "blup", "default")
"""Estimators that are worked out for many draws and targets at once."""
Array = np.ndarray


@dataclass(frozen=True)
class Found:
    """Estimates of a batch: float64 [draw, policy, reported metric] each.

    Attributes:
        value: NaN where the policy is no target, or nothing of it was measured.
        low: Lower end of the run interval; NaN also where there is none.
        high: Upper end.
    """

    value: Array
    low: Array
    high: Array

    @classmethod
    def empty(cls, problem: Problem, draws: int) -> Found:
        """All NaN."""
        shape = (draws, len(problem.scores.policies), len(problem.metric_names))
        return cls(np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan))

    def put(self, rows: Sequence[int], policies: Sequence[int], metric: int, line: tuple[Array, Array, Array]) -> None:
        """Fill in [row, policy] of one metric."""
        for whole, part in zip((self.value, self.low, self.high), line, strict=True):
            whole[np.ix_(rows, policies, [metric])] = part[:, :, None]


def estimator_of(chosen: Chosen, selector: str, wanted: str | None) -> str:
    """The estimator asked for, or the selector's own.

    Raises:
        UsageError: There is no such estimator.
    """
    if wanted is None:
        return chosen.selection.estimator if chosen.selection else OWN_ESTIMATOR[selector]
    if wanted not in ESTIMATORS:
        raise UsageError(f"--estimators {wanted}: known are {choices(wanted, ESTIMATORS)}")
    return wanted


def batch_estimates(problem: Problem, chosen: Sequence[Chosen], estimator: str) -> Found:
    """Estimate every target of every draw.

    Args:
        problem: Benchmark.
        chosen: One subset a draw, all of one size and one kind.
        estimator: Name in the registry.
    """
    found = Found.empty(problem, len(chosen))
    if estimator in FAST:
        width = max(len(chosen[0].roles.families), int(problem.codes.max()) + 4 if problem.scores.strata else 1)
        step = max(1, DOUBLES // (len(problem.scores.items) * width))
        for start in range(0, len(chosen), step):
            rows = range(start, min(start + step, len(chosen)))
            _fast(problem, [chosen[row] for row in rows], estimator, found, rows)
    else:
        for row, one in enumerate(chosen):
            _single(problem, one, estimator, found, row)
    for row, one in enumerate(chosen):
        others = np.setdiff1d(np.arange(len(problem.scores.policies)), one.roles.targets)
        for part in (found.value, found.low, found.high):
            part[row, others] = np.nan
    return found


def _fast(problem: Problem, chosen: Sequence[Chosen], estimator: str, found: Found, rows: range) -> None:
    mask = np.zeros((len(chosen), len(problem.scores.items)))
    for row, one in enumerate(chosen):
        mask[row, one.indices] = 1
    targets = sorted({target for one in chosen for target in one.roles.targets})
    know = Knowledge(problem, chosen)
    for metric in range(len(problem.scores.metrics)):
        for group in _alike(problem, targets, metric):
            line, _ = _lines(problem, mask, group, metric, know, estimator)
            found.put(rows, group, metric, line)
    for number, rule in enumerate(problem.harmonic, len(problem.scores.metrics)):
        names = problem.scores.metric_names
        pair = [names.index(rule.score), names.index(rule.success)]
        for target in targets:
            parts = [_lines(problem, mask, [target], metric, know, estimator)[1] for metric in pair]
            found.put(rows, [target], number, harmonic_estimates(parts[0], parts[1], LEVEL))


def _alike(problem: Problem, targets: Sequence[int], metric: int) -> Iterator[list[int]]:
    """Targets grouped by where they have scores; a metric that not all items log depends on all metrics of a policy."""
    known = ~np.isnan(problem.values)
    groups: dict[bytes, list[int]] = {}
    for target in targets:
        key = known[:, target, metric].tobytes()
        if problem.scores.metrics[metric].ratio:
            key += known[:, target].any(axis=1).tobytes()
        groups.setdefault(key, []).append(target)
    yield from groups.values()


def _lines(
    problem: Problem, mask: Array, group: Sequence[int], metric: int, know: Knowledge, estimator: str
) -> tuple[tuple[Array, Array, Array], Part]:
    """Estimates of targets that have scores on the same items, and all that is known of them."""
    spec = problem.scores.metrics[metric]
    known = ~np.isnan(problem.values[:, group[0], metric])
    draws = _draws(problem, mask, known, ~np.isnan(problem.values[:, group[0]]).all(axis=1), spec)
    y = torch.from_numpy(np.nan_to_num(problem.values[:, group, metric]))
    points = know.points(estimator, draws, y, metric)
    line = estimates(points, spec, LEVEL)
    nothing = ~(mask * known).any(axis=1)
    for part in line:
        part[nothing] = np.nan
    return line, Part(spec, points, y, line)


def _draws(problem: Problem, mask: Array, known: Array, driven: Array, spec: MetricSpec) -> Draws:
    """What was measured of a policy; for a ratio metric items count by the chance to log it (``ratio_sample``)."""
    measured = mask * known
    weights = np.ones_like(measured)
    if spec.ratio:
        seen = mask * driven
        share = measured.sum(axis=1, keepdims=True) / np.maximum(seen.sum(axis=1, keepdims=True), 1)
        weights = np.where(seen > 0, measured, share)
    empty = measured.sum(axis=1) == 0  # estimated from item 0 for form's sake; the caller drops these rows
    measured[empty, 0], weights[empty] = 1.0, 1.0
    both = torch.from_numpy(weights)
    strata = torch.eye(int(problem.codes.max()) + 1, dtype=torch.float64)[torch.from_numpy(problem.codes)]
    return Draws(torch.from_numpy(measured), both, both.clone(), strata)


def _single(problem: Problem, one: Chosen, estimator: str, found: Found, row: int) -> None:
    """Any estimator of the registry, one draw at a time; harmonic means of its values have no interval."""
    probes = problem.scores.with_policies([problem.scores.policies[number] for number in one.roles.probes])
    visible = probes.hidden_outside(torch.from_numpy(one.pool))
    targets = np.array(one.roles.targets)
    for metric, spec in enumerate(problem.scores.metrics):
        values = problem.values[one.indices][:, targets, metric]
        usable = ~np.isnan(values).all(axis=0)
        driven = ~np.isnan(problem.values[one.indices][:, targets]).all(axis=2) if spec.ratio else None
        families = [list(family) for family in one.roles.families]
        source = Source(visible, one.pool, metric, families, None if driven is None else driven[:, usable])
        answers = guesses(estimator, values[:, usable], one.said, source)
        lines = [_line(answer, spec) for answer in answers]
        line = np.array(lines).reshape(-1, 3).T[:, None, :]
        found.put([row], targets[usable].tolist(), metric, (line[0], line[1], line[2]))
    names = problem.scores.metric_names
    for number, rule in enumerate(problem.harmonic, len(names)):
        pair = [found.value[row, targets, names.index(part)] for part in (rule.score, rule.success)]
        found.value[row, targets, number] = harmonic_values(*pair)


def _line(answer: Guess, spec: MetricSpec) -> tuple[float, float, float]:
    """Value and run interval inside the metric's bounds; NaN ends without an interval."""
    value = answer.value if spec.bounds is None else float(np.clip(answer.value, *spec.bounds))
    if answer.point is None:
        return value, np.nan, np.nan
    frame = MetricFrame(spec.bounds, spec.binary, LEVEL, spec.higher_is_better)
    run = estimate(answer.point, frame, None, 1.0).run
    return (value, np.nan, np.nan) if run is None else (value, run.low, run.high)
