"""Calibration weights: the measured items are reweighted until their probe means are the pool's.

Source: Deville and Särndal, Calibration Estimators in Survey Sampling (JASA 1992), the truncated linear distance.
Without truncation it is the regression (GREG) estimator with all probes as auxiliaries.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestrand_drive.compression.estimators.differences import difference_point
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample
from bestrand_drive.compression.estimators.source import Source

FACTOR_RANGE = (0.0, 4.0)
"""Least and greatest factor on a starting weight; a weight below 0 would count a score backwards."""
SOFTNESS = 1e-3
"""Share of a probe's variance over n to which its mean may stay away from the pool's (ridge calibration)."""
STEPS = 200
CURVATURE = 1e-6
"""What a clipped item adds to the curvature, as a share of what it would add unclipped."""
HALVES = tuple(0.5**halving for halving in range(40))


def calibrated(sample: Sample, source: Source) -> PointEstimate:
    """Weighted mean of the measured items with calibrated weights; measured items outside the pool are left out.

    Args:
        sample: At least one measured value that counts.
        source: The probes.
    """
    inside = _with_probes(sample, source)
    if not len(inside):
        return difference_point(sample, *_plain(sample), 1.0, "calibration", float(len(source.pool)))
    x = _standardised(source)[np.searchsorted(source.pool, inside)]
    base = sample.weights[inside] / sample.weights[inside].sum()
    factors = calibration_factors(x, base)
    weights = base * factors / float(base @ factors)
    y = sample.values[inside]
    design = np.column_stack([np.ones(len(y)), x])
    slopes, _, rank, _ = np.linalg.lstsq(design, y, rcond=1e-6)
    alone = replace(sample, values=_only(sample, inside))
    return difference_point(
        alone, float(weights @ y), y - design @ slopes, float(rank), "calibration", float(len(source.pool))
    )


def calibration_factors(x: Array, base: Array) -> Array:
    """Factors g in ``FACTOR_RANGE`` that minimise ``sum base (g - 1)^2 + |gap|^2 / softness``.

    The gap is ``sum base g x``, with x and its wanted means 0. The optimum is ``g = clip(1 + x'lambda)``, with lambda
    the minimum of the convex dual, found by Newton steps that are halved until they descend.

    Args:
        x: float64 [n, probe], standardised on the pool (a column without variance is 0).
        base: float64 [n], starting weights that sum to 1.
    """
    z = np.column_stack([np.ones(len(x)), x])
    wanted = np.zeros(z.shape[1])
    wanted[0] = 1.0
    ridge = np.diag([1e-12, *np.full(x.shape[1], SOFTNESS / max(len(x), 1))])
    at = np.zeros(z.shape[1])

    def dual(where: Array) -> float:
        return float(base @ _integral(z @ where) - wanted @ where + where @ ridge @ where / 2)

    level = dual(at)
    for _ in range(STEPS):
        raw = 1 + z @ at
        slope = (base * np.clip(raw, *FACTOR_RANGE)) @ z - wanted + ridge @ at
        free = base * np.where((raw > FACTOR_RANGE[0]) & (raw < FACTOR_RANGE[1]), 1.0, CURVATURE)
        step = np.linalg.solve((z * free[:, None]).T @ z + ridge, -slope)
        size = next((s for s in HALVES if dual(at + s * step) <= level + 1e-4 * s * float(slope @ step)), 0.0)
        at = at + size * step
        gained, level = level - dual(at), dual(at)
        if gained <= 1e-15 * (1 + abs(level)):
            break
    factors = np.clip(1 + z @ at, *FACTOR_RANGE)
    return np.asarray(factors if float(base @ factors) > 0 else np.ones(len(x)))


def _integral(s: Array) -> Array:
    """Integral of ``clip(1 + t)`` over t from 0 to s."""
    low, high = FACTOR_RANGE
    inner = np.clip(s, low - 1, high - 1)
    return np.asarray(inner + inner**2 / 2 + np.where(s < inner, low, high) * (s - inner))


def _standardised(source: Source) -> Array:
    spread = source.columns.std(axis=0)
    return np.asarray(source.columns / np.where(spread > 1e-9, spread, np.inf))


def _with_probes(sample: Sample, source: Source) -> Array:
    return sample.counted[np.isin(sample.counted, source.pool)]


def _only(sample: Sample, inside: Array) -> Array:
    values = np.full(len(sample.values), np.nan)
    values[inside] = sample.values[inside]
    return values


def _plain(sample: Sample) -> tuple[float, Array]:
    y = sample.values[sample.counted]
    mean = float(np.average(y, weights=sample.weights[sample.counted]))
    return mean, y - mean
