"""Prediction-powered mean with power tuning: the probes' mean predicts, the measured items correct it.

Source: Angelopoulos, Duchi and Zrnic, PPI++ (arXiv 2311.01453), as ``ppi_mean_pointestimate`` of ppi-python.
"""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.estimators.differences import difference_point
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample
from bestrand_drive.compression.estimators.source import Source


def prediction_powered(sample: Sample, source: Source) -> PointEstimate:
    """``mean_S (y - lambda f) + lambda mean_U f`` with f the mean probe score and U the pool's unmeasured items.

    Measured items without probe scores count in ``mean_S y`` with the prediction of an average item.

    Args:
        sample: At least one measured value that counts.
        source: The probes.
    """
    counted, predicted = sample.counted, np.nan_to_num(source.profile)
    rest = np.setdiff1d(source.pool, counted)
    rest = rest[sample.weights[rest] > 0]
    y, w, f = sample.values[counted], sample.weights[counted], predicted[counted]
    power = _power(y, f, predicted[rest], float(sample.chances[rest].sum()))
    mean = float(np.average(y, weights=w))
    value = mean
    if power > 0:
        value += power * float(np.average(predicted[rest], weights=sample.weights[rest]) - np.average(f, weights=w))
    residuals = y - power * f
    residuals = residuals - residuals.mean()
    return difference_point(sample, value, residuals, 1.0 + (power > 0), "ppi", float(len(source.pool)))


def _power(y: Array, f: Array, rest: Array, count: float) -> float:
    """Power ``cov(y, f) / ((1 + n / N_U) var f)`` within 0..1; 0 where nothing is left to predict or to learn from.

    Args:
        y: float64 [n], measured.
        f: float64 [n], predicted.
        rest: Predictions of the items that were not measured.
        count: How many of them count, N_U.
    """
    if len(y) < 2 or not len(rest):
        return 0.0
    spread = float(np.concatenate([f, rest]).var(ddof=1))
    if spread <= 1e-18:
        return 0.0
    shared = float(np.mean((y - y.mean()) * (f - f.mean())))
    return float(np.clip(shared / ((1 + len(y) / count) * spread), 0.0, 1.0))
