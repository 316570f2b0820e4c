"""Exchanges: a subset improved one item at a time, at a cost that is free of the pool's size."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.imbalance import imbalance
from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.search.space import TIE, Found, SearchSpace, earliest_least


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
    exchange = Exchange(found.subset, space, own, proposals)
    for _ in range(max(80, math.isqrt(k))):
        exchange.round()
    subset = exchange.subset()
    return replace(found, subset=subset, distance=float(imbalance(space.features, subset[None])[0]))


class Exchange:
    """A subset under exchange.

    Args:
        subset: long Tensor[k], fewer than all items.
        space: As in ``improve_by_swaps``.
        generator: Source of the pairs.
        proposals: Pairs a round.
    """

    def __init__(self, subset: Tensor, space: SearchSpace, generator: Generator, proposals: int = 256) -> None:
        self._features, self._guards = space.features, space.guards
        self._mean = space.features.mean(dim=0)
        self._generator, self._proposals = generator, proposals
        self._inside, self._outside = _partition(subset, len(space.features))
        self._total = self._centred(self._inside).sum(dim=0)
        self._square = float((self._total**2).sum())
        self._held = space.guards[:, self._inside].sum(dim=1)

    def round(self) -> None:
        """Propose pairs and take the best if it helps."""
        out = torch.randint(len(self._inside), (self._proposals,), generator=self._generator)
        into = torch.randint(len(self._outside), (self._proposals,), generator=self._generator)
        leaving, coming = self._inside[out], self._outside[into]
        sums = self._total - self._centred(leaving) + self._centred(coming)
        squares = (sums**2).sum(dim=1)
        best = earliest_least(squares)
        if float(squares[best]) >= self._square * (1 - TIE):
            return
        held = self._held
        if len(held):
            held = held - self._guards[:, leaving[best]].long() + self._guards[:, coming[best]].long()
            if not bool((held > 0).all()):
                return
        self._inside[out[best]], self._outside[into[best]] = coming[best], leaving[best]
        self._total, self._held = sums[best], held
        self._square = float((self._total**2).sum())

    def distance(self) -> float:
        """The imbalance, by running sums."""
        return math.sqrt(self._square) / len(self._inside)

    def subset(self) -> Tensor:
        """Sorted item numbers, long Tensor[k]."""
        return self._inside.sort().values

    def _centred(self, items: Tensor) -> Tensor:
        """Features of some items about the pool's means; taken when asked for, since all of them would be a copy."""
        return self._features[items].sub_(self._mean)


def _partition(subset: Tensor, items: int) -> tuple[Tensor, Tensor]:
    mask = torch.zeros(items, dtype=torch.bool)
    mask[subset] = True
    return subset.clone(), (~mask).nonzero()[:, 0]
