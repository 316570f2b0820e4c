"""What candidates are balanced on: standardised probe scores of every metric and their mean profile.

For a ranking the differences between probes are balanced instead (objective ``ranking``): what moves all probes alike
moves no policy past another. Over all pairs a < b of p probes ``sum (x_a - x_b)^2 = p sum (x_a - xbar)^2``, so that
scores less the mean of their item say the same with p columns instead of p (p - 1) / 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

OBJECTIVES = ("scores", "ranking")
"""What is balanced: the probes' scores, or the differences between them."""


def differences(columns: np.ndarray) -> np.ndarray:
    """Scores less the mean of their item, after each column's own mean; what is missing stays so and counts nowhere.

    Args:
        columns: [item, probe], NaN where missing.
    """
    known = ~np.isnan(columns)
    own = np.where(known, columns, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    moved = columns - own
    shared = np.where(known, moved, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.asarray(moved - shared[:, None])


def standardised_features(columns: Sequence[np.ndarray], weights: Sequence[float]) -> Tensor:
    """Stack the metrics' columns on one scale.

    Per metric, ``z = c / s`` with ``s`` the root mean square over items and probes; the features are all columns of
    ``z`` and, once, ``sqrt(p)`` times their row mean (the mean profile). A metric without variance gives none.

    Args:
        columns: One array [item, probe] a metric, every column of mean 0.
        weights: One factor a metric; 0 leaves it out.

    Returns:
        float64 Tensor[item, feature].
    """
    blocks: list[np.ndarray] = []
    for block, weight in zip(columns, weights, strict=True):
        scale = float(np.sqrt(np.mean(block**2))) if block.size else 0.0
        if weight == 0 or scale <= 1e-12:
            continue
        z = weight * block / scale
        blocks.extend((z, np.sqrt(z.shape[1]) * z.mean(axis=1, keepdims=True)))
    items = len(columns[0]) if columns else 0
    return torch.from_numpy(np.concatenate(blocks, axis=1) if blocks else np.zeros((items, 0)))
