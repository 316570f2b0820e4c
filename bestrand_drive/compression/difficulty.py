"""What probes tell about the items: difficulty inside and between strata, and how far a new policy follows it.

Model of one metric of a policy that was not a probe (a linear mixed model; constants from the probes only)::

    y_i = mu + d_i' b + u_h(i) + e_i,   b ~ N(beta, diag(v_b)),   u ~ N(0, s_u2),   e ~ N(0, s_e2)

``d_i = (r_i - s_h, s_h)`` with ``r_i`` the mean centred probe score of item i and ``s_h`` its mean over stratum h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.profiles import family_columns, fill

RIDGE = 1e-3
"""Share of the mean diagonal added to the 2 x 2 normal equations of the slopes."""
SLOPE_RANGE = (0.0, 1.5)
SLOPE_VARIANCE_FLOOR = 0.01
ROUNDING = 1e-12
"""Of a difficulty beside a score that is nothing but what arithmetic leaves of a constant."""
LEAST_FREEDOM = 5
"""Degrees of freedom inside strata below which a variance inside them is not estimated."""

Array = np.ndarray


@dataclass(frozen=True)
class DifficultyModel:
    """The model of one metric, aligned to all N items of the benchmark.

    Attributes:
        d: float64 [item, 2], difficulty within and between strata; the first is 0 outside the pool.
        strata: int64 [item], stratum numbers.
        beta: float64 [2], expected slopes on ``d``.
        v_b: float64 [2], variance of the slopes over policies.
        s_u2: Variance of stratum effects, metric units squared.
        s_e2: Variance of item effects, metric units squared.
        within_variance: Variance of probe difficulty inside strata (what is unknown of an item outside the pool).
        between_variance: Variance of probe difficulty between strata (what is unknown of a stratum outside the pool).
        in_pool: bool [item].
    """

    d: Array
    strata: Array
    beta: Array
    v_b: Array
    s_u2: float
    s_e2: float
    within_variance: float
    between_variance: float
    in_pool: Array


@dataclass(frozen=True)
class _Split:
    within: Array
    between: Array


def fit_difficulty(columns: Array, strata: Array, pool: Array) -> DifficultyModel:
    """Estimate the model from the probes.

    With one column the slopes cannot be estimated: they are 0 and only the stratum part is used. With no column the
    variances are 0 and must come from the target itself (``stratified_mean``).

    Args:
        columns: [pool item, family], centred and filled (``profiles.profiles``).
        strata: int [item], stratum number of every item of the benchmark, numbered from 0.
        pool: int [pool item], item numbers.
    """
    inside = strata[pool]
    kinds = int(strata.max()) + 1
    families = columns.shape[1]
    overall = _split(columns.mean(axis=1), inside, kinds) if families else _Split(np.zeros(len(pool)), np.zeros(kinds))
    if families > 1:
        beta, v_b, s_u2, s_e2 = _leave_one_out(columns, inside, kinds)
    else:
        beta, v_b = np.zeros(2), np.zeros(2)
        s_u2, s_e2 = anova(columns[:, 0], inside) if families else (0.0, 0.0)
        s_u2 = max(0.0, s_u2)
    d = np.column_stack([np.zeros(len(strata)), overall.between[strata]])
    d[pool, 0] = overall.within
    in_pool = np.zeros(len(strata), dtype=bool)
    in_pool[pool] = True
    present = np.isin(np.arange(kinds), inside)
    return DifficultyModel(
        d=d,
        strata=strata,
        beta=beta,
        v_b=v_b,
        s_u2=s_u2,
        s_e2=s_e2,
        within_variance=_within_variance(overall, inside),
        between_variance=float(np.var(overall.between[present])) if present.any() else 0.0,
        in_pool=in_pool,
    )


def _split(difficulty: Array, strata: Array, kinds: int) -> _Split:
    """Split item difficulty into stratum means [stratum] (0 for absent strata) and what is left [item]."""
    counts = np.bincount(strata, minlength=kinds)
    means = np.bincount(strata, weights=difficulty, minlength=kinds) / np.maximum(counts, 1)
    return _Split(within=difficulty - means[strata], between=means)


def _within_variance(split: _Split, strata: Array) -> float:
    """Variance of difficulty inside strata; with too few strata of two or more items, all of its variance."""
    freedom = int(np.maximum(np.bincount(strata) - 1, 0).sum()) if len(strata) else 0
    if freedom >= LEAST_FREEDOM:
        return float((split.within**2).sum()) / freedom
    total = split.within + split.between[strata]
    return float(total.var(ddof=1)) if len(total) > 1 else 0.0


def _leave_one_out(columns: Array, strata: Array, kinds: int) -> tuple[Array, Array, float, float]:
    """Slopes and variances of each column given the others: beta [2], v_b [2], s_u2, s_e2."""
    families = columns.shape[1]
    total = columns.sum(axis=1)
    designs = []
    for column in columns.T:
        part = _split((total - column) / (families - 1), strata, kinds)
        designs.append(np.column_stack([part.within, part.between[strata]]))
    beta = np.clip(_slopes(np.concatenate(designs), columns.T.reshape(-1)), *SLOPE_RANGE)
    single = np.array([_slopes(design, column) for design, column in zip(designs, columns.T, strict=True)])
    v_b = np.maximum(single.var(axis=0, ddof=1), SLOPE_VARIANCE_FLOOR)
    parts = [anova(column - design @ beta, strata) for design, column in zip(designs, columns.T, strict=True)]
    between = float(np.mean([s_u2 for s_u2, _ in parts]))
    return beta, v_b, max(0.0, between), float(np.mean([s_e2 for _, s_e2 in parts]))


def single_policy_variance(
    scores: Array, families: Sequence[Sequence[int]], model: DifficultyModel, pool: Array
) -> float:
    """What the other families leave open of one policy's scores, mean over the policies, metric units squared.

    A column averaged over a family varies less than any single policy, so ``s_u2 + s_e2`` of such columns would promise
    a new policy too small an error.

    Args:
        scores: [pool item, probe], NaN where invalid.
        families: Column numbers of each family.
        model: Fitted on these probes.
        pool: int [pool item], item numbers.
    """
    strata = model.strata[pool]
    kinds = int(model.strata.max()) + 1
    parts = []
    for number, members in enumerate(families):
        others = [group for other, group in enumerate(families) if other != number]
        columns = fill(family_columns(scores, others))
        expected = np.zeros(len(pool))
        if columns.shape[1]:
            split = _split(columns.mean(axis=1), strata, kinds)
            expected = np.column_stack([split.within, split.between[strata]]) @ model.beta
        for member in _distinct(scores, members):
            residual = (scores[:, member] - expected)[~np.isnan(scores[:, member])]
            parts.append(float(residual.var(ddof=1)) if len(residual) > 1 else 0.0)
    return float(np.mean(parts)) if parts else 0.0


def _distinct(scores: Array, members: Sequence[int]) -> list[int]:
    """Column numbers without those that repeat an earlier one (a copied policy is no second witness)."""
    kept: list[int] = []
    for member in members:
        if not any(np.array_equal(scores[:, member], scores[:, other], equal_nan=True) for other in kept):
            kept.append(member)
    return kept


def _slopes(design: Array, response: Array) -> Array:
    """Least squares [2] with a small ridge, so that a constant column gives slope 0, up to rounding."""
    gram = design.T @ design
    ridge = RIDGE * float(np.trace(gram)) / 2
    if ridge <= ROUNDING**2 * float(response @ response):
        return np.zeros(2)
    return np.asarray(np.linalg.solve(gram + ridge * np.eye(2), design.T @ response))


def anova(values: Array, strata: Array) -> tuple[float, float]:
    """One-way random-effects variances by the method of moments.

    Returns:
        The between component (may be negative before averaging) and the within mean square. With one stratum the
        between component is 0; with one item a stratum nothing separates the two and all variance is within.
    """
    counts = np.bincount(strata)
    counts = counts[counts > 0]
    n, h = len(values), len(counts)
    if n < 2:
        return 0.0, 0.0
    means = np.bincount(strata, weights=values)[np.unique(strata)] / counts
    grand = values.mean()
    if h < 2 or n == h:
        return 0.0, float(values.var(ddof=1))
    between = float((counts * (means - grand) ** 2).sum()) / (h - 1)
    within = (float(((values - grand) ** 2).sum()) - between * (h - 1)) / (n - h)
    size = (n - float((counts**2).sum()) / n) / (h - 1)
    return (between - within) / size, max(0.0, within)
