"""Run intervals of many draws and many targets at once (``compression.intervals`` and ``estimation.estimate``)."""

from __future__ import annotations

import numpy as np
from scipy import stats

from bestrand_drive.compression.intervals import DESIGN_EFFECT_RANGE
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.points import Points

Array = np.ndarray


def estimates(points: Points, spec: MetricSpec, level: float) -> tuple[Array, Array, Array]:
    """Value, lower and upper end of the run interval, float64 [draw, target] each.

    Values are moved into the metric's bounds. Without an interval (one measured item of many) the ends are NaN; where
    everything was measured they are the value.

    Args:
        points: The estimates.
        spec: The metric.
        level: Such as 0.95.
    """
    value = points.value.numpy()
    value = value if spec.bounds is None else np.clip(value, *spec.bounds)
    low, high = _interval(value, points, spec, level)
    if spec.bounds is not None:
        low, high = _reaching(low, high, points, spec.bounds)
    complete = np.broadcast_to(points.draws.complete.numpy(), value.shape)
    single = np.broadcast_to(points.draws.n.numpy() < 2, value.shape) & ~complete
    low, high = np.where(complete, value, low), np.where(complete, value, high)
    return value, np.where(single, np.nan, low), np.where(single, np.nan, high)


def _interval(value: Array, points: Points, spec: MetricSpec, level: float) -> tuple[Array, Array]:
    """Wilson's interval with an effective sample size for bounded metrics, Student's for the others."""
    t = stats.t.ppf(0.5 + level / 2, points.df.numpy())
    variance, n = points.variance.numpy(), points.draws.n.numpy()
    if spec.bounds is None:
        half = t * np.sqrt(variance)
        return value - half, value + half
    low, high = spec.bounds
    width = high - low
    spread2 = points.spread2.numpy() / width**2
    untouched = 1 - n / points.draws.population.numpy()
    design = np.where(spread2 <= 0, untouched, variance / width**2 / (np.where(spread2 <= 0, 1.0, spread2) / n))
    effective = n / np.clip(design, *DESIGN_EFFECT_RANGE)
    mu = np.clip((value - low) / width, 0.0, 1.0)
    unit = mu * (1 - mu) * n / np.maximum(n - 1, 1) if spec.binary else spread2
    scale = 1 + t**2 / effective
    centre = (mu + t**2 / (2 * effective)) / scale
    half = t * np.sqrt(unit / effective + t**2 / (4 * effective**2)) / scale
    return low + width * np.maximum(0.0, centre - half), low + width * np.minimum(1.0, centre + half)


def _reaching(low: Array, high: Array, points: Points, bounds: tuple[float, float]) -> tuple[Array, Array]:
    """Intervals widened to the bound that every measured value of a draw sits on."""
    flat = (points.spread2.numpy() <= 0) & (points.draws.n.numpy() >= 2)
    mean = points.mean.numpy()
    at_low, at_high = (flat & (np.abs(mean - bound) < 1e-9) for bound in bounds)
    return np.where(at_low, bounds[0], low), np.where(at_high, bounds[1], high)
