"""Judging candidates by sums over their items, for ways that know the sums without the items."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bestrand_drive.compression.search.space import SearchSpace


@dataclass(frozen=True)
class ItemSums:
    """What is added up over a candidate's items, and how its imbalance and guards follow.

    Attributes:
        columns: float64 Tensor[item, column]: each feature times what it counts; then, when cells are masked or items
            weighted, what they count; then a 1 where a guard has the item.
        width: Number of features.
        counted: Whether the counts are there.
        guards: Number of guards.
        target: float64 Tensor[feature], means over all items.
    """

    columns: Tensor
    width: int
    counted: bool
    guards: int
    target: Tensor

    def accepted(self, totals: Tensor) -> Tensor:
        """Which candidates hold an item of every guard, by their sums: bool Tensor[candidate]."""
        return (totals[:, totals.shape[1] - self.guards :] > 0.5).all(dim=1)

    def imbalance(self, totals: Tensor, k: int) -> Tensor:
        """L2 distance of candidates' means from the target (as ``compression.imbalance``), Tensor[candidate].

        Args:
            totals: float64 Tensor[candidate, column].
            k: Items in each.
        """
        counts: Tensor | int = totals[:, self.width : 2 * self.width] if self.counted else k
        means = totals[:, : self.width] / counts
        distance = torch.linalg.vector_norm(means - self.target.to(totals.device), dim=1)
        return torch.nan_to_num(distance, nan=torch.inf).cpu()


def item_sums(space: SearchSpace) -> ItemSums:
    """The columns of a space; without masks, weights and guards they are the features themselves, not a copy."""
    features = space.features
    counted = space.valid is not None or space.weights is not None
    blocks, target = [features], features.mean(dim=0)
    if counted:
        counts = torch.ones_like(features) if space.valid is None else space.valid.to(features.dtype)
        if space.weights is not None:
            counts = counts * space.weights[:, None]
        amounts = torch.where(counts > 0, features * counts, torch.zeros((), dtype=features.dtype))
        blocks, target = [amounts, counts], amounts.sum(dim=0) / counts.sum(dim=0).clamp(min=1e-300)
    if len(space.guards):
        blocks.append(space.guards.T.to(features.dtype))
    columns = blocks[0] if len(blocks) == 1 else torch.cat(blocks, dim=1)
    return ItemSums(columns, features.shape[1], counted, len(space.guards), target)
