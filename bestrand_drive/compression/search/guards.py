"""Guards: parts of a benchmark that every candidate must hold an item of."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def guard_rows(domains: Sequence[Tensor], pool: Tensor) -> Tensor:
    """Stack the domains that have an item in the pool: bool Tensor[guard, pool item]."""
    rows = [domain[pool] for domain in domains if bool(domain[pool].any())]
    return torch.stack(rows) if rows else torch.zeros((0, len(pool)), dtype=torch.bool)


def accepted_subsets(batch: Tensor, guards: Tensor) -> Tensor:
    """Which candidates hold an item of every guard, bool Tensor[candidate].

    Args:
        batch: long Tensor[candidate, k].
        guards: bool Tensor[guard, item].
    """
    accepted = torch.ones(len(batch), dtype=torch.bool)
    for guard in guards:
        accepted &= guard[batch].any(dim=1)
    return accepted
