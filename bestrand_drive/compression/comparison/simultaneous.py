"""Several policies on the same items: intervals that hold together, and what the leader's lead is worth.

All pairs are compared, so that the leader may be picked after looking. The bar is the quantile of the largest
studentised difference, simulated with the joint covariance of the items' values (Hothorn, Bretz and Westfall,
Biometrical Journal 50 (2008), 346-363).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy import stats

from bestrand_drive.compression.estimators.sample import Array

DRAWS = 20_000
LEAST_POLICIES = 4
"""Policies from which their spread tells how far the leader is to be drawn back."""


def joint_level(values: Array, strata: Array, df: float, level: float, seed: int) -> float:
    """The level at which each pair's own interval must be taken for all of them to hold together at a level.

    Args:
        values: float64 [item, policy], without NaN.
        strata: int64 [item]; the covariance is that inside strata where enough of these have two items.
        df: Degrees of freedom of the differences' variances, the smallest.
        level: Of all together.
        seed: Of the draws.

    Returns:
        ``level`` itself for one pair.
    """
    count = values.shape[1]
    pairs = list(combinations(range(count), 2))
    if len(pairs) < 2:
        return level
    contrasts = np.zeros((len(pairs), count))
    for row, (first, second) in enumerate(pairs):
        contrasts[row, first], contrasts[row, second] = -1.0, 1.0
    centred = _centred(values, strata)
    length = np.linalg.norm(centred @ contrasts.T, axis=0)
    differ = length > 1e-12 * float(np.linalg.norm(centred))  # two copies are no comparison
    if not differ.any():
        return level
    spread = contrasts[differ] @ _root(centred)
    spread = spread / np.sqrt((spread**2).sum(axis=1, keepdims=True))
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(DRAWS, spread.shape[1])) @ spread.T
    drawn /= np.sqrt(rng.chisquare(df, size=(DRAWS, 1)) / df)
    bar = float(np.quantile(np.abs(drawn).max(axis=1), level))
    return 1 - 2 * float(stats.t.sf(bar, df))


def _centred(values: Array, strata: Array) -> Array:
    """Deviations from stratum means where these leave enough freedom, else from the mean, [item, policy]."""
    free = int(np.maximum(np.bincount(strata) - 1, 0).sum())
    if free <= values.shape[1]:
        return np.asarray(values - values.mean(axis=0))
    counts = np.maximum(np.bincount(strata), 1)
    means = np.stack([np.bincount(strata, weights=column) / counts for column in values.T], axis=1)
    return np.asarray(values - means[strata])


def _root(centred: Array) -> Array:
    """A matrix whose product with its transpose is the policies' covariance over items, [policy, at most policy].

    Not by way of the covariance, whose rounding is as large as the differences of policies that are nearly alike.
    """
    _, sizes, vectors = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(vectors.T * sizes)[:, ::-1]


def drawn_back(estimates: Sequence[float], variance: float) -> list[float] | None:
    """Estimates drawn to their mean by what of their spread is error (Efron and Morris, JASA 70 (1975), 311-319).

    ``B = max(0, 1 - (M - 3) / (M - 1) v / s^2)``: the best of many is partly the luckiest.

    Args:
        estimates: One a policy.
        variance: Of the error of one estimate beside what all share: half the mean variance of a difference, v.

    Returns:
        One a policy; None for fewer than four.
    """
    count = len(estimates)
    if count < LEAST_POLICIES:
        return None
    mean, spread = float(np.mean(estimates)), float(np.var(estimates, ddof=1))
    kept = max(0.0, 1 - (count - 3) / (count - 1) * variance / spread) if spread > 0 else 0.0
    return [mean + kept * (one - mean) for one in estimates]
