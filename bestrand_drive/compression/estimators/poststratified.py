"""Post-stratification by the probes: classes of items of like mean probe score, weighted by their size in the pool.

Source: Cochran, Sampling Techniques, 5A.9. Classes are made of the pool alone and so do not depend on the target.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestrand_drive.compression.estimators.sample import Array, PointEstimate, Sample, sample_variance
from bestrand_drive.compression.estimators.source import Source
from bestrand_drive.compression.estimators.stratified import stratified_mean

MOST_CLASSES = 5
LEAST_MEASURED = 10
"""Measured items a class should hold on average; below two classes' worth it is the plain mean."""


def poststratified(sample: Sample, source: Source) -> PointEstimate:
    """Mean of class means with the classes' shares of the pool; a class without a measured item takes the plain mean.

    Outside a partial pool nothing is known of an item: the estimate is of the pool's mean, and the pool's own error is
    added to the variance.

    Args:
        sample: At least one measured value that counts.
        source: The probes.
    """
    measured = sample.counted
    inside = measured[np.isin(measured, source.pool)]
    classes = min(MOST_CLASSES, len(inside) // LEAST_MEASURED) if source.columns.shape[1] else 1
    labels = np.zeros(source.items, dtype=np.int64)
    partial = len(inside) > 0 and len(source.pool) < source.items
    weights, squares = sample.weights.copy(), sample.squares.copy()
    if partial:
        outside = np.setdiff1d(np.arange(source.items), source.pool)
        weights[outside] = squares[outside] = 0.0
    if classes > 1:
        labels[source.pool] = _classes(source.profile[source.pool], classes)
    point = stratified_mean(Sample(sample.values, weights, labels, squares))
    if partial:
        lost = max(0.0, 1 / point.population - 1 / sample.population) * sample_variance(point.values)
        point = replace(point, variance=point.variance + lost, population=sample.population, complete=sample.complete)
    return replace(point, method="post-stratified")


def _classes(profile: Array, classes: int) -> Array:
    """Class numbers from 0 [pool item]: cut at equal shares of the items, equal profiles always together."""
    cuts = np.quantile(profile, np.arange(1, classes) / classes, method="lower")
    return np.asarray(np.searchsorted(np.unique(np.round(cuts, 9)), np.round(profile, 9), side="left"))
