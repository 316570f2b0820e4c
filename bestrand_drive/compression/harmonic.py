"""Harmonic means of two estimates on the same items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestrand_drive.compression.estimation import Estimate
from bestrand_drive.compression.estimators.sample import PointEstimate, sample_variance
from bestrand_drive.compression.intervals import Interval
from bestrand_drive.compression.noise import Noise


def harmonic(a: float, b: float) -> float:
    """``2 / (1 / a + 1 / b)``; 0 when either is 0 or less."""
    return 2 / (1 / a + 1 / b) if min(a, b) > 0 else 0.0


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
    value = harmonic(a, b)
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
        complete=score.complete and success.complete,
        method=f"harmonic mean of {score.method}",
    )


def harmonic_noise(score: Noise | None, success: Noise | None, values: tuple[float, float]) -> Noise | None:
    """Noise of a harmonic mean, the two parts taken as fully correlated (which can only widen the interval)."""
    if score is None or success is None or min(values) <= 0:
        return None
    value = harmonic(*values)
    sd = value**2 / 2 * (score.sd / values[0] ** 2 + success.sd / values[1] ** 2)
    return Noise(sd, score.source)


def inside_parts(line: Estimate, score: Estimate, success: Estimate) -> Estimate:
    """The line with its intervals kept between the harmonic means of the parts' lower and of their upper ends."""

    def kept(own: Interval | None, first: Interval | None, second: Interval | None) -> Interval | None:
        if own is None or first is None or second is None:
            return own
        low, high = harmonic(first.low, second.low), harmonic(first.high, second.high)
        return Interval(max(own.low, low), min(own.high, high))

    return replace(
        line,
        run=kept(line.run, score.run, success.run),
        policy=kept(line.policy, score.policy, success.policy),
    )


def harmonic_at_zero(score: Estimate, success: Estimate, method: str) -> Estimate:
    """The line where a part is 0: no gradient there, so intervals reach from 0 to the mean of the parts' upper ends."""

    def top(first: Interval | None, second: Interval | None) -> Interval | None:
        if first is None or second is None:
            return None
        return Interval(0.0, harmonic(first.high, second.high))

    run, policy = top(score.run, success.run), top(score.policy, success.policy)
    return Estimate(0.0, run, policy, score.level, method, score.noise, "a part is zero")


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    scale = float(np.sqrt((first @ first) * (second @ second)))
    return float(np.clip(first @ second / scale, -1.0, 1.0)) if scale > 0 else 0.0
