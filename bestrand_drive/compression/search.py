"""The search: many candidates in one batched computation, chunked to a memory cap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.imbalance import imbalance
from bestrand_drive.compression.sampling import Draw, split_generator
from bestrand_drive.errors import NothingSelected

TIE = 1e-9
"""Relative difference below which two imbalances are the same number; the earlier candidate then wins everywhere."""


@dataclass(frozen=True)
class SearchSpace:
    """What candidates are judged by.

    Attributes:
        features: float64 Tensor[item, feature]; with no feature every candidate is equally good and the first wins.
        valid: bool Tensor[item, feature], or None when all are.
        weights: float64 Tensor[item], or None for 1 each.
        guards: bool Tensor[guard, item]; a candidate must hold an item of every row.
    """

    features: Tensor
    valid: Tensor | None
    weights: Tensor | None
    guards: Tensor


@dataclass(frozen=True)
class Found:
    """The best candidate of a search.

    Attributes:
        subset: long Tensor[k], sorted item numbers.
        distance: Its imbalance.
        mean_square: Mean squared imbalance over all candidates judged (what one random draw has on average).
        judged: How many candidates were judged.
        rejected: How many were drawn and rejected because a guard had no item.
    """

    subset: Tensor
    distance: float
    mean_square: float
    judged: int
    rejected: int


def best_of(
    draw: Draw,
    k: int,
    space: SearchSpace,
    candidates: int,
    generator: Generator,
    *,
    memory_mib: int = 256,
    device: torch.device | str = "cpu",
) -> Found:
    """Judge ``candidates`` random subsets and keep the one of least imbalance.

    Args:
        draw: Source of candidates.
        k: Their size.
        space: What they are judged by.
        candidates: How many subsets that satisfy the guards are judged.
        generator: CPU generator; exactly one number is taken from it.
        memory_mib: Cap on the largest temporary array, MiB.
        device: Where the means are computed; the choice does not depend on it.

    Raises:
        NothingSelected: After 200 draws a candidate too few satisfied the guards, or no candidate could be judged.
    """
    own = split_generator(generator)
    chunk = _chunk_size(k, space, memory_mib)
    device_space = replace(
        space,
        features=space.features.to(device),
        valid=None if space.valid is None else space.valid.to(device),
    )
    leaders, distances = _Leaders(), []
    drawn = judged = rejected = 0
    while judged < candidates:
        if drawn >= 200 * candidates + 1000:
            raise NothingSelected(
                f"Of {drawn} random subsets only {judged} held an item of each of the {len(space.guards)} parts that "
                "must stay represented. Ask for more items, or switch the guard off (--no-ability-guard)."
            )
        batch = draw(min(chunk, max(candidates - judged, 16)), own)
        drawn += len(batch)
        accepted = _accepted(batch, space.guards)
        first = _first(accepted, candidates - judged)
        rejected += int((~accepted[:first]).sum())
        batch = batch[:first][accepted[:first]]
        distance = imbalance(device_space.features, batch.to(device), device_space.valid, space.weights).cpu()
        leaders.add(batch, distance)
        distances += distance.tolist()
        judged += len(batch)
    subset, best = leaders.earliest()
    if not math.isfinite(best):
        raise NothingSelected(
            f"In each of {judged} random subsets some probe has no valid score on some metric, so none can be judged. "
            "Ask for more items, or leave out probes with few scores."
        )
    finite = [distance**2 for distance in distances if math.isfinite(distance)]
    return Found(subset, best, math.fsum(finite) / len(finite), judged, rejected)


class _Leaders:
    """The candidates that may still turn out best: within a tie of the least distance so far, in order of drawing."""

    def __init__(self) -> None:
        self._subsets = torch.empty(0, 0, dtype=torch.long)
        self._distances = torch.empty(0, dtype=torch.float64)

    def add(self, subsets: Tensor, distances: Tensor) -> None:
        """Take in later candidates and forget those that are beaten."""
        if not len(subsets):
            return
        every = torch.cat([self._distances, distances])
        both = torch.cat([self._subsets, subsets]) if len(self._subsets) else subsets
        near = every <= _tie(float(every.min()))
        self._subsets, self._distances = both[near], every[near]

    def earliest(self) -> tuple[Tensor, float]:
        """The first of them, and its distance."""
        return self._subsets[0], float(self._distances[0])


def _tie(least: float) -> float:
    """Largest distance that counts as equal to the least one."""
    return least * (1 + TIE) + 1e-12


def _chunk_size(k: int, space: SearchSpace, memory_mib: int) -> int:
    """How many candidates fit the cap: keys and order of every item, and gathered features of the chosen ones."""
    items, width = space.features.shape
    bytes_each = 8 * (4 * items + k * (2 * width + 2) + 64)
    return max(1, memory_mib * 2**20 // bytes_each)


def _accepted(batch: Tensor, guards: Tensor) -> Tensor:
    """Which candidates [candidate] hold an item of every guard."""
    accepted = torch.ones(len(batch), dtype=torch.bool)
    for guard in guards:
        accepted &= guard[batch].any(dim=1)
    return accepted


def _first(accepted: Tensor, wanted: int) -> int:
    """Length of the shortest prefix that holds ``wanted`` accepted candidates (all when there are fewer)."""
    enough = (accepted.cumsum(0) >= wanted).nonzero()
    return int(enough[0]) + 1 if len(enough) else len(accepted)


def _earliest_least(distance: Tensor) -> int:
    return int((distance <= _tie(float(distance.min()))).nonzero()[0])


def improve_by_swaps(found: Found, space: SearchSpace, generator: Generator, proposals: int = 256) -> Found:
    """Exchange one item at a time while that lowers the imbalance (statistics of pairwise exchange).

    Each of ``max(80, sqrt(k))`` rounds draws ``proposals`` random (out, in) pairs and takes the best one if it helps
    and no guard loses its last item.

    Args:
        found: Start.
        space: What subsets are judged by; every cell valid and every weight 1.
        generator: CPU generator; exactly one number is taken from it.
        proposals: Pairs a round.
    """
    own = split_generator(generator)
    items, k = len(space.features), len(found.subset)
    if k >= items or space.features.shape[1] == 0:
        return found
    centred = space.features - space.features.mean(dim=0)
    inside, outside = _partition(found.subset, items)
    total = centred[inside].sum(dim=0)
    for _ in range(max(80, math.isqrt(k))):
        out = torch.randint(k, (proposals,), generator=own)
        into = torch.randint(items - k, (proposals,), generator=own)
        sums = total - centred[inside[out]] + centred[outside[into]]
        squares = (sums**2).sum(dim=1)
        best = _earliest_least(squares)
        if float(squares[best]) >= float((total**2).sum()) * (1 - TIE):
            continue
        trial = inside.clone()
        trial[out[best]] = outside[into[best]]
        if bool(_accepted(trial[None], space.guards)[0]):
            outside[into[best]] = inside[out[best]]
            inside, total = trial, sums[best]
    subset = inside.sort().values
    return Found(
        subset=subset,
        distance=float(imbalance(space.features, subset[None])[0]),
        mean_square=found.mean_square,
        judged=found.judged,
        rejected=found.rejected,
    )


def _partition(subset: Tensor, items: int) -> tuple[Tensor, Tensor]:
    mask = torch.zeros(items, dtype=torch.bool)
    mask[subset] = True
    return subset.clone(), (~mask).nonzero()[:, 0]


def guard_rows(domains: Sequence[Tensor], pool: Tensor) -> Tensor:
    """Stack the domains that have an item in the pool: bool Tensor[guard, pool item]."""
    rows = [domain[pool] for domain in domains if bool(domain[pool].any())]
    return torch.stack(rows) if rows else torch.zeros((0, len(pool)), dtype=torch.bool)
