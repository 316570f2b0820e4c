"""Items that must stay together, folded into one item a group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.errors import DataRefused
from bestrand_drive.scores.matrix import ScoreMatrix


def fold_groups(scores: ScoreMatrix, groups: tuple[str, ...]) -> tuple[ScoreMatrix, tuple[tuple[str, ...], ...]]:
    """Fold each group into one item that carries the mean of its valid members and counts as many as it has.

    The benchmark's mean over items is the weighted mean over groups, weights = group sizes, when no cell is missing; a
    member without a score leaves its group's mean to the others.

    Args:
        scores: Matrix over single items.
        groups: One label an item.

    Returns:
        The matrix over groups (in order of first appearance) and the member ids of each.

    Raises:
        DataRefused: A group spans two strata.
    """
    names = tuple(dict.fromkeys(groups))
    position = {name: number for number, name in enumerate(names)}
    index = torch.tensor([position[name] for name in groups], dtype=torch.long)
    members: list[list[str]] = [[] for _ in names]
    for item, group in zip(scores.items, index.tolist(), strict=True):
        members[group].append(item)
    count = _sum_by(index, len(names), scores.valid.to(torch.float64))
    total = _sum_by(index, len(names), scores.values.to(torch.float64))
    valid = count > 0
    folded = replace(
        scores,
        values=torch.where(valid, total / count.clamp(min=1), torch.zeros((), dtype=torch.float64)).to(torch.float32),
        valid=valid,
        items=names,
        repeats=valid.to(torch.int32),
        repeat_variance=torch.zeros_like(total, dtype=torch.float32),
        strata=_group_strata(scores, index, names),
        cost_s=None if scores.cost_s is None else _sum_by(index, len(names), scores.cost_s),
        domains={name: _sum_by(index, len(names), mask.long()) > 0 for name, mask in scores.domains.items()},
        weights=torch.tensor([len(group) for group in members], dtype=torch.float64),
    )
    return folded, tuple(tuple(group) for group in members)


def _sum_by(index: Tensor, groups: int, values: Tensor) -> Tensor:
    """Sum rows of ``values`` [item, ...] by group."""
    return torch.zeros((groups, *values.shape[1:]), dtype=values.dtype).index_add_(0, index, values)


def _group_strata(scores: ScoreMatrix, index: Tensor, names: tuple[str, ...]) -> tuple[str, ...] | None:
    if scores.strata is None:
        return None
    labels = np.array(scores.strata)
    found: list[str] = []
    for group, name in enumerate(names):
        inside = sorted(set(labels[(index == group).numpy()]))
        if len(inside) > 1:
            raise DataRefused(f"Group {name!r} lies in {len(inside)} strata ({', '.join(inside[:3])}); give it one.")
        found.append(str(inside[0]))
    return tuple(found)
