"""What an estimator knows beside a target's values: the probes' scores, one metric of them, and what they tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel, fit_difficulty
from bestrand_drive.compression.estimators.expc import ProbeRegression, fit_regression
from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample, ratio_sample
from bestrand_drive.compression.profiles import profiles
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix


@dataclass(frozen=True)
class Guess:
    """An estimate of a full score.

    Attributes:
        value: Metric units.
        point: With the variance and all else that an interval needs, or None when the estimator tells none.
    """

    value: float
    point: PointEstimate | None = None

    @classmethod
    def of(cls, point: PointEstimate) -> Guess:
        """The guess of an estimator that tells its variance."""
        return cls(point.value, point)

    @property
    def variance(self) -> float | None:
        """Variance of the error, metric units squared, or None."""
        return None if self.point is None else self.point.variance


@dataclass(frozen=True)
class Source:
    """Probe scores as estimators see them; what is derived is computed once.

    Attributes:
        scores: Probes on all N items, hidden outside the pool.
        pool: int64 [pool item], item numbers.
        metric: Number of the metric.
        families: Policy numbers of each family; empty when every probe stands alone.
        driven: Of a ratio metric: bool [k, target], chosen items on which the target has any score, so that one
            without this metric does not count; None where an item without a value was not measured.
    """

    scores: ScoreMatrix
    pool: Array
    metric: int = 0
    families: Sequence[Sequence[int]] = ()
    driven: Array | None = None

    @property
    def items(self) -> int:
        """N."""
        return len(self.scores.items)

    @cached_property
    def weights(self) -> Array:
        """What each item counts in the benchmark's mean, float64 [item]."""
        return np.ones(self.items) if self.scores.weights is None else self.scores.weights.numpy()

    @cached_property
    def strata(self) -> Array:
        """Stratum numbers, int64 [item]; all 0 without strata."""
        return stratum_codes(self.scores.strata or [""] * self.items).codes.numpy()

    @cached_property
    def columns(self) -> Array:
        """Centred, family-averaged and filled scores, float64 [pool item, family]."""
        families = self.families or [[number] for number in range(len(self.scores.policies))]
        return profiles(self.scores.masked(self.metric), families, self.pool)

    @cached_property
    def profile(self) -> Array:
        """Mean probe score of every item of the pool, centred, float64 [item]; NaN where nothing is known."""
        whole = np.full(self.items, np.nan)
        if self.columns.shape[1]:
            whole[self.pool] = self.columns.mean(axis=1)
        return whole

    @cached_property
    def difficulty(self) -> DifficultyModel:
        """The difficulty model of this metric."""
        return fit_difficulty(self.columns, self.strata, self.pool)

    @cached_property
    def regression(self) -> ProbeRegression:
        """The probe regression of this metric.

        Raises:
            UsageError: Items count differently, which the regression cannot serve.
        """
        if np.ptp(self.weights) > 0:
            raise UsageError("expc and exchangeable are for items that count alike; use blup, calibration or ppi.")
        return fit_regression(self.columns, self.pool, self.items)

    def samples(self, values: Array, indices: Array) -> list[Sample]:
        """Each target's values [k, target] laid on all items; of a ratio metric see ``ratio_sample``."""
        laid = np.full((self.items, values.shape[1]), np.nan)
        laid[indices] = values
        samples = [Sample(column, self.weights, self.strata) for column in laid.T]
        if self.driven is None:
            return samples
        driven = np.zeros(laid.shape, dtype=bool)
        driven[indices] = self.driven
        return [ratio_sample(sample, column) for sample, column in zip(samples, driven.T, strict=True)]
