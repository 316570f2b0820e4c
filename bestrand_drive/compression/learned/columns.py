"""Items whose source models all scored alike: one column stands for them wherever only histories count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Columns:
    """The different columns of a history.

    Attributes:
        scores: float64 [model, column], no two alike.
        of: int64 [item], each item's column.
    """

    scores: Array
    of: Array


def columns(scores: Array) -> Columns:
    """Group equal columns; they stand in the order of their first items.

    Args:
        scores: float64 [model, item].
    """
    _, first, of = np.unique(scores, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return Columns(scores[:, first[order]], np.argsort(order)[of.reshape(-1)])


def covering(of: Array, k: int, seed: int) -> Array:
    """One random position of every column and random others up to ``k``, sorted.

    These are medoids of least cost under any distance that equal columns share: no item is nearer to any other.

    Args:
        of: int64 [position], each one's column; at most ``k`` differ.
        k: Number.
        seed: Of the draw.
    """
    shuffled = np.random.default_rng(seed).permutation(len(of))
    _, first = np.unique(of[shuffled], return_index=True)
    others = np.delete(shuffled, first)[: k - len(first)]
    return np.sort(np.concatenate([shuffled[first], others]))
