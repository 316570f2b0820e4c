"""First and second moments of a score matrix: what every formula of the theory starts from.

Everything is of one metric. A variance is over items with divisor N (sigma^2 = mean squared deviation from the model's
own mean); ``shares.sampling_variance`` is the factor that goes with it. Models are the rows of a covariance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bestrand_drive.errors import DataRefused

Array = np.ndarray
LEAST_SHARE = 1e-12
"""Share of the mean variance up to which a variance is that of a constant column."""


@dataclass(frozen=True)
class Moments:
    """Variances and covariances of models over items.

    Attributes:
        items: How many items had a score of any model.
        models: How many models.
        variance: v, mean over models of the variance over items, metric units squared.
        covariance: Mean over pairs of models, metric units squared; 0 with one model.
        mean_sd: Mean over models of the standard deviation, metric units.
        positive: Share of pairs whose covariance is above 0; 1 with one model.
        variance_cv: Standard deviation over mean of the models' variances: 0 when all are equal.
        correlation: Mean over pairs of the correlation; pairs with a constant model are left out.
        correlation_sd: Its standard deviation over those pairs: 0 when all are equal.
        constant: How many models have the same score everywhere.
    """

    items: int
    models: int
    variance: float
    covariance: float
    mean_sd: float
    positive: float
    variance_cv: float
    correlation: float
    correlation_sd: float
    constant: int

    @property
    def sigma(self) -> float:
        """Root of the mean variance, metric units."""
        return float(np.sqrt(self.variance))

    @property
    def rho(self) -> float:
        """Mean covariance over mean variance: the correlation of models that are all alike; 0 when nothing varies.

        This ratio, not the mean correlation, is what the variance of the mean error over models depends on.
        """
        return self.covariance / self.variance if self.variance > 0 else 0.0


def covariance_matrix(scores: ArrayLike) -> Array:
    """Covariances of models over the items that both have, divisor the number of those items.

    With missing scores the matrix need not be positive semidefinite.

    Args:
        scores: float [item, model], anything that numpy reads; NaN where missing.

    Returns:
        float64 [model, model]; NaN where two models share no item.

    Raises:
        DataRefused: A model has no score at all, or the array is not of that form.
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] == 0:
        raise DataRefused(f"moments need scores [item, model]; this array has the shape {values.shape}.")
    known = ~np.isnan(values)
    if not known.any(axis=0).all():
        column = int(np.flatnonzero(~known.any(axis=0))[0])
        raise DataRefused(f"model number {column} has no score; leave it out.")
    moved = np.where(known, values - np.nanmean(values, axis=0), 0.0)  # small numbers keep their digits
    weight = known.astype(np.float64)
    shared = weight.T @ weight
    with np.errstate(invalid="ignore", divide="ignore"):
        means = (moved.T @ weight) / shared  # of the row's model over the items that both have
        return np.asarray((moved.T @ moved) / shared - means * means.T)


def moments(scores: ArrayLike) -> Moments:
    """Moments of one metric.

    Args:
        scores: float [item, model], NaN where missing.

    Raises:
        DataRefused: As ``covariance_matrix``.
    """
    matrix = covariance_matrix(scores)
    known = ~np.isnan(np.asarray(scores, dtype=np.float64))
    return moments_of(matrix, int(known.any(axis=1).sum()))


def moments_of(covariances: Array, items: int) -> Moments:
    """Moments from a covariance matrix.

    Args:
        covariances: float64 [model, model], NaN where unknown.
        items: How many items it is over.
    """
    variances = np.diag(covariances).clip(min=0)
    above = np.triu_indices(len(variances), 1)
    pairs, correlations = _known(covariances[above]), _known(correlation_matrix(covariances)[above])
    mean = float(variances.mean())
    return Moments(
        items=items,
        models=len(variances),
        variance=mean,
        covariance=float(pairs.mean()) if pairs.size else 0.0,
        mean_sd=float(np.sqrt(variances).mean()),
        positive=float((pairs > 0).mean()) if pairs.size else 1.0,
        variance_cv=float(variances.std() / mean) if mean > 0 else 0.0,
        correlation=float(correlations.mean()) if correlations.size else 0.0,
        correlation_sd=float(correlations.std()) if correlations.size else 0.0,
        constant=int(_constant(variances).sum()),
    )


def correlation_matrix(covariances: Array) -> Array:
    """Correlations of models, float64 [model, model]; NaN where unknown, or where a model has one score everywhere.

    Args:
        covariances: float64 [model, model], NaN where unknown; with gaps in the scores a covariance can be greater than
            its variances allow, which counts as a correlation of 1.
    """
    variances = np.diag(covariances).clip(min=0)
    scale = np.sqrt(np.where(_constant(variances), np.nan, variances))
    return np.asarray(np.clip(covariances / np.outer(scale, scale), -1, 1))


def _constant(variances: Array) -> Array:
    """Which models do not vary, bool [model]."""
    return np.asarray(variances <= LEAST_SHARE * max(float(variances.mean()), np.finfo(float).tiny))


def _known(values: Array) -> Array:
    return np.asarray(values[~np.isnan(values)])
