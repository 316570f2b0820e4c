"""Pairs of intervals that overlap, found by sorting: the broad phase of collisions and of trigger volumes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def _expand(first: Indices, last: Indices) -> tuple[Indices, Indices]:
    """Write out ranges: for each k the numbers first[k] .. last[k] - 1, and k itself as often."""
    counts = np.maximum(last - first, 0)
    owner = np.repeat(np.arange(first.size), counts)
    start = np.repeat(np.cumsum(counts) - counts, counts)
    return owner, np.arange(owner.size) - start + first[owner]


def overlapping_pairs(low: Floats, high: Floats) -> tuple[Indices, Indices]:
    """All pairs (i < j) of intervals ``[low, high]`` that overlap.

    Sorted by ``low``, the partners of an interval are the ones that start before it ends.

    Args:
        low: ``[interval]``.
        high: ``[interval]``.
    """
    by_low = np.argsort(low, kind="stable")
    starts = low[by_low]
    after = np.searchsorted(starts, high[by_low], side="right")
    owner, partner = _expand(np.arange(1, low.size + 1), after)
    first, second = by_low[owner], by_low[partner]
    return np.minimum(first, second), np.maximum(first, second)


def near_pairs(places: Floats, targets: Floats, reach: float) -> tuple[Indices, Indices]:
    """Pairs (place, index into sorted ``targets``) no more than ``reach`` apart on one axis.

    Args:
        places: ``[place]``.
        targets: ``[target]``, sorted.
        reach: Metres.
    """
    first = np.searchsorted(targets, places - reach)
    return _expand(first, np.searchsorted(targets, places + reach))
