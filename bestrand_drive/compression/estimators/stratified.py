"""The stratified mean: each stratum's sample mean, weighted by its size. Needs no probe."""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.difficulty import LEAST_FREEDOM, anova
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample, sample_variance


def stratified_mean(sample: Sample) -> PointEstimate:
    """Weight stratum means by the strata's share of the benchmark; strata without a measured item take the plain mean.

    The estimate is ``sum_S a_i y_i``; under ``y_i = mu + u_h + e_i`` its error as an estimate of the finite mean has::

        V = s_w2 [sum_S (a_i - w_i / W)^2 + sum_R (w_i / W)^2] + s_u2 sum_h (A_h - W_h / W)^2

    with A_h the sum of a_i in stratum h. When every stratum is measured this is Cochran's
    ``sum_h (N_h / N)^2 (1 / n_h - 1 / N_h) s_w2`` (Sampling Techniques, 5.3). s_w2 is the within-stratum variance,
    pooled over strata with two or more measured items, s_u2 the sample's own between-stratum component.

    Args:
        sample: At least one measured value that counts.
    """
    counted = sample.counted
    y, strata = sample.values[counted], sample.strata[counted]
    share = sample.weights / sample.weights.sum()
    a = _coefficients(sample, counted, share)
    freedom = int(np.maximum(np.bincount(strata) - 1, 0).sum())
    spread2 = sample_variance(y)
    s_w2, s_u2, df = spread2, 0.0, max(len(y) - 1, 1)
    if freedom >= LEAST_FREEDOM:
        between, s_w2 = anova(y, strata)
        s_u2, df = max(0.0, between), freedom
    rest = sample.squares / sample.weights.sum() ** 2
    rest[counted] = 0.0
    kinds = int(sample.strata.max()) + 1
    gap = np.bincount(strata, weights=a, minlength=kinds) - np.bincount(sample.strata, weights=share, minlength=kinds)
    inner = float(((a - share[counted]) ** 2).sum() + rest.sum())
    return PointEstimate(
        value=float(a @ y),
        variance=s_w2 * inner + s_u2 * float(gap @ gap),
        df=float(df),
        n=len(y),
        spread2=spread2,
        residuals=y - (_stratum_means(y, strata) if freedom >= LEAST_FREEDOM else y.mean()),
        values=y,
        population=sample.population,
        complete=sample.complete,
        method="stratified mean",
    )


def stratified_weights(sample: Sample) -> Array:
    """What each counted item weighs in the estimate, float64 [counted item]; they sum to 1."""
    return _coefficients(sample, sample.counted, sample.weights / sample.weights.sum())


def _stratum_means(y: Array, strata: Array) -> Array:
    """Mean of each value's stratum, [n]."""
    counts = np.bincount(strata)
    return np.asarray((np.bincount(strata, weights=y) / np.maximum(counts, 1))[strata])


def _coefficients(sample: Sample, counted: Array, share: Array) -> Array:
    """What each counted item weighs in the estimate, [n]; they sum to 1."""
    kinds = int(sample.strata.max()) + 1
    strata = sample.strata[counted]
    seen = np.bincount(strata, weights=share[counted], minlength=kinds)
    total = np.bincount(sample.strata, weights=share, minlength=kinds)
    unseen = float(total[seen == 0].sum())
    plain = share[counted] / share[counted].sum()
    return np.asarray(share[counted] * (total / np.where(seen > 0, seen, 1.0))[strata] + unseen * plain)
