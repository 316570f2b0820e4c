"""Random candidate subsets, drawn on the CPU so that any device and chunk size gives the same ones."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Generator, Tensor

Draw = Callable[[int, Generator], Tensor]
"""``draw(count, generator)`` gives long Tensor[count, k] of sorted item numbers; calls continue one stream."""


def simple_random(items: int, k: int) -> Draw:
    """Candidates of ``k`` of ``items``, every subset equally likely."""

    def draw(count: int, generator: Generator) -> Tensor:
        keys = torch.rand((count, items), dtype=torch.float64, generator=generator)
        return torch.topk(keys, k, dim=1).indices.sort(dim=1).values

    return draw


def systematic_stratified(strata: Tensor, k: int) -> Draw:
    """Candidates of ``k`` items with every stratum at the floor or the ceiling of its share.

    The strata are put in random order, the items in random order inside them, and positions
    ``floor((t + u) N / k), t = 0 .. k-1, u ~ U(0, 1)`` are taken (systematic sampling; Tillé, Sampling Algorithms).

    Args:
        strata: long Tensor[item], stratum numbers from 0.
        k: Size of a candidate.
    """
    items = len(strata)
    kinds = int(strata.max()) + 1 if items else 0

    def draw(count: int, generator: Generator) -> Tensor:
        keys = torch.rand((count, kinds + items + 1), dtype=torch.float64, generator=generator)
        rank = keys[:, :kinds].argsort(dim=1).argsort(dim=1).to(torch.float64)
        order = (rank[:, strata] + keys[:, kinds:-1]).argsort(dim=1)
        steps = torch.arange(k, dtype=torch.float64)
        start = (keys[:, -1:] * 2**32).floor() / 2**32  # short enough that t + u is exact, so that positions differ
        positions = ((steps[None, :] + start) * items / k).floor().long()
        return order.gather(1, positions).sort(dim=1).values

    return draw


def split_generator(generator: Generator) -> Generator:
    """A generator of its own for one task, so that how much it draws cannot shift the tasks after it."""
    seed = int(torch.randint(2**62, (1,), generator=generator).item())
    return Generator().manual_seed(seed)
