"""Choosing: which items may be chosen, which probes count as one, and the selector's answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.pool import draw_pool
from bestrand_drive.compression.selectors.base import ChoiceSettings, Selection
from bestrand_drive.compression.selectors.registry import SELECTORS
from bestrand_drive.errors import NothingSelected, UsageError
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.workflows.choosing.request import CompressRequest, excluded_items, size_of


@dataclass(frozen=True)
class Chosen:
    """A selection with the pool it was made from.

    Attributes:
        scores: Probe scores, hidden outside the pool.
        pool: long Tensor[pool item].
        selection: The chosen items.
        families: Policy numbers of each family.
        copies: Probe -> the earlier one with the same scores.
    """

    scores: ScoreMatrix
    pool: Tensor
    selection: Selection
    families: list[list[int]]
    copies: dict[str, str]


def driven_items(scores: ScoreMatrix) -> Tensor:
    """Items with a score of any probe, bool Tensor[item]; all of them when there is no probe."""
    driven = scores.valid.any(dim=2).any(dim=1)
    return driven if bool(driven.any()) else torch.ones_like(driven)


def eligible_items(scores: ScoreMatrix, excluded: Mapping[str, str]) -> Tensor:
    """Numbers of the items that can be chosen, long Tensor[eligible item]."""
    allowed = torch.tensor([item not in excluded for item in scores.items])
    return (allowed & driven_items(scores)).nonzero()[:, 0]


def choose(scores: ScoreMatrix, request: CompressRequest, k: int, excluded: Mapping[str, str]) -> Chosen:
    """Choose ``k`` items.

    Args:
        scores: Probe scores on all N items (possibly of no probe).
        request: Checked.
        k: Size.
        excluded: Item ids that must not be chosen.

    Raises:
        NothingSelected: Fewer items can be chosen, or the guards cannot be met.
        UsageError: A family is wrong, or the selector needs probes.
    """
    generator = Generator().manual_seed(request.seed)
    driven = driven_items(scores)
    entry = SELECTORS[request.selector]
    choosable = _draw(scores, request, k, excluded, generator)
    pool = driven.nonzero()[:, 0] if request.factor() is None else choosable
    visible = scores.hidden_outside(pool)
    copies = scores.copies()
    families = family_numbers(scores, request.families, copies)
    settings = ChoiceSettings(
        candidates=request.candidates,
        search=request.search,
        metric_weights=request.metric_weights,
        families=families,
        guard_domains=request.guard,
        objective=request.objective,
    )
    selection = entry.make(settings).select(visible, k, pool=choosable, generator=generator)
    return Chosen(visible, pool, selection, families, copies)


def planned_pool(
    scores: ScoreMatrix, request: CompressRequest, members: tuple[tuple[str, ...], ...]
) -> tuple[int, tuple[str, ...]]:
    """Size of the suite and ids of the items that ``choose`` would draw as pool.

    Args:
        scores: Of the probes; of none before any was run.
        request: Checked.
        members: Route or item ids of each item.

    Raises:
        NothingSelected: Fewer items can be chosen.
        UsageError: An excluded item is not there, or the size is a budget of hours, which nobody knows yet.
    """
    excluded = excluded_items(request, scores, members)
    k = size_of(request, len(scores.items), len(eligible_items(scores, excluded)), None)
    pool = _draw(scores, request, k, excluded, Generator().manual_seed(request.seed))
    return k, tuple(scores.items[number] for number in pool.tolist())


def _draw(
    scores: ScoreMatrix, request: CompressRequest, k: int, excluded: Mapping[str, str], generator: Generator
) -> Tensor:
    """The pool's items that may be chosen, long Tensor[pool item]."""
    eligible = eligible_items(scores, excluded)
    if k > len(eligible):
        idle = int((~driven_items(scores)).sum())
        raise NothingSelected(
            f"{k} items are asked for, but only {len(eligible)} of {len(scores.items)} can be chosen "
            f"({len(excluded)} are excluded, {idle} have no probe score); ask for fewer."
        )
    strata = scores.strata if SELECTORS[request.selector].stratified_pool else None
    return draw_pool(eligible, k, request.factor(), strata, generator)


def family_numbers(
    scores: ScoreMatrix, families: Mapping[str, Sequence[str]], copies: Mapping[str, str]
) -> list[list[int]]:
    """Columns of each family; a probe without relatives stands alone, a copy joins its original.

    Raises:
        UsageError: See ``family_labels``.
    """
    label = family_labels(scores.policies, families)
    for copy, original in copies.items():
        label[copy] = label[original]
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(scores.policies):
        groups.setdefault(label[name], []).append(number)
    return list(groups.values())


def family_labels(probes: Sequence[str], families: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Probe -> what it counts as: its family, or itself.

    A family may also name policies that are no probes: they are recognised later, as targets.

    Raises:
        UsageError: A family names no probe, or a probe is in two families.
    """
    label = {name: name for name in probes}
    for family, members in families.items():
        inside = [name for name in probes if name in members]
        if not inside:
            known = ", ".join(probes)
            raise UsageError(f"--family {family}: none of {', '.join(members)} is a probe; the probes are {known}.")
        for member in inside:
            if label[member] != member:
                raise UsageError(f"--family {family}: {member} is already in another family.")
            label[member] = f"family {family}"
    return label
