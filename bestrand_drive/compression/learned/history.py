"""Full histories: every source model's score on every item, on the unit scale, gaps filled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.errors import UsageError
from bestrand_drive.scores.matrix import ScoreMatrix

Array = np.ndarray


@dataclass(frozen=True)
class History:
    """Scores of source models on all items.

    Attributes:
        scores: float64 [model, item] in [0, 1], no gaps.
        weights: float64 [item], what an item counts in the benchmark's mean.
        low: The metric's value at 0 of the unit scale.
        width: From there to 1.
    """

    scores: Array
    weights: Array
    low: float
    width: float

    def unit(self, values: Array) -> Array:
        """Metric units to the unit scale (values beyond the models' range leave [0, 1])."""
        return np.asarray((values - self.low) / self.width)

    def units(self, value: float) -> float:
        """Unit scale to metric units."""
        return self.low + self.width * value


def history(scores: ScoreMatrix, metric: int, name: str, *, least: int) -> History:
    """Read the histories of one metric.

    The unit scale is the metric's bounds, else the range that the models show. A missing cell takes the mean of the
    item's other models plus what the model scores above them elsewhere (an additive fit), within [0, 1].

    Args:
        scores: Probes, hidden outside the pool.
        metric: Number of the metric.
        name: Of the method that asks.
        least: Models that it needs.

    Raises:
        UsageError: Too few models, or an item without any score.
    """
    values = scores.masked(metric).T
    values = values[~np.isnan(values).all(axis=1)]
    spec = scores.metrics[metric]
    if len(values) < least:
        raise UsageError(
            f"{name} learns from the results of at least {least} probes; of {spec.name} there are {len(values)}. "
            "Give more, or use random or stratified."
        )
    absent = int(np.isnan(values).all(axis=0).sum())
    if absent:
        raise UsageError(
            f"{name} learns from full histories, but {absent} of {values.shape[1]} items have no probe score of "
            f"{spec.name} (or lie outside the pool). Give results on all items without --pool-factor, or use balanced."
        )
    low, high = spec.bounds or (float(np.nanmin(values)), float(np.nanmax(values)))
    width = high - low if high > low else 1.0
    weights = np.ones(values.shape[1]) if scores.weights is None else scores.weights.numpy()
    return History(_filled((values - low) / width), weights, low, width)


def _filled(values: Array) -> Array:
    gaps = np.isnan(values)
    if not gaps.any():
        return np.asarray(np.clip(values, 0.0, 1.0))
    level = np.nanmean(values, axis=0)
    ahead = np.nanmean(values - level, axis=1)
    return np.asarray(np.clip(np.where(gaps, level + ahead[:, None], values), 0.0, 1.0))
