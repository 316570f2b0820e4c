"""From a sample to an estimate: which estimator, and the run and the policy interval around it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimators.blup import blup
from bestrand_drive.compression.estimators.expc import ProbeRegression, expc
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.intervals import Interval, interval
from bestrand_drive.compression.noise import Noise


class Bound(str, Enum):
    """The bound on which every measured value sits."""

    BEST = "no failure"
    WORST = "no success"


@dataclass(frozen=True)
class Estimate:
    """One number about a policy on the whole benchmark.

    Attributes:
        value: Metric units, or None when withheld (``reason`` says why).
        run: Interval for this run on all items, or None.
        policy: Interval for the policy's mean over runs, or None when its noise is not known.
        level: Of both.
        method: Name of the estimator.
        noise: What the policy interval adds, or None.
        reason: What the reader must know; empty when nothing.
        at_bound: Whether every measured value sits on one of the bounds, where no interval keeps its level.
    """

    value: float | None
    run: Interval | None
    policy: Interval | None
    level: float
    method: str
    noise: Noise | None
    reason: str
    at_bound: Bound | None = None


@dataclass(frozen=True)
class ProbeKnowledge:
    """What a suite knows of one metric from its probes; all None or empty without probes.

    Attributes:
        model: Difficulty model, when probe data were kept.
        regression: Probe regression, for suites without strata.
    """

    model: DifficultyModel | None = None
    regression: ProbeRegression | None = None


@dataclass(frozen=True)
class MetricFrame:
    """How one metric is reported.

    Attributes:
        bounds: Or None.
        binary: Whether single-run values are only the two bounds.
        level: Of the intervals.
        higher_is_better: Direction.
    """

    bounds: tuple[float, float] | None
    binary: bool
    level: float
    higher_is_better: bool = True


def point_estimate(sample: Sample, known: ProbeKnowledge) -> PointEstimate:
    """Apply the default estimator: BLUP with strata, exPC without, the stratified mean without probes.

    Args:
        sample: At least one measured item that counts.
        known: Of the same items.
    """
    if known.regression is not None and np.ptp(sample.weights) == 0:
        return expc(sample, known.regression)
    if known.model is not None and known.model.s_u2 + known.model.s_e2 > 0:
        return blup(sample, known.model)
    return stratified_mean(sample)


def estimate(point: PointEstimate, frame: MetricFrame, noise: Noise | None, runs: float, reason: str = "") -> Estimate:
    """Put both intervals around a point estimate.

    The policy interval uses ``V + s_n^2 / (N runs)``: the error against this run and the run's own deviation from the
    policy's mean are uncorrelated under independent noise, so that their variances add.

    Args:
        point: The estimate.
        frame: Bounds and level.
        noise: Of one run on one item, or None.
        runs: Runs that each measured value averages.
        reason: Remark to carry along.
    """
    around = clipped(point, frame)
    if point.n < 2 and not point.complete:
        reason = "; ".join(part for part in (reason, "one measured item carries no interval") if part)
        return Estimate(around.value, None, None, frame.level, point.method, noise, reason)
    binary = frame.binary and runs == 1
    run = Interval(around.value, around.value)
    if not point.complete:
        run = interval(around, point.variance, frame.level, frame.bounds, binary=binary)
    policy = None
    if noise is not None:
        total = point.variance + noise.sd**2 / (point.population * runs)
        policy = interval(around, total, frame.level, frame.bounds, binary=binary, finite=False)
    bound = bound_of(point, frame)
    if frame.bounds is not None and bound is not None:
        top = (bound is Bound.BEST) == frame.higher_is_better
        run, policy = _reaching(run, frame.bounds, top), policy and _reaching(policy, frame.bounds, top)
    return Estimate(around.value, run, policy, frame.level, point.method, noise, reason, bound)


def _reaching(around: Interval, bounds: tuple[float, float], top: bool) -> Interval:
    """The interval widened to the bound that every measured value sits on: nothing speaks against it."""
    low, high = bounds
    return Interval(around.low, high) if top else Interval(low, around.high)


def clipped(point: PointEstimate, frame: MetricFrame) -> PointEstimate:
    """The same estimate moved into the metric's bounds."""
    return point if frame.bounds is None else replace(point, value=float(np.clip(point.value, *frame.bounds)))


def bound_of(point: PointEstimate, frame: MetricFrame) -> Bound | None:
    """The bound that every measured value sits on, if any (of two or more values)."""
    if frame.bounds is None or point.spread2 > 0 or point.n < 2:
        return None
    worst, best = frame.bounds if frame.higher_is_better else frame.bounds[::-1]
    sides = ((worst, Bound.WORST), (best, Bound.BEST))
    return next((side for value, side in sides if abs(point.mean - value) < 1e-9), None)


def withheld(level: float, reason: str) -> Estimate:
    """No number, and why."""
    return Estimate(None, None, None, level, "", None, reason)
