"""The suite's estimator as what it is in the measured values: a weighted sum.

With the same items measured on both sides, every default estimator weighs an item alike whatever was measured there,
and its constants cancel: the difference of the two estimates is ``sum_S a_i d_i`` with d the items' differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimation import ProbeKnowledge
from bestrand_drive.compression.estimators.blup import blup_weights
from bestrand_drive.compression.estimators.expc import ProbeRegression, expc_weights
from bestrand_drive.compression.estimators.sample import Array, Sample
from bestrand_drive.compression.estimators.stratified import stratified_weights

Residuals = Callable[[Array], tuple[Array, float]]
"""From the used items' values to what probes leave of them, centred or not, and how many parameters that took."""


@dataclass(frozen=True)
class LinearEstimator:
    """An estimator on some measured items.

    Attributes:
        used: Numbers of the items that enter, int64 [n].
        weights: float64 [n], what each weighs in the estimate; they sum to 1.
        residuals: See ``Residuals``.
        method: Its name.
    """

    used: Array
    weights: Array
    residuals: Residuals
    method: str


def linear_estimator(sample: Sample, known: ProbeKnowledge) -> LinearEstimator:
    """The estimator that ``point_estimate`` would choose for a sample.

    Args:
        sample: Says which items are measured and what they count; its values do not matter.
        known: What the suite knows of the metric.
    """
    if known.regression is not None and np.ptp(sample.weights) == 0:
        return _regression(sample, known.regression)
    if known.model is not None and known.model.s_u2 + known.model.s_e2 > 0:
        return _difficulty(sample, known.model)
    return LinearEstimator(sample.counted, stratified_weights(sample), _untouched, "stratified mean")


def _untouched(values: Array) -> tuple[Array, float]:
    return values, 0.0


def _difficulty(sample: Sample, model: DifficultyModel) -> LinearEstimator:
    weights, slopes = blup_weights(sample, model)
    d = model.d[sample.measured]

    def residuals(values: Array) -> tuple[Array, float]:
        return values - d @ (slopes @ values), float(np.trace(slopes @ d))

    return LinearEstimator(sample.measured, weights, residuals, "blup")


def _regression(sample: Sample, probes: ProbeRegression) -> LinearEstimator:
    used, weights, slopes = expc_weights(sample, probes)
    x = probes.scores[used]
    x = x - x.mean(axis=0)

    def residuals(values: Array) -> tuple[Array, float]:
        return values - x @ (slopes @ values), float(np.trace(slopes @ x))

    return LinearEstimator(used, weights, residuals, "exPC")
