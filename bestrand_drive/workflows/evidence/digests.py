"""Recognising a policy by its scores."""

from __future__ import annotations

import hashlib

import numpy as np
from torch import Tensor

from bestrand_drive.scores.matrix import ScoreMatrix


def distinct_values(scores: ScoreMatrix, items: Tensor) -> int:
    """How many different values off a metric's bounds one policy has on some items, over all metrics.

    Args:
        scores: One policy.
        items: long Tensor[k].
    """
    count = 0
    for spec in scores.metrics:
        column = scores.masked(spec.name)[items.numpy(), 0]
        values = set(column[~np.isnan(column)].tolist()) - {spec.low, spec.high}
        count += 0 if spec.binary else len(values)
    return count


def score_digest(scores: ScoreMatrix, items: Tensor) -> str:
    """SHA-256 of one policy's scores on some items; six significant digits, so that file formats do not matter.

    Args:
        scores: One policy.
        items: long Tensor[k].
    """
    lines = []
    for metric in sorted(scores.metric_names):
        column = scores.masked(metric)[items.numpy(), 0]
        lines += [f"{scores.items[i]} {metric} {v:.6g}" for i, v in zip(items.tolist(), column, strict=True)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
