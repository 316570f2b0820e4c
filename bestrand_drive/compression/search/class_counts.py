"""The way for 0/1 scores: candidates drawn as counts of classes, at a cost that is free of the pool and of k.

The means of a random k-subset depend on nothing but how many items of each class it holds, and these counts are
multivariate hypergeometric. So counts are drawn and judged, and items only for the best: the same law as ``best_of``.
With strata the counts are drawn stratum by stratum, at the sizes that systematic sampling gives.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Generator, Tensor

from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.search.classes import ItemClasses, random_members
from bestrand_drive.compression.search.hypergeometric import ClassCounts
from bestrand_drive.compression.search.keeping import keep_best
from bestrand_drive.compression.search.space import Found
from bestrand_drive.compression.search.sums import ItemSums

Array = np.ndarray
LARGEST_BATCH, BATCH_CELLS = 65_536, 8_000_000
"""Candidates drawn at once, and counts drawn at once; fixed, since another batch would be another draw."""


def best_of_classes(
    classes: ItemClasses,
    sums: ItemSums,
    k: int,
    candidates: int,
    generator: Generator,
    *,
    device: torch.device | str = "cpu",
) -> Found:
    """Judge ``candidates`` random subsets by their class counts and keep the one of least imbalance.

    Args:
        classes: Of the items; with several strata, every one at its share.
        sums: Of the items.
        k: Size of a candidate.
        candidates: How many are judged.
        generator: CPU generator; exactly one number is taken from it.
        device: Where the means are computed; the choice does not depend on it.

    Raises:
        NothingSelected: As ``best_of``.
    """
    rng = numpy_generator(generator)
    source = _StratumCounts(classes, k, candidates)
    table = classes.table.to(device)

    def totals(counts: Tensor) -> Tensor:
        return counts.to(device).to(torch.float64) @ table

    def propose(count: int) -> tuple[Tensor, Tensor]:
        counts = torch.from_numpy(source.draw(count, rng)).T
        guarded = bool(sums.guards)
        return counts, sums.accepted(totals(counts)).cpu() if guarded else torch.ones(count, dtype=torch.bool)

    batch = max(1, min(LARGEST_BATCH, BATCH_CELLS // len(classes.sizes)))
    kept = keep_best(propose, lambda counts: sums.imbalance(totals(counts), k), candidates, batch, sums.guards)
    subset = random_members(classes, kept.candidate.numpy(), rng)
    return Found(subset, kept.distance, kept.mean_square, kept.judged, kept.rejected, "classes")


def numpy_generator(generator: Generator) -> np.random.Generator:
    """A numpy source of its own, seeded by one number of the caller's generator."""
    return np.random.Generator(np.random.PCG64(split_generator(generator).initial_seed()))


class _StratumCounts:
    """Draws of class counts, stratum by stratum."""

    def __init__(self, classes: ItemClasses, k: int, draws: int) -> None:
        self._k, self._classes = k, len(classes.sizes)
        kinds = int(classes.strata.max()) + 1
        self._rows = [np.flatnonzero(classes.strata == stratum) for stratum in range(kinds)]
        self._sizes = np.array([classes.sizes[rows].sum() for rows in self._rows])
        share = k / float(self._sizes.sum())
        self._laws = [ClassCounts(classes.sizes[rows], share, draws) for rows in self._rows]

    def draw(self, count: int, rng: np.random.Generator) -> Array:
        """int32 [class, candidate]."""
        numbers = systematic_counts(self._sizes, self._k, count, rng)
        if len(self._rows) == 1:
            return self._laws[0].draw(numbers[0], rng)
        counts = np.empty((self._classes, count), dtype=np.int32)
        for rows, law, totals in zip(self._rows, self._laws, numbers, strict=True):
            counts[rows] = law.draw(totals, rng)
        return counts


def systematic_counts(sizes: Array, k: int, count: int, rng: np.random.Generator) -> Array:
    """How many items of each stratum ``sampling.systematic_stratified`` takes: int64 [stratum, candidate].

    With the strata in random order, one that holds the places a to b - 1 of N gets every position
    ``floor((t + u) N / k)`` among them: ceil(b k / N - u) - ceil(a k / N - u) of them.

    Args:
        sizes: int64 [stratum].
        k: Size of a candidate.
        count: Candidates.
        rng: Source.
    """
    if len(sizes) == 1:
        return np.full((1, count), k)
    order = rng.random((count, len(sizes))).argsort(axis=1)
    ends = np.cumsum(sizes[order], axis=1) * k / sizes.sum()
    start = np.floor(rng.random((count, 1)) * 2**32) / 2**32
    taken = np.diff(np.ceil(np.concatenate([np.zeros((count, 1)), ends], axis=1) - start), axis=1)
    numbers = np.empty((count, len(sizes)), dtype=np.int64)
    np.put_along_axis(numbers, order, taken.astype(np.int64), axis=1)
    return numbers.T
