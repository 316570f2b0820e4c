"""Error of a mean over items chosen in two steps: a random pool of all items, then a balanced subset of the pool."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bestrand_drive.compression.theory.shares import common_sd, r1_squared
from bestrand_drive.errors import DataRefused, UsageError

LOG_RANGE = (-60.0, 4.5)
"""Logarithms of a standard exponential outside which it does not fall: e^-60 below, exp(-e^4.5) above."""
LOG_STEP = 0.02


@dataclass(frozen=True)
class TwoPhase:
    """Error of the targets' means.

    Attributes:
        variance: Of one target's error, metric units squared.
        covariance: Of the errors of two targets, metric units squared.
    """

    variance: float
    covariance: float

    @property
    def sd(self) -> float:
        """Standard deviation of one target's error, metric units."""
        return math.sqrt(self.variance)

    @property
    def correlation(self) -> float:
        """Of the errors of two targets: what ``quantile.mae_quantile`` takes as rho. 0 where there is no error."""
        return self.covariance / self.variance if self.variance > 0 else 0.0

    def common_sd(self, models: float) -> float:
        """Standard deviation of the error averaged over M targets, metric units."""
        return common_sd(self.sd, self.correlation, models)


def phase_factors(k: float, pool: float, items: float) -> tuple[float, float]:
    """a1 = (1/k - 1/P) N/(N-1) and a2 = (1/P - 1/N) N/(N-1): sampling variance inside the pool and of the pool itself.

    Over sigma^2 with the divisor N; their sum is c(k)^2.

    Args:
        k: Size of the subset; sizes need not be whole (means over models that lack scores).
        pool: P, from k to N.
        items: N.

    Raises:
        UsageError: Sizes out of order.
    """
    if not 1 <= k <= pool <= items:
        raise UsageError(f"k = {k}, pool {pool}, {items} items: need 1 <= k <= pool <= items.")
    factor = items / max(items - 1, 1)
    return (1 / k - 1 / pool) * factor, (1 / pool - 1 / items) * factor


def two_phase(
    k: float, pool: float, items: float, *, variance: float, rho: float, probes: int = 0, imbalance: float = 0.0
) -> TwoPhase:
    """Error of k items, balanced on the means of p probes, out of a random pool of P out of N.

    With a1 and a2 of ``phase_factors``::

        Var = v [a1 (1 - R_1^2 (1 - v_m)) + a2]        Cov = rho v [a1 (1 - R_c^2 (1 - v_m)) + a2]

    where R_c^2 is the limit of many models: in a covariance no model meets itself. a2 is the pool's own error, which no
    choice inside the pool can take away; the published theorem leaves it out, and is too small wherever P < N: with
    P = 4k and k << N what is left is 1 - R^2 + R^2 / 4 of the variance rather than 1 - R^2. It also takes the residual
    for independent of the choice; it is uncorrelated with it, which is the same under a normal law only.

    Without probes this is simple random sampling, v c(k)^2, whatever the pool.

    Args:
        k: As in ``phase_factors``, like pool and items.
        pool: P.
        items: N.
        variance: v, of one model over items, divisor N, metric units squared.
        rho: Correlation between models; below 0 the probes explain nothing.
        probes: p.
        imbalance: v_m, the share of the probes' imbalance that is left after the search: ``leftover``, or measured.

    Raises:
        UsageError: Sizes out of order.
    """
    a1, a2 = phase_factors(k, pool, items)
    explained = r1_squared(rho, probes) * (1 - imbalance)
    return TwoPhase(
        variance=variance * (a1 * (1 - explained) + a2), covariance=variance * (a1 * (rho - explained) + a2 * rho)
    )


def leftover(dimensions: float, candidates: int) -> float:
    """v_m = E[min of m chi^2_q] / q: share of a random draw's squared imbalance that the best of m candidates keeps.

    Exact for q independent normal features of equal spread and independent candidates, by the trapezoid rule over the
    logarithm of m times the minimum's cumulative hazard, which is a standard exponential. Probe columns correlate, so
    real features have fewer effective dimensions and less is left: ``measured_leftover`` is better where candidates are
    at hand.

    Args:
        dimensions: q, independent features; need not be whole.
        candidates: m.
    """
    if dimensions <= 0 or candidates < 1:
        raise UsageError(f"{dimensions} dimensions, {candidates} candidates: give more than 0, and 1 or more.")
    log = np.arange(*LOG_RANGE, LOG_STEP)
    hazard = np.exp(log) / candidates
    low = special.gammaincinv(dimensions / 2, -np.expm1(-hazard))
    high = special.gammainccinv(dimensions / 2, np.exp(-hazard))
    least = 2 * np.where(hazard < 0.5, low, high)
    return float((least * np.exp(log - np.exp(log))).sum() * LOG_STEP / dimensions)


def measured_leftover(squares: ArrayLike) -> float:
    """v_m as measured: mean over draws of the least squared imbalance, over the mean of all.

    Args:
        squares: float [draw, candidate] or [candidate], squared distances of random candidates.

    Raises:
        DataRefused: There is none, or they are all 0 (nothing to balance).
    """
    values = np.atleast_2d(np.asarray(squares, dtype=np.float64))
    if values.size == 0 or not values.mean() > 0:
        raise DataRefused("no imbalance to measure: there are no candidates, or all their distances are 0.")
    return float(values.min(axis=1).mean() / values.mean())
