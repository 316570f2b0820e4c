"""Exchanges: a subset improved one item at a time, at a cost that is free of the pool's size."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.imbalance import imbalance
from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.search.space import TIE, Found, SearchSpace, earliest_least

Array = np.ndarray


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

    A round is small, so that calls cost more than sums: it is done by numpy on views of the tensors, in buffers of its
    own. Random numbers, the pool's means and the first total are torch's.

    Args:
        subset: long Tensor[k], fewer than all items.
        space: As in ``improve_by_swaps``.
        generator: Source of the pairs.
        proposals: Pairs a round.
    """

    def __init__(self, subset: Tensor, space: SearchSpace, generator: Generator, proposals: int = 256) -> None:
        mean = space.features.mean(dim=0)
        inside = subset.clone()
        self._features, self._mean = space.features.numpy(), mean.numpy()
        self._guards = space.guards.numpy()
        self._generator, self._proposals = generator, proposals
        self._inside, self._outside = inside.numpy(), _others(inside.numpy(), len(space.features))
        self._total: Array = space.features[inside].sub_(mean).sum(dim=0).numpy()
        self._square = _square(self._total)
        self._held = self._guards[:, self._inside].sum(axis=1)
        self._leaving, self._coming = np.empty((2, proposals, len(self._mean)))

    def round(self) -> None:
        """Propose pairs and take the best if it helps."""
        out = self._numbers(len(self._inside))
        into = self._numbers(len(self._outside))
        leaving, coming = self._inside[out], self._outside[into]
        sums = self._sums(leaving, coming)
        squares = np.einsum("pf,pf->p", sums, sums)
        if squares.min() >= self._square:  # nothing helps; most rounds near the end
            return
        best = earliest_least(squares)
        if squares[best] >= self._square * (1 - TIE):
            return
        held = self._held
        if len(held):
            held = held - self._guards[:, leaving[best]] + self._guards[:, coming[best]]
            if not (held > 0).all():
                return
        self._inside[out[best]], self._outside[into[best]] = coming[best], leaving[best]
        self._total, self._held = sums[best].copy(), held
        self._square = _square(self._total)

    def distance(self) -> float:
        """The imbalance, by running sums."""
        return math.sqrt(self._square) / len(self._inside)

    def subset(self) -> Tensor:
        """Sorted item numbers, long Tensor[k]."""
        return torch.from_numpy(np.sort(self._inside))

    def _numbers(self, below: int) -> Array:
        return np.asarray(torch.randint(below, (self._proposals,), generator=self._generator).numpy())

    def _sums(self, leaving: Array, coming: Array) -> Array:
        """Sums of deviations from the pool's means after each exchange, [pair, feature]; the next call overwrites it.

        Deviations are taken when asked for, since those of all items would be a copy of the features.
        """
        less, more = self._leaving, self._coming
        self._features.take(leaving, axis=0, out=less, mode="clip")
        self._features.take(coming, axis=0, out=more, mode="clip")
        less -= self._mean
        more -= self._mean
        np.subtract(self._total, less, out=less)
        less += more
        return less


def _square(total: Array) -> float:
    return float(total @ total)


def _others(inside: Array, items: int) -> Array:
    free = np.ones(items, dtype=bool)
    free[inside] = False
    return np.flatnonzero(free)
