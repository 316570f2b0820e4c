"""What candidates are judged by, and what a search finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

Array = np.ndarray
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
        way: How candidates were drawn and judged, one of ``ways.WAYS``.
    """

    subset: Tensor
    distance: float
    mean_square: float
    judged: int
    rejected: int
    way: str = "subsets"


def tie(least: float) -> float:
    """Largest distance that counts as equal to the least one."""
    return least * (1 + TIE) + 1e-12


def earliest_least(distance: Array) -> int:
    """Position of the first that is within a tie of the least, of float64 [candidate]."""
    return int((distance <= tie(float(distance.min()))).argmax())
