"""From a sample to an estimate: which estimator, and the run and the policy interval around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimators.blup import blup
from bestrand_drive.compression.estimators.expc import ProbeRegression, expc
from bestrand_drive.compression.estimators.sample import PointEstimate, Sample, sample_variance
from bestrand_drive.compression.estimators.stratified import stratified_mean
from bestrand_drive.compression.intervals import Interval, interval
from bestrand_drive.compression.noise import Noise


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
    """

    value: float | None
    run: Interval | None
    policy: Interval | None
    level: float
    method: str
    noise: Noise | None
    reason: str


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
    """

    bounds: tuple[float, float] | None
    binary: bool
    level: float


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
    value = _clip(point.value, frame.bounds)
    complete = point.n == point.population
    if point.n < 2 and not complete:
        why = "one measured item carries no interval"
        return Estimate(value, None, None, frame.level, point.method, noise, _join(reason, why))
    around = replace(point, value=value)
    run = Interval(value, value) if complete else _around(around, point.variance, frame, runs)
    policy = None
    if noise is not None:
        policy = _around(around, point.variance + noise.sd**2 / (point.population * runs), frame, runs)
    return Estimate(value, run, policy, frame.level, point.method, noise, _join(reason, ceiling_remark(point, frame)))


def _around(point: PointEstimate, variance: float, frame: MetricFrame, runs: float) -> Interval:
    return interval(point, variance, frame.level, frame.bounds, binary=frame.binary and runs == 1)


def ceiling_remark(point: PointEstimate, frame: MetricFrame) -> str:
    """Say so when every measured value sits on a bound, where no interval can be trusted to its level."""
    if frame.bounds is None or point.spread2 > 0 or point.n < 2:
        return ""
    low, high = frame.bounds
    if abs(point.mean - high) < 1e-9:
        return f"no failure in {point.n} items"
    return f"no success in {point.n} items" if abs(point.mean - low) < 1e-9 else ""


def harmonic_mean(score: PointEstimate, success: PointEstimate) -> PointEstimate:
    """Harmonic mean of two estimates on the same items, with the error variance of the delta method.

    ``HM = 2 / (1 / a + 1 / b)``, gradient ``HM^2 / 2 (1 / a^2, 1 / b^2)``. The covariance of the two errors is taken
    from the correlation of their residuals over items (an item carries both numbers, so items are the clusters).

    Args:
        score: First estimate.
        success: Second one, measured on the same items.

    Returns:
        An estimate whose residuals and spread are those of the linearised item values; 0 when either part is 0 or less.
    """
    a, b = score.value, success.value
    if min(a, b) <= 0:
        return replace(score, value=0.0, method=f"harmonic mean of {score.method}")
    value = 2 / (1 / a + 1 / b)
    slope = value**2 / 2 / np.array([a**2, b**2])
    sd = np.sqrt(np.array([score.variance, success.variance]))
    correlation = _correlation(score.residuals, success.residuals)
    covariance = np.outer(sd, sd) * np.array([[1.0, correlation], [correlation, 1.0]])
    linear = slope[0] * score.values + slope[1] * success.values
    return PointEstimate(
        value=value,
        variance=float(slope @ covariance @ slope),
        df=min(score.df, success.df),
        n=min(score.n, success.n),
        spread2=sample_variance(linear),
        residuals=slope[0] * score.residuals + slope[1] * success.residuals,
        values=linear,
        population=min(score.population, success.population),
        method=f"harmonic mean of {score.method}",
    )


def harmonic_noise(score: Noise | None, success: Noise | None, values: tuple[float, float]) -> Noise | None:
    """Noise of a harmonic mean, the two parts taken as fully correlated (which can only widen the interval)."""
    if score is None or success is None or min(values) <= 0:
        return None
    value = 2 / (1 / values[0] + 1 / values[1])
    sd = value**2 / 2 * (score.sd / values[0] ** 2 + success.sd / values[1] ** 2)
    return Noise(sd, score.source)


def harmonic_at_zero(score: Estimate, success: Estimate, method: str) -> Estimate:
    """The line where a part is 0: no gradient there, so intervals reach from 0 to the mean of the parts' upper ends."""

    def top(first: Interval | None, second: Interval | None) -> Interval | None:
        if first is None or second is None:
            return None
        high = 2 / (1 / first.high + 1 / second.high) if min(first.high, second.high) > 0 else 0.0
        return Interval(0.0, high)

    run, policy = top(score.run, success.run), top(score.policy, success.policy)
    return Estimate(0.0, run, policy, score.level, method, score.noise, "a part is zero")


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(np.clip(first @ second / scale, -1.0, 1.0)) if scale > 0 else 0.0


def _clip(value: float, bounds: tuple[float, float] | None) -> float:
    return value if bounds is None else float(np.clip(value, *bounds))


def _join(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def withheld(level: float, reason: str) -> Estimate:
    """No number, and why."""
    return Estimate(None, None, None, level, "", None, reason)
