"""Best linear unbiased prediction of the unmeasured items under the difficulty model, and its posterior variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample, sample_variance


def blup(sample: Sample, model: DifficultyModel) -> PointEstimate:
    """Predict every unmeasured item and average it with the measured ones.

    With S the measured items, R the others, V = D_S diag(v_b) D_S' + s_u2 Z_S Z_S' + s_e2 I, mu by generalised least
    squares and a = V^-1 (y - D_S beta - mu)::

        yhat_i = mu + d_i' beta + (d_i' diag(v_b) D_S' + s_u2 z_i' Z_S') a
        value  = (sum_S w y + sum_R w yhat) / sum w

    The posterior variance of that mean under the model is scaled by s2 / (s_u2 + s_e2), s2 the variance of the
    target's own residuals, since only ratios of the model's variances carry over from probes to a new policy. Items
    outside a partial pool add the variance of the probe difficulty that nobody measured.

    Args:
        sample: At least one measured value, and weights over all N items.
        model: Fitted on the probes, over the same items.
    """
    s, w = sample.measured, sample.weights
    system = _system(s, w, sample.squares, model)
    y = sample.values[s]
    residual = y - model.d[s] @ model.beta
    mu = float(system.ones @ residual / system.ones.sum())
    a = system.solve(residual - mu)
    predicted = system.rest * mu + float(system.c_d @ model.beta) + float(system.k_r @ a)
    centred = residual - residual.mean()
    scale = float(centred @ centred) / max(len(s) - 1, 1) / system.unit
    counted = sample.counted
    return PointEstimate(
        value=(float(w[s] @ y) + predicted) / float(w.sum()),
        variance=system.variance * scale + pool_variance(w, sample.squares, s, model),
        df=float(max(len(s) - 1, 1)),
        n=len(counted),
        spread2=sample_variance(sample.values[counted]),
        residuals=centred,
        values=sample.values[counted],
        population=sample.population,
        complete=sample.complete,
        method="blup",
    )


def blup_weights(sample: Sample, model: DifficultyModel) -> tuple[Array, Array]:
    """What each measured value weighs in the estimate, and in the slopes that the policy is given.

    The estimate is affine in the values: ``value = a'y + constant`` and ``b = beta + B y + constant``, with ``a``
    summing to 1. The constants depend on items and model only, so that they cancel in a difference of two policies.

    Args:
        sample: At least one measured value; which, and the weights, are all that matters.
        model: Fitted on the probes, over the same items.

    Returns:
        a, float64 [measured item], and B, float64 [2, measured item].
    """
    s, w = sample.measured, sample.weights
    system = _system(s, w, sample.squares, model)
    mean = system.ones / system.ones.sum()
    spare = system.rest - float(system.ones @ system.k_r)
    a = (w[s] + system.solve(system.k_r) + spare * mean) / float(w.sum())
    inner = np.stack([system.solve(column) for column in model.d[s].T])
    slopes = model.v_b[:, None] * (inner - inner.sum(axis=1, keepdims=True) * mean)
    return a, slopes


def expected_variance(measured: Array, weights: Array, model: DifficultyModel) -> float:
    """Variance of the error that the model expects for a policy like the probes, before any item is measured.

    Args:
        measured: int [n], the items that will be measured.
        weights: float64 [item].
        model: Fitted on the probes.

    Returns:
        Metric units squared.
    """
    squares = weights**2
    return _system(measured, weights, squares, model).variance + pool_variance(weights, squares, measured, model)


@dataclass(frozen=True)
class _System:
    """V^-1 and the pieces that the estimate and its variance share (K_r is the covariance of S with sum_R w y)."""

    solve: Callable[[Array], Array]
    ones: Array
    rest: float
    c_d: Array
    k_r: Array
    unit: float
    variance: float


def _system(s: Array, w: Array, squares: Array, model: DifficultyModel) -> _System:
    s_u2, s_e2 = _positive(model)
    d, strata = model.d, model.strata
    solve = _inverse(d[s], strata[s], model.v_b, s_u2, s_e2)
    ones = solve(np.ones(len(s)))
    c, c2 = w.copy(), squares.copy()
    c[s] = c2[s] = 0.0
    c_d = c @ d
    c_h = np.bincount(strata, weights=c)
    k_r = d[s] @ (model.v_b * c_d) + s_u2 * c_h[strata[s]]
    chance = c2 - c**2  # variance of a weight that is only the chance to count
    prior = float(c_d @ (model.v_b * c_d)) + s_u2 * float(c_h @ c_h) + s_e2 * float(c2.sum())
    prior += float(chance @ ((d @ model.beta) ** 2 + d**2 @ model.v_b + s_u2))
    spare = float(c.sum() - ones @ k_r)
    variance = (prior - float(k_r @ solve(k_r)) + spare**2 / float(ones.sum())) / float(w.sum()) ** 2
    return _System(solve, ones, float(c.sum()), c_d, k_r, s_u2 + s_e2, max(0.0, variance))


def _positive(model: DifficultyModel) -> tuple[float, float]:
    """Variances of strata and items; where all probes agree exactly inside strata, items get a nominal variance.

    The floors keep the low-rank solver from cancellation, with what the slopes tell, too: at the floor itself an
    estimate is right to 1e-5 of its size.
    """
    total = model.s_u2 + model.s_e2
    told = float((model.v_b * (model.d**2).max(axis=0)).max())
    return (model.s_u2, max(model.s_e2, 1e-6 * total, 1e-12 * told)) if total > 0 else (0.0, 1.0)


def _inverse(d: Array, strata: Array, v_b: Array, s_u2: float, s_e2: float) -> Callable[[Array], Array]:
    """Solver of V x = b through its low-rank form V = L L' + s_e2 I (Woodbury), L = [D sqrt(v_b), Z sqrt(s_u2)]."""
    indicator = (strata[:, None] == np.unique(strata)[None, :]) * np.sqrt(s_u2)
    low_rank = np.concatenate([d * np.sqrt(v_b), indicator], axis=1)
    inner = np.linalg.inv(s_e2 * np.eye(low_rank.shape[1]) + low_rank.T @ low_rank)

    def solve(b: Array) -> Array:
        return np.asarray((b - low_rank @ (inner @ (low_rank.T @ b))) / s_e2)

    return solve


def pool_variance(weights: Array, squares: Array, measured: Array, model: DifficultyModel) -> float:
    """Variance that a partial pool adds: the probe difficulty of items outside it is not known.

    Such an item is predicted by its stratum's mean difficulty over the pool. What is missing is its own deviation
    (variance tau_w2, slope beta_1), the error of that mean (tau_w2 / n_h, shared by the stratum), and, for a stratum
    without a pool item, the stratum's whole deviation (tau_b2, slope beta_2).

    Args:
        weights: float64 [item].
        squares: float64 [item], see ``Sample``.
        measured: int [n].
        model: Fitted on the pool.

    Returns:
        Metric units squared; 0 when the pool is all items.
    """
    c, c2 = (np.where(model.in_pool, 0.0, part) for part in (weights, squares))
    c[measured] = c2[measured] = 0.0
    if not c.any():
        return 0.0
    slope2 = model.beta**2 + model.v_b
    kinds = int(model.strata.max()) + 1
    n_h = np.bincount(model.strata[model.in_pool], minlength=kinds)
    c_h = np.bincount(model.strata, weights=c, minlength=kinds)
    own = slope2[0] * model.within_variance * float(c2.sum())
    known = slope2[0] * model.within_variance / np.maximum(n_h, 1)
    shared = float((c_h**2 * np.where(n_h > 0, known, slope2[1] * model.between_variance)).sum())
    return float(own + shared) / float(weights.sum()) ** 2
