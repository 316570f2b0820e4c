"""Stratum labels as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class StratumCodes:
    """Labels numbered in sorted order.

    Attributes:
        codes: long Tensor[item].
        names: Label of each number.
    """

    codes: Tensor
    names: tuple[str, ...]


def stratum_codes(labels: Sequence[str]) -> StratumCodes:
    """Number the distinct labels."""
    names = tuple(sorted(set(labels)))
    number = {name: index for index, name in enumerate(names)}
    return StratumCodes(torch.tensor([number[label] for label in labels], dtype=torch.long), names)
