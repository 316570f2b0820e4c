"""The ways for continuous scores: one random partition of the pool serves many candidates.

The pool is cut at random into equal blocks, and each block's sums are taken once. A candidate is a union of blocks
(with the head of one more where k is no multiple of a block), so its sums cost a few hundred additions whatever the
pool. Any fixed places of a random order hold a simple random subset, so every candidate has the law of one; candidates
of one partition are not independent, so the best of them is not quite the best of as many independent ones. ``windows``
are unions of neighbouring blocks (windows of a random permutation), ``blocks`` are random unions: nearly independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.sampling import split_generator
from bestrand_drive.compression.search.class_counts import numpy_generator
from bestrand_drive.compression.search.keeping import keep_best
from bestrand_drive.compression.search.space import Found
from bestrand_drive.compression.search.sums import ItemSums

BLOCKS = 256
"""About how many blocks the pool is cut into."""
LEAST_UNIONS, MOST_UNIONS = 256, 4096
"""Random unions taken of one partition; the more, the larger the pool, since a partition reads all of it."""


@dataclass(frozen=True)
class Layout:
    """How places are divided. Segment j < blocks is block j's head, or all of it; then come the tails, then the rest.

    Attributes:
        items: All places.
        size: Of a block.
        blocks: How many.
        whole: Whole blocks in a union.
        head: Places of the head, of which a union holds one; 0 when there is none.
        left_out: A union is what is left out: so it is when k is more than half.
    """

    items: int
    size: int
    blocks: int
    whole: int
    head: int
    left_out: bool

    def segments(self) -> Tensor:
        """Segment of each place, long Tensor[place]."""
        place = torch.arange(self.items)
        block, within = place // self.size, place % self.size
        tail = (within >= self.head) if self.head else torch.zeros_like(within, dtype=torch.bool)
        segment = block + self.blocks * tail
        segment[self.blocks * self.size :] = self.number - 1
        return segment

    @property
    def number(self) -> int:
        """Segments, the rest included."""
        return self.blocks * (2 if self.head else 1) + 1

    def union(self, order: Tensor) -> Tensor:
        """Segments of unions, bool Tensor[union, segment].

        Args:
            order: long Tensor[union, >= whole + 1 (or whole)], blocks; the first ``whole`` are in, the next lends its
                head.
        """
        inside = torch.zeros((len(order), self.number), dtype=torch.bool)
        inside.scatter_(1, order[:, : self.whole], value=True)
        if self.head:
            inside.scatter_(1, order[:, : self.whole] + self.blocks, value=True)
            inside.scatter_(1, order[:, self.whole : self.whole + 1], value=True)
        return ~inside if self.left_out else inside


def layout(items: int, k: int, blocks: int = BLOCKS) -> Layout:
    """Blocks for a pool: a size that divides k if one is near, so that no heads are needed."""
    fewer = min(k, items - k)
    most = max(1, min(items // blocks, fewer))
    size = next((size for size in range(most, most // 2, -1) if fewer % size == 0), most)
    whole, head = divmod(fewer, size)
    return Layout(items, size, items // size, whole, head, left_out=fewer < k)


def best_of_unions(
    kind: str,
    sums: ItemSums,
    k: int,
    candidates: int,
    generator: Generator,
    *,
    device: torch.device | str = "cpu",
) -> Found:
    """Judge unions of blocks, partition after partition, and keep the one of least imbalance.

    Args:
        kind: ``windows`` or ``blocks``.
        sums: Of the items.
        k: Size of a candidate.
        candidates: How many are judged.
        generator: CPU generator; exactly one number is taken from it.
        device: Where unions are judged; the choice does not depend on it.

    Raises:
        NothingSelected: As ``best_of``.
    """
    unions = Unions(kind, sums, k, candidates, split_generator(generator), device)

    def propose(count: int) -> tuple[Tensor, Tensor]:
        candidate = unions.next(count)
        return candidate, sums.accepted(unions.totals(candidate)).cpu()

    def judge(candidate: Tensor) -> Tensor:
        return sums.imbalance(unions.totals(candidate), k)

    kept = keep_best(propose, judge, candidates, unions.each, sums.guards)
    subset = unions.items(kept.candidate)
    return Found(subset, kept.distance, kept.mean_square, kept.judged, kept.rejected, kind)


class Unions:
    """Candidates of one partition after another.

    Args:
        kind, sums, k, candidates, device: As for ``best_of_unions``.
        generator: Source; its own.
    """

    def __init__(
        self,
        kind: str,
        sums: ItemSums,
        k: int,
        candidates: int,
        generator: Generator,
        device: torch.device | str = "cpu",
    ) -> None:
        items = len(sums.columns)
        self._sums, self._device = sums, device
        self._layout = layout(items, k)
        self._segments = self._layout.segments()
        self._seeds, blocks = numpy_generator(generator), self._layout.blocks
        if kind == "windows":
            order = (torch.arange(blocks)[:, None] + torch.arange(blocks)) % blocks
        else:
            rows = min(candidates, max(LEAST_UNIONS, min(MOST_UNIONS, items // 64)))
            keys = torch.rand((rows, blocks), dtype=torch.float64, generator=generator)
            order = keys.topk(min(blocks, self._layout.whole + 1), dim=1).indices
        self._inside = self._layout.union(order)
        self._design = self._inside.to(torch.float64).to(device)
        self.each = len(self._inside)

    def next(self, count: int) -> Tensor:
        """Candidates of a new partition, at most ``count``: long Tensor[candidate, 2], seed of the partition, union."""
        seed = int(self._seeds.integers(2**62))
        places = self._partition(seed)
        columns = self._sums.columns
        empty = torch.zeros((self._layout.number, columns.shape[1]), dtype=torch.float64)
        self._totals = self._design @ empty.index_add_(0, places, columns).to(self._device)
        rows = torch.arange(min(count, self.each))
        return torch.stack([torch.full_like(rows, seed), rows], dim=1)

    def totals(self, candidate: Tensor) -> Tensor:
        """Sums of candidates of the last partition, float64 Tensor[candidate, column]."""
        return self._totals[candidate[:, 1].to(self._device)]

    def items(self, candidate: Tensor) -> Tensor:
        """A candidate's items, of whatever partition: long Tensor[k], sorted."""
        seed, row = candidate.tolist()
        return self._inside[row][self._partition(seed)].nonzero()[:, 0]

    def _partition(self, seed: int) -> Tensor:
        """Segment of each item, long Tensor[item]."""
        return self._segments[torch.randperm(len(self._segments), generator=Generator().manual_seed(seed))]
