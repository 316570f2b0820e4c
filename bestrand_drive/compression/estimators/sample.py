"""What is known of one metric of one policy on a suite, and what an estimator says of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Sample:
    """Measured values and what every item counts in the number that is wanted.

    The number is ``sum_i w_i y_i / sum_i w_i`` over all N items of the benchmark, or of a domain of it.

    Attributes:
        values: float64 [item], NaN where not measured.
        weights: float64 [item], what an item counts (0 outside a domain; its size for a cluster). For a measured item
            that turned out not to belong (it logged nothing for a ratio metric) 0; for an unmeasured one the chance
            that it belongs.
        strata: int64 [item], stratum numbers from 0.
        squares: float64 [item], expectation of the squared weight; differs from ``weights ** 2`` where a weight is the
            chance to belong (a Bernoulli weight of chance p has squares p, not p^2).
    """

    values: Array
    weights: Array
    strata: Array
    squares: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if not len(self.squares):
            object.__setattr__(self, "squares", self.weights**2)

    @property
    def measured(self) -> Array:
        """Numbers of the measured items, int64 [n]."""
        return np.flatnonzero(~np.isnan(self.values))

    @property
    def counted(self) -> Array:
        """Numbers of the measured items that count, int64 [n_w]; fits use ``measured``, the answer is about these."""
        return np.flatnonzero(~np.isnan(self.values) & (self.weights > 0))

    @property
    def population(self) -> float:
        """How many items count, (sum w)^2 / sum w^2: N for equal weights, the expected number for chances."""
        return float(self.weights.sum() ** 2 / self.squares.sum())

    @property
    def chances(self) -> Array:
        """Chance of each item to count, float64 [item]: 1 where that is known, 0 where it does not."""
        return np.asarray(self.weights**2 / np.where(self.squares > 0, self.squares, 1.0))

    @property
    def complete(self) -> bool:
        """Whether every item that counts was measured."""
        return not bool((np.isnan(self.values) & (self.weights > 0)).any())


@dataclass(frozen=True)
class PointEstimate:
    """An estimate with the variance of its error as an estimate of this run on all N items.

    Attributes:
        value: Metric units.
        variance: Metric units squared.
        df: Degrees of freedom of the variance.
        n: Measured items that count.
        spread2: Sample variance of those items' values, metric units squared.
        residuals: float64 [measured item], what the estimator could not explain, centred.
        values: float64 [counted item], what was measured.
        population: Items that count, measured or not (``Sample.population``).
        complete: Whether all of them were measured.
        method: Name of the estimator.
    """

    value: float
    variance: float
    df: float
    n: int
    spread2: float
    residuals: Array
    values: Array
    population: float
    complete: bool
    method: str

    @property
    def mean(self) -> float:
        """Plain mean of the counted values."""
        return float(self.values.mean())


def ratio_sample(sample: Sample, driven: Array) -> Sample:
    """The sample of a metric whose benchmark value is a mean over the items that logged it.

    An item that was driven without logging does not count; one that was not driven counts by the share of driven ones
    that logged (a ratio estimator of the unknown number of items).

    Args:
        sample: With the weights of a plain mean.
        driven: bool [item], items with any score.
    """
    logged = ~np.isnan(sample.values)
    share = logged.sum() / max(int(driven.sum()), 1)
    chance = np.where(driven, logged.astype(float), share)
    return Sample(sample.values, sample.weights * chance, sample.strata, sample.squares * chance)


def sample_variance(values: Array) -> float:
    """Variance with n - 1; 0 for fewer than two values."""
    return float(values.var(ddof=1)) if len(values) > 1 else 0.0
