"""exPC: regression on the probes, shrunk to the slope of exchangeable policies. For items without strata."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample, sample_variance

KAPPA = 20.0
"""Pseudo-observations that pull the fitted slopes to the exchangeable one."""


@dataclass(frozen=True)
class ProbeRegression:
    """What the regression needs of the probes.

    Attributes:
        scores: float64 [item, probe], centred on the pool's mean; NaN rows where no probe score is known.
        slope: Exchangeable slope b0 of a new policy on the mean of the probes.
        variance: Mean variance of the probes over the pool, metric units squared.
        correlation: Mean covariance over mean variance, clipped to [0, 1].
        pool: Items of the pool, P.
    """

    scores: Array
    slope: float
    variance: float
    correlation: float
    pool: int


def fit_regression(columns: Array, pool: Array, items: int) -> ProbeRegression:
    """Estimate the exchangeable slope ``b0 = cbar / (vbar / p + (1 - 1 / p) cbar)``; no target is needed.

    Args:
        columns: [pool item, probe], centred and filled.
        pool: int [pool item], item numbers.
        items: N.
    """
    scores = np.full((items, columns.shape[1]), np.nan)
    scores[pool] = columns
    slope, variance, correlation = exchangeable(columns)
    return ProbeRegression(scores, slope, variance, correlation, len(pool))


def exchangeable(columns: Array) -> tuple[float, float, float]:
    """Slope b0, mean variance and mean correlation of the probes; slope 0 with one probe or no positive covariance."""
    p = columns.shape[1]
    if len(columns) < 2 or p == 0:
        return 0.0, 0.0, 0.0
    covariance = np.atleast_2d(np.cov(columns, rowvar=False))
    vbar = float(np.trace(covariance)) / p
    cbar = float(covariance.sum() - np.trace(covariance)) / (p * (p - 1)) if p > 1 else 0.0
    if cbar <= 0 or vbar <= 0:
        return 0.0, vbar, 0.0
    return cbar / (vbar / p + (1 - 1 / p) * cbar), vbar, min(1.0, cbar / vbar)


def expc_weights(sample: Sample, probes: ProbeRegression, kappa: float = KAPPA) -> tuple[Array, Array, Array]:
    """What each used value weighs in the estimate of ``expc``, and in its slopes beyond the exchangeable one.

    Args:
        sample: Which items are measured; all weights equal.
        probes: Of the same items.
        kappa: Pseudo-observations.

    Returns:
        Numbers of the used items [n], their weights [n], which sum to 1, and those in the slopes [probe, n].
    """
    used = sample.counted
    used = used[~np.isnan(probes.scores[used]).any(axis=1)]
    x = probes.scores[used]
    n, p = x.shape
    a = x - x.mean(axis=0)
    gram = a.T @ a
    size = float(np.trace(gram)) / p if p else 0.0
    slopes = np.zeros((p, n))
    if n >= 2 * p + 5 and size > 0 and np.isfinite(kappa):
        slopes = np.linalg.solve(gram + kappa * size / n * np.eye(p), a.T)
    return used, 1 / n - x.mean(axis=0) @ slopes, slopes


def expc(sample: Sample, probes: ProbeRegression, kappa: float = KAPPA) -> PointEstimate:
    """Difference estimator with ridge slopes around the exchangeable slope.

    With A the centred probe scores of the measured items, G = A'A and lambda = kappa x mean eig(G) / n::

        beta  = b0 / p + (G + lambda)^-1 A' (y - ybar - A b0 1 / p)
        value = ybar + (H - xbar)' beta        (H = 0: scores are centred on the pool)

    Measured items outside the pool have no probe scores and are left out. Below n = 2 p + 5 the exchangeable slope is
    used unfitted. The error variance is
    ``(1/n - 1/P) s_e2 + (1/P - 1/N) s_y2``: what the probes leave open, and the pool's own error.

    Args:
        sample: At least one measured value; all weights equal.
        probes: Of the same items.
        kappa: Pseudo-observations; infinite for the exchangeable slope as it is.
    """
    s = sample.counted
    s = s[~np.isnan(probes.scores[s]).any(axis=1)]
    y, x = sample.values[s], probes.scores[s]
    n, p = x.shape
    a = x - x.mean(axis=0)
    start = np.full(p, probes.slope / max(p, 1))
    gram = a.T @ a
    size = float(np.trace(gram)) / p if p else 0.0
    beta, df = start, 1.0
    if n >= 2 * p + 5 and size > 0 and np.isfinite(kappa):
        penalised = gram + kappa * size / n * np.eye(p)
        beta = start + np.linalg.solve(penalised, a.T @ (y - y.mean() - a @ start))
        df = float(np.trace(np.linalg.solve(penalised, gram))) + 1.0
    residual = y - y.mean() - a @ beta
    spread2 = sample_variance(y)
    left = max(n - df, 1.0)
    population = sample.population
    pool = min(float(probes.pool), population)
    s_e2 = float(residual @ residual) / left
    variance = max(0.0, 1 / n - 1 / pool) * s_e2 + max(0.0, 1 / pool - 1 / population) * spread2
    return PointEstimate(
        value=float(y.mean() - x.mean(axis=0) @ beta),
        variance=variance,
        df=left,
        n=n,
        spread2=spread2,
        residuals=residual,
        values=y,
        population=population,
        complete=sample.complete,
        method=f"exPC{kappa:g}" if np.isfinite(kappa) else "exchangeable slope",
    )
