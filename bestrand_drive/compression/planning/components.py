"""Variances inside and between strata: of one policy, of the difference of two, and what strata and probes share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel, anova
from bestrand_drive.compression.estimators.expc import exchangeable
from bestrand_drive.compression.theory.shares import r1_squared

Array = np.ndarray
Components = tuple[float, float]
"""Variance between strata and inside them, metric units squared."""


def single_components(columns: Array, strata: Array) -> Components:
    """Mean over policies of the variance components.

    Args:
        columns: float64 [item, policy] without NaN.
        strata: int64 [item].
    """
    parts = [anova(column, strata) for column in columns.T]
    return _positive(sum(part[0] for part in parts), sum(part[1] for part in parts), len(parts))


def pair_components(columns: Array, strata: Array, families: Sequence[Sequence[int]]) -> Components | None:
    """Mean over pairs of policies of different families of the components of their difference.

    A component is a quadratic form Q, so that no pair need be formed:
    ``sum_{i<j} Q(x_i - x_j) = p sum_i Q(x_i) - Q(sum_i x_i)``; pairs inside a family are taken off again.

    Args:
        columns: float64 [item, policy] without NaN.
        strata: int64 [item].
        families: Column numbers of each family.

    Returns:
        None with a single family.
    """
    every = [number for members in families for number in members]
    count = len(every) * (len(every) - 1) // 2 - sum(len(own) * (len(own) - 1) // 2 for own in families)
    if count == 0:
        return None
    between, within = _pair_sums(columns[:, every], strata)
    for own in families:
        less_between, less_within = _pair_sums(columns[:, list(own)], strata)
        between, within = between - less_between, within - less_within
    return _positive(between, within, count)


def _pair_sums(columns: Array, strata: Array) -> Components:
    parts = [anova(column, strata) for column in columns.T]
    total = anova(columns.sum(axis=1), strata)
    p = len(parts)
    return p * sum(part[0] for part in parts) - total[0], p * sum(part[1] for part in parts) - total[1]


def _positive(between: float, within: float, count: int) -> Components:
    return max(0.0, between / count), max(0.0, within / count)


def stratum_model(components: Components, strata: Array) -> DifficultyModel:
    """A difficulty model that knows nothing but strata.

    Args:
        components: Between strata and inside them.
        strata: int64 [item], numbers from 0.
    """
    return DifficultyModel(
        d=np.zeros((len(strata), 2)),
        strata=strata,
        beta=np.zeros(2),
        v_b=np.zeros(2),
        s_u2=components[0],
        s_e2=components[1],
        within_variance=0.0,
        between_variance=0.0,
        in_pool=np.ones(len(strata), dtype=bool),
    )


def residual_correlation(columns: Array, strata: Array) -> float:
    """Correlation of two new policies' errors once strata and probes are used.

    Inside strata policies are taken for exchangeable with correlation rho, and the probes take
    ``R_1^2 = p rho^2 / (1 + (p - 1) rho)`` off variance and covariance alike: ``(rho - R_1^2) / (1 - R_1^2)``.

    Args:
        columns: float64 [item, probe] without NaN.
        strata: int64 [item].

    Returns:
        Within 0 and 1; 1, the cautious end, with a single probe, which tells of no correlation.
    """
    if columns.shape[1] < 2:
        return 1.0
    counts = np.maximum(np.bincount(strata), 1)[:, None]
    sums = np.stack([np.bincount(strata, weights=column) for column in columns.T], axis=1)
    _, _, rho = exchangeable(columns - (sums / counts)[strata])
    explained = r1_squared(rho, columns.shape[1])
    return (rho - explained) / (1 - explained) if explained < 1 else 0.0
