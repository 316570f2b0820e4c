"""The plain way: whole random subsets in one batched computation, chunked to a memory cap."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator, Tensor

from bestrand_drive.compression.imbalance import imbalance
from bestrand_drive.compression.sampling import Draw, split_generator
from bestrand_drive.compression.search.guards import accepted_subsets
from bestrand_drive.compression.search.keeping import keep_best
from bestrand_drive.compression.search.space import Found, SearchSpace


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
    on_device = replace(
        space,
        features=space.features.to(device),
        valid=None if space.valid is None else space.valid.to(device),
    )

    def propose(count: int) -> tuple[Tensor, Tensor]:
        batch = draw(count, own)
        return batch, accepted_subsets(batch, space.guards)

    def judge(batch: Tensor) -> Tensor:
        return imbalance(on_device.features, batch.to(device), on_device.valid, space.weights).cpu()

    kept = keep_best(propose, judge, candidates, _chunk_size(k, space, memory_mib), len(space.guards))
    return Found(kept.candidate, kept.distance, kept.mean_square, kept.judged, kept.rejected)


def _chunk_size(k: int, space: SearchSpace, memory_mib: int) -> int:
    """How many candidates fit the cap: keys and order of every item, and gathered features of the chosen ones."""
    items, width = space.features.shape
    bytes_each = 8 * (4 * items + k * (2 * width + 2) + 64)
    return max(1, memory_mib * 2**20 // bytes_each)
