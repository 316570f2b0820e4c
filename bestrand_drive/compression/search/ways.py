"""Which way a search takes: the fastest that has the same law, unless another is asked for."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.sampling import simple_random, systematic_stratified
from bestrand_drive.compression.search.best_of import best_of
from bestrand_drive.compression.search.class_counts import best_of_classes
from bestrand_drive.compression.search.classes import ItemClasses, item_classes
from bestrand_drive.compression.search.partition import best_of_unions
from bestrand_drive.compression.search.space import Found, SearchSpace
from bestrand_drive.compression.search.sums import ItemSums, item_sums
from bestrand_drive.errors import UsageError

WAYS = ("auto", "subsets", "classes", "windows", "blocks")
"""What a user may ask for; ``auto`` takes ``subsets`` or ``classes``, which draw by the same law."""
PLAIN_ITEMS, PLAIN_CANDIDATES = 20_000, 10_000
"""Up to both, ``auto`` stays with whole subsets, so that a seed keeps giving the suite that it gave."""


def search(
    strata: Tensor | None,
    k: int,
    space: SearchSpace,
    candidates: int,
    generator: Generator,
    *,
    way: str = "auto",
    memory_mib: int = 256,
    device: torch.device | str = "cpu",
) -> Found:
    """Judge ``candidates`` random subsets, each stratum at its share, and keep the one of least imbalance.

    Args:
        strata: long Tensor[item], stratum numbers from 0, or None for simple random subsets.
        k: Size of a candidate.
        space: What they are judged by.
        candidates: How many are judged.
        generator: CPU generator; exactly one number is taken from it, whatever the way.
        way: One of ``WAYS``.
        memory_mib: Cap on the largest temporary array of ``subsets``, MiB.
        device: Where the means are computed; the choice does not depend on it.

    Raises:
        UsageError: The way asked for does not serve these scores.
        NothingSelected: As ``best_of``.
    """
    small = len(space.features) <= PLAIN_ITEMS and candidates <= PLAIN_CANDIDATES
    idle = space.features.shape[1] == 0 or k == len(space.features)
    if way == "subsets" or idle or (way == "auto" and small):
        return _subsets(strata, k, space, candidates, generator, memory_mib, device)
    sums = item_sums(space)
    if way in ("windows", "blocks"):
        return _unions(way, strata, sums, k, candidates, generator, device)
    classes = item_classes(sums, strata)
    if classes is None and way == "auto":
        return _subsets(strata, k, space, candidates, generator, memory_mib, device)
    return best_of_classes(_served(classes), sums, k, candidates, generator, device=device)


def _subsets(
    strata: Tensor | None,
    k: int,
    space: SearchSpace,
    candidates: int,
    generator: Generator,
    memory_mib: int,
    device: torch.device | str,
) -> Found:
    draw = simple_random(len(space.features), k) if strata is None else systematic_stratified(strata, k)
    return best_of(draw, k, space, candidates, generator, memory_mib=memory_mib, device=device)


def _unions(
    way: str,
    strata: Tensor | None,
    sums: ItemSums,
    k: int,
    candidates: int,
    generator: Generator,
    device: torch.device | str,
) -> Found:
    if strata is not None:
        raise UsageError(f"--search {way}: does not keep each stratum's share; use subsets or classes.")
    return best_of_unions(way, sums, k, candidates, generator, device=device)


def _served(classes: ItemClasses | None) -> ItemClasses:
    if classes is None:
        raise UsageError(
            "--search classes: too few items are alike in all scores (it serves 0/1 scores of a few probes on many "
            "items); use subsets, or windows or blocks."
        )
    return classes
