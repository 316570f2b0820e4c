"""Anchor Points predictor: every other item is predicted by its anchor's line, and the predictions are averaged.

Source: Vivek et al. (arXiv 2309.08638), as ``AnchorPointPredictorPred`` of benchpred 1.0.0: the anchors' own scores do
not enter the mean.
"""

from __future__ import annotations

import numpy as np

from bestrand_drive.compression.estimators.sample import Array
from bestrand_drive.compression.estimators.source import Guess, Source
from bestrand_drive.compression.learned.anchors import AnchorLines
from bestrand_drive.compression.selectors.base import Selection
from bestrand_drive.errors import UsageError


def anchor_lines(values: Array, selection: Selection, source: Source) -> list[Guess]:
    """Weighted mean of the predicted items whose anchor was measured; the plain mean when there is none.

    Raises:
        UsageError: The selection has no lines for this metric.
    """
    lines = selection.model.get(source.metric)
    if not isinstance(lines, AnchorLines):
        raise UsageError("anchor-predictor estimates suites chosen by the selector anchor-predictor only.")
    positions = np.searchsorted(selection.indices.numpy(), lines.anchor)
    predicted = lines.slope[:, None] * values[positions] + lines.intercept[:, None]
    weights = np.where(np.isnan(predicted), 0.0, lines.weights[:, None])
    total = weights.sum(axis=0)
    means = (weights * np.nan_to_num(predicted)).sum(axis=0) / np.where(total > 0, total, 1.0)
    return [Guess(float(v)) for v in np.where(total > 0, means, np.nanmean(values, axis=0))]
