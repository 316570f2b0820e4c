"""How large the error of an estimate is at every size, for policies like the probes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import torch

from bestrand_drive.compression.pool import draw_pool, pool_size
from bestrand_drive.compression.sampling import simple_random, split_generator, systematic_stratified
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.compression.theory.two_phase import TwoPhase, leftover, two_phase

Array = np.ndarray
Law = Callable[[int], TwoPhase]
"""``law(k)``: variance of one policy's error about this run on all N items, and covariance of two policies' errors."""
DRAWS = 8
"""Random subsets over which a variance that depends on the subset is averaged."""


def exchangeable_law(
    variance: float,
    rho: float,
    *,
    probes: int,
    items: int,
    factor: float | None = None,
    pool: int | None = None,
    imbalance: float = 0.0,
) -> Law:
    """The law of items without strata: every policy varies alike and every two are alike (``theory.two_phase``).

    Args:
        variance: Of one policy over items, metric units squared.
        rho: Correlation of two policies.
        probes: p; 0 for simple random sampling.
        items: N.
        factor: n of the pool min(n k, N), None for all items.
        pool: Most items that a pool can have; None for N.
        imbalance: Share of the probes' imbalance that the search leaves; 0 where the estimator removes it.
    """
    most = items if pool is None else pool

    def law(k: int) -> TwoPhase:
        size = pool_size(k, factor, most)
        return two_phase(k, size, items, variance=variance, rho=rho, probes=probes, imbalance=imbalance)

    return law


def search_leftover(columns: Array, candidates: int) -> float:
    """Share of the squared imbalance that the best of m random subsets keeps, for features as correlated as these.

    The features' covariance is put in place of q independent ones of equal spread: q = (sum l)^2 / sum l^2 with l its
    eigenvalues (Satterthwaite's match of two moments).

    Args:
        columns: float64 [item, feature] without NaN.
        candidates: m.
    """
    covariance = np.atleast_2d(np.cov(columns, rowvar=False))
    squares = float((covariance**2).sum())  # the sum of squared eigenvalues
    if squares <= 0:
        return 1.0
    return leftover(float(np.trace(covariance)) ** 2 / squares, candidates)


def equal_leftover(rho: float, probes: int, candidates: int) -> float:
    """The same for p probes of equal variance and correlation rho: q = p / (1 + (p - 1) rho^2)."""
    return leftover(probes / (1 + (probes - 1) * rho**2), candidates)


class Design:
    """Random subsets as a selector draws them: a pool, and k of its items.

    Args:
        strata: Label of each item, or None when the selector takes no notice of them.
        eligible: int64 [item], what may be drawn.
        factor: n of the pool min(n k, N), None for all eligible items.
        seed: Of every draw; each size has draws of its own.
    """

    def __init__(self, strata: Sequence[str] | None, eligible: Array, factor: float | None, seed: int) -> None:
        self._strata = None if strata is None else tuple(strata)
        self._eligible = torch.as_tensor(eligible)
        self._factor = factor
        self._seed = seed

    def drawn(self, k: int, count: int = DRAWS) -> list[tuple[Array, Array]]:
        """Pool and measured items of ``count`` draws, int64 [pool item] and [k]."""
        generator = torch.Generator().manual_seed((self._seed * 1_000_003 + k) % 2**63)
        return [self._one(k, split_generator(generator)) for _ in range(count)]

    def _one(self, k: int, generator: torch.Generator) -> tuple[Array, Array]:
        pool = draw_pool(self._eligible, k, self._factor, self._strata, generator)
        draw = simple_random(len(pool), k)
        if self._strata is not None:
            draw = systematic_stratified(stratum_codes([self._strata[i] for i in pool.tolist()]).codes, k)
        return pool.numpy(), pool[draw(1, generator)[0]].numpy()


def drawn_law(variance_of: Callable[[Array, Array], float], design: Design, correlation: float) -> Law:
    """A law whose variance depends on which items are measured: the mean over a few draws of the design.

    Args:
        variance_of: ``variance_of(pool, measured)``, metric units squared.
        design: How items are drawn.
        correlation: Of two policies' errors.
    """

    @lru_cache(maxsize=4096)
    def law(k: int) -> TwoPhase:
        variance = float(np.mean([variance_of(pool, measured) for pool, measured in design.drawn(k)]))
        return TwoPhase(variance, correlation * variance)

    return law
