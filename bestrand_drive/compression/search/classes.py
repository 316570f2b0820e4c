"""Which items are alike in all that a candidate is judged by: few classes stand for many items of 0/1 scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bestrand_drive.compression.search.sums import ItemSums

Array = np.ndarray
MOST_CLASSES = 4096
SAMPLE = 65_536
"""Items by which the classes are sought first."""


@dataclass(frozen=True)
class ItemClasses:
    """Items grouped by stratum and by their row of ``ItemSums.columns``.

    Attributes:
        codes: int64 [item], class of each, from 0.
        sizes: int64 [class].
        table: float64 Tensor[class, column], the row that a class's items share.
        strata: int64 [class], stratum of each class (0 without strata).
    """

    codes: Array
    sizes: Array
    table: Tensor
    strata: Array


def item_classes(sums: ItemSums, strata: Tensor | None) -> ItemClasses | None:
    """The classes, or None where they are more than ``MOST_CLASSES`` or half the items.

    Args:
        sums: Of the items.
        strata: long Tensor[item], stratum numbers from 0, or None.
    """
    columns = sums.columns.numpy()
    keys = _keys(columns, None if strata is None else strata.numpy())
    most = min(MOST_CLASSES, len(keys) // 2)
    known = np.unique(keys[:SAMPLE])
    if len(known) > most:
        return None
    codes = _positions(known, keys)
    if codes is None:
        known = np.unique(keys)
        codes = _positions(known, keys)
    if len(known) > most or codes is None:
        return None
    first = np.empty(len(known), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    if any(not np.array_equal(column, column[first][codes]) for column in columns.T):
        return None  # two rows of one key; a chance of 1e-12
    return ItemClasses(
        codes=codes,
        sizes=np.bincount(codes),
        table=torch.from_numpy(columns[first]),
        strata=np.zeros(len(known), dtype=np.int64) if strata is None else strata.numpy()[first],
    )


def random_members(classes: ItemClasses, counts: Array, rng: np.random.Generator) -> Tensor:
    """Random items inside the classes, so many of each: long Tensor[k], sorted.

    Args:
        classes: Of the items.
        counts: int64 [class].
        rng: Source.
    """
    shuffled = rng.permutation(len(classes.codes))
    order = shuffled[np.argsort(classes.codes[shuffled].astype(np.uint16), kind="stable")]
    place = np.arange(len(order)) - np.repeat(np.cumsum(classes.sizes) - classes.sizes, classes.sizes)
    return torch.from_numpy(np.sort(order[place < np.repeat(counts, classes.sizes)]))


def _keys(columns: Array, strata: Array | None) -> Array:
    """One number a row that equal rows share, uint64 [item]; rows that differ share it by a chance of 2^-64 a pair."""
    keys = np.zeros(len(columns), dtype=np.uint64) if strata is None else (strata + 1).astype(np.uint64)
    for column in columns.T:
        keys ^= np.ascontiguousarray(column).view(np.uint64)
        keys *= np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys


def _positions(known: Array, keys: Array) -> Array | None:
    """Where each key stands among the known, sorted ones; None when one is not among them."""
    codes = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return codes if np.array_equal(known[codes], keys) else None
