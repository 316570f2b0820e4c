"""The distance between a candidate's probe means and the pool's."""

from __future__ import annotations

import math

import torch
from torch import Tensor

NORMS = {"l1": 1.0, "l2": 2.0, "max": math.inf}
"""Distances by name: the order of the norm."""


def imbalance(
    features: Tensor,
    candidates: Tensor,
    valid: Tensor | None = None,
    weights: Tensor | None = None,
    norm: float = 2.0,
) -> Tensor:
    """Distance (L2 unless said otherwise) between feature means over each candidate and over all items.

    Masked cells take part in neither mean, so a missing score is never counted as zero. A feature with no valid cell
    in a candidate makes that candidate infinitely far.

    Args:
        features: float64 Tensor[item, feature].
        candidates: long Tensor[candidate, k], item numbers.
        valid: bool Tensor[item, feature], or None when every cell is valid.
        weights: float64 Tensor[item], what an item counts in the mean, or None for 1 each.
        norm: Order of the distance, one of ``NORMS``.

    Returns:
        float64 Tensor[candidate].
    """
    counts = torch.ones_like(features) if valid is None else valid.to(features.dtype)
    if weights is not None:
        counts = counts * weights[:, None].to(features.device)
    amounts = torch.where(counts > 0, features * counts, torch.zeros((), dtype=features.dtype, device=features.device))
    target = amounts.sum(dim=0) / counts.sum(dim=0).clamp(min=1e-300)
    if valid is None and weights is None:
        means = features[candidates].mean(dim=1)
    else:
        means = amounts[candidates].sum(dim=1) / counts[candidates].sum(dim=1)
    distance = torch.linalg.vector_norm(means - target, ord=norm, dim=1)
    return torch.nan_to_num(distance, nan=torch.inf)
