"""Items that must stay together, folded into one item a group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.errors import DataRefused
from bestrand_drive.scores.matrix import ScoreMatrix


def fold_groups(
    scores: ScoreMatrix, groups: tuple[str, ...], *, whole: bool = False
) -> tuple[ScoreMatrix, tuple[tuple[str, ...], ...]]:
    """Fold each group into one item that carries the mean of its valid members and counts as many as it has.

    The benchmark's mean over items is the weighted mean over groups, weights = group sizes, when no cell is missing; a
    member without a score leaves its group's mean to the others, unless ``whole`` asks for all of them. Run noise of a
    group is that of the mean of its members.

    Args:
        scores: Matrix over single items.
        groups: One label an item.
        whole: Whether a group counts as measured only when every member is.

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
    sizes = torch.tensor([len(group) for group in members], dtype=torch.float64)
    valid = count == sizes[:, None, None] if whole else count > 0
    variance = _sum_by(index, len(names), scores.repeat_variance.to(torch.float64)) / count.clamp(min=1) ** 2
    folded = replace(
        scores,
        values=torch.where(valid, total / count.clamp(min=1), torch.zeros((), dtype=torch.float64)).to(torch.float32),
        valid=valid,
        items=names,
        metrics=tuple(replace(spec, binary=spec.binary and len(names) == len(groups)) for spec in scores.metrics),
        repeats=torch.where(valid, _least_repeats(index, len(names), scores), 0),
        repeat_variance=torch.where(valid, variance, 0.0).to(torch.float32),
        strata=_group_strata(scores, index, names),
        cost_s=None if scores.cost_s is None else _sum_by(index, len(names), scores.cost_s),
        domains={name: _sum_by(index, len(names), mask.long()) > 0 for name, mask in scores.domains.items()},
        weights=sizes,
    )
    return folded, tuple(tuple(group) for group in members)


def _least_repeats(index: Tensor, groups: int, scores: ScoreMatrix) -> Tensor:
    """Fewest repeats of a group's measured members, int32 Tensor[group, policy, metric]; 0 where there is none."""
    huge = torch.iinfo(torch.int32).max
    repeats = torch.where(scores.valid, scores.repeats, huge)
    start = torch.full((groups, *repeats.shape[1:]), huge, dtype=torch.int32)
    where = index[:, None, None].expand_as(repeats)
    least = start.scatter_reduce(0, where, repeats, "amin")
    return torch.where(least == huge, 0, least)


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
