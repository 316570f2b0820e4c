"""AIPW: a ridge regression of the target's scores on the items' histories, corrected by its mean residual.

Source: Zhang, Dorner and Hardt, How Benchmark Prediction from Fewer Data Misses the Mark (2025), as ``AIPWPred`` of
their package benchpred 1.0.0: augmented inverse propensity weighting, ridge strength 10 on scores in [0, 1].
"""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.estimators.differences import difference_point
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample
from bestrand_drive.compression.estimators.source import Source
from bestrand_drive.compression.learned.history import history

STRENGTH = 10.0


def aipw(sample: Sample, source: Source) -> PointEstimate:
    """``mean_R yhat + mean_S (y - yhat) / (1 + n / N_R)``, R the items that were not measured.

    N_R is how many of them count, which for a ratio metric is a share of them.

    Args:
        sample: At least one measured value that counts.
        source: Probes with a score on every item.

    Raises:
        UsageError: An item has no probe score.
    """
    past = history(source.scores, source.metric, "aipw", least=1)
    counted = sample.counted
    rest = np.flatnonzero(np.isnan(sample.values) & (sample.weights > 0))
    x, y = past.scores.T, past.unit(sample.values)
    w = sample.weights
    if not len(rest):
        value = float(np.average(y[counted], weights=w[counted]))
        return difference_point(sample, past.units(value), np.zeros(len(counted)), 1.0, "aipw")
    slopes, intercept, freedom = ridge(x[counted], y[counted])
    predicted = x @ slopes + intercept
    residuals = y[counted] - predicted[counted]
    share = len(counted) / float(sample.chances[rest].sum())
    value = float(np.average(predicted[rest], weights=w[rest]))
    value += float(np.average(residuals, weights=w[counted])) / (1 + share)
    centred = past.width * (residuals - residuals.mean())
    return difference_point(sample, past.units(value), centred, freedom, "aipw")


def ridge(x: Array, y: Array, strength: float = STRENGTH) -> tuple[Array, float, float]:
    """Ridge regression with a free intercept.

    Returns:
        Slopes [feature], intercept, and fitted parameters (trace of the smoother, with the intercept).
    """
    middle = x.mean(axis=0)
    a = x - middle
    gram = a.T @ a
    penalised = gram + strength * np.eye(x.shape[1])
    slopes = np.linalg.solve(penalised, a.T @ (y - y.mean()))
    freedom = float(np.trace(np.linalg.solve(penalised, gram))) + 1.0
    return slopes, float(y.mean() - middle @ slopes), freedom
