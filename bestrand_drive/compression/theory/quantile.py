"""The law of the mean absolute error over M models whose errors are normal and equally correlated.

With errors of standard deviation 1 and correlation r >= 0::

    MAE = mean_m |sqrt(r) Z_0 + sqrt(1 - r) Z_m|

Given Z_0 this is a mean of M independent folded normals: their masses on a grid are convolved M times by one FFT, and
the results are mixed over Z_0. So the law is exact but for grids (quantiles to about 1e-4), for any M. Multiply by the
standard deviation of one model's error to have metric units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from bestrand_drive.errors import UsageError

Array = np.ndarray
BINS = 4096
WINDOW = 20.0
"""Width of the grid for a sum of M folded normals, in sqrt(M) standard deviations of the normal."""
REACH = 8.5
"""Where a standard normal ends."""
MOST_NODES = 4000
HALF_NORMAL_MEAN = math.sqrt(2 / math.pi)
"""Mean of the absolute value of a standard normal."""


@dataclass(frozen=True)
class MaeLaw:
    """The law, on a grid.

    Attributes:
        rho: Correlation of the errors.
        models: M.
        grid: float64 [point], ascending values of the MAE.
        below: float64 [point], probability of an MAE up to there.
    """

    rho: float
    models: int
    grid: Array
    below: Array

    def cdf(self, value: float) -> float:
        """Probability of an MAE up to a value."""
        return float(np.interp(value, self.grid, self.below, left=0.0, right=1.0))

    def quantile(self, level: float) -> float:
        """The value that the MAE stays under with a probability.

        Raises:
            UsageError: The level is not within 0 and 1.
        """
        if not 0 < level < 1:
            raise UsageError(f"level {level}: give a probability between 0 and 1.")
        if self.half_normal:
            return float(special.ndtri((1 + level) / 2))
        if not self.below[0] < level < self.below[-1]:  # beyond what a double tells from 0 or 1
            return float(self.grid[0 if level <= self.below[0] else -1])
        last = int(np.searchsorted(self.below, level))
        low, high = self.below[last - 1], self.below[last]
        share = (level - low) / (high - low)
        return float(self.grid[last - 1] + share * (self.grid[last] - self.grid[last - 1]))

    @property
    def half_normal(self) -> bool:
        """Whether the MAE is the absolute value of one normal: one model, or models that err alike."""
        return self.models == 1 or self.rho == 1

    @property
    def mean(self) -> float:
        """E[MAE] = sqrt(2 / pi), whatever rho and M."""
        return HALF_NORMAL_MEAN

    @property
    def mode(self) -> float:
        """Where the density is greatest, to a hundredth of the grid's step by a parabola; 0 for the half normal.

        The published formula for it, ``asymptotic.mode``, is the limit of many models.
        """
        if self.half_normal:
            return 0.0
        density = np.diff(self.below)
        top = int(density.argmax())
        middle = (self.grid[top] + self.grid[top + 1]) / 2
        if not 0 < top < len(density) - 1:
            return float(middle)
        before, at, after = density[top - 1 : top + 2]
        bend = before - 2 * at + after
        shift = (before - after) / (2 * bend) if bend < 0 else 0.0
        return float(middle + shift * (self.grid[1] - self.grid[0]))

    def pdf(self, value: float) -> float:
        """Density at a value."""
        if self.half_normal:
            return HALF_NORMAL_MEAN * math.exp(-(value**2) / 2) if value >= 0 else 0.0
        step = float(self.grid[1] - self.grid[0])
        return (self.cdf(value + step) - self.cdf(value - step)) / (2 * step)


def mae_quantile(rho: float, models: int, level: float) -> float:
    """The MAE over M models that is not passed with a probability, in standard deviations of one model's error.

    Args:
        rho: Correlation of the errors, 0 to 1 (with two models from -1).
        models: M.
        level: Such as .95.

    Raises:
        UsageError: As ``mae_law``; the level is not within 0 and 1.
    """
    return mae_law(rho, models).quantile(level)


@lru_cache(maxsize=128)
def mae_law(rho: float, models: int) -> MaeLaw:
    """The law of the mean absolute error; it is computed once.

    Args:
        rho: Correlation of the errors. Of two models only rho^2 matters. More than two with a correlation below 0 have
            no such law that is easy: take ``mae_draws`` of their covariances, or 0, which is near, since the
            correlation of M models is -1 / (M - 1) at least.
        models: M, 1 or more.

    Raises:
        UsageError: No such law, or a correlation below 0 of more than two models.
    """
    if models < 1 or models != int(models):
        raise UsageError(f"{models} models: give a whole number, 1 or more.")
    if models > 2 and rho < 0:
        raise UsageError(
            f"rho = {rho:.3g}: {models} models correlate at -1/(M - 1) = {-1 / (models - 1):.3g} or more, and the law "
            "of their mean error is computed from 0 on only; use 0, or draws from the covariances (mae_draws)."
        )
    if not -1 <= rho <= 1:
        raise UsageError(f"rho = {rho}: a correlation lies within -1 and 1.")
    r = abs(rho)
    mean, spread = HALF_NORMAL_MEAN, mae_sd(r, models)
    grid = np.linspace(max(0.0, mean - 9 * spread), max(mean + 9 * spread, REACH * math.sqrt(r)), BINS + 1)
    if models == 1 or r == 1:
        return MaeLaw(r, models, grid, np.asarray(special.erf(grid / math.sqrt(2))))
    nodes, weights = _nodes(r, models)
    below = np.zeros_like(grid)
    sd = math.sqrt(1 - r)
    for centre, weight in zip(math.sqrt(r) * nodes, weights, strict=True):
        if centre > REACH * sd:  # nothing is folded
            below += weight * special.ndtr((grid - centre) * (math.sqrt(models) / sd))
            continue
        values, masses = _mean_of_folded(centre, sd, models)
        below += weight * np.interp(grid, values, masses, left=0.0, right=1.0)
    return MaeLaw(r, models, grid, below)


def mae_sd(rho: float, models: int) -> float:
    """Standard deviation of the MAE in standard deviations of one model's error; exact, for rho of either sign.

    Two normals of correlation rho have Cov(|X|, |Y|) = (2/pi) (sqrt(1 - rho^2) + rho asin(rho) - 1).
    """
    pair = (2 / math.pi) * (math.sqrt(1 - rho**2) + rho * math.asin(rho) - 1)
    return math.sqrt((1 - 2 / math.pi) / models + (1 - 1 / models) * pair)


def _nodes(r: float, models: int) -> tuple[Array, Array]:
    """Values of |Z_0| and their weights: the trapezoid rule in steps finer than the law's width given Z_0."""
    if r == 0:
        return np.zeros(1), np.ones(1)
    width = math.sqrt((1 - r) / (r * models))
    steps = min(math.ceil(REACH / min(0.25, 0.65 * width)), MOST_NODES)
    nodes = np.linspace(0, REACH, steps + 1)
    weights = np.exp(-(nodes**2) / 2)
    weights[0] /= 2
    return nodes, weights / weights.sum()


def _mean_of_folded(centre: float, sd: float, models: int) -> tuple[Array, Array]:
    """Law of the mean of M independent |N(centre, sd^2)|: values and the probability up to each.

    The masses on the grid have not quite the mean and the variance of the folded normal; the sum is moved and stretched
    to have them, so that what is left of the grid is of third order.
    """
    step = WINDOW * math.sqrt(models) * sd / BINS
    first = max(0, math.floor((centre - 9 * sd) / step))
    edges = (first + np.arange(math.ceil(18 * sd / step) + 2)) * step
    masses = np.diff(special.ndtr((edges - centre) / sd) - special.ndtr((-edges - centre) / sd))
    places = np.arange(len(masses))
    mean = float(places @ masses)
    spread = math.sqrt(float((places - mean) ** 2 @ masses))
    sums = np.fft.irfft(np.fft.rfft(masses, BINS) ** models, BINS).clip(min=0)
    offsets = round(models * mean) + np.arange(-BINS // 2, BINS // 2)
    below = np.cumsum(sums[offsets % BINS])
    true_mean = sd * HALF_NORMAL_MEAN * math.exp(-((centre / sd) ** 2) / 2) + centre * math.erf(
        centre / (sd * math.sqrt(2))
    )
    true_sd = math.sqrt(max(centre**2 + sd**2 - true_mean**2, 0.0))
    values = true_mean + (offsets + 0.5 - models * mean) / models * (true_sd / spread)
    return values, below / below[-1]


def mae_draws(covariances: Array, draws: int = 20_000, seed: int = 0) -> Array:
    """Draws of the mean absolute error over models whose errors are normal with any covariances.

    For models that are far from alike (unequal variances, correlations of both signs) the law above is off; quantiles
    of these draws are right. A matrix that is not positive semidefinite (moments of scores with gaps) has its negative
    eigenvalues set to 0.

    Args:
        covariances: float64 [model, model], of the errors: c(k)^2 times the covariances of the scores.
        draws: How many.
        seed: Of the draws.

    Returns:
        float64 [draw], in the units of the errors.
    """
    values, vectors = np.linalg.eigh(np.asarray(covariances, dtype=np.float64))
    root = vectors * np.sqrt(values.clip(min=0))
    normals = np.random.default_rng(seed).standard_normal((draws, len(values)))
    return np.asarray(np.abs(normals @ root.T).mean(axis=1))
