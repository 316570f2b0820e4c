"""Probe scores centred, averaged by family and filled: the columns every statistic starts from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Array = np.ndarray


def family_columns(scores: Array, families: Sequence[Sequence[int]]) -> Array:
    """Centre each probe on its own mean, average the members of a family, and centre the average on its own items.

    Args:
        scores: [item, probe], NaN where invalid.
        families: Column numbers of each family; a probe without relatives is a family of one.

    Returns:
        [item, family]; NaN where no member of the family was measured. Families without any score are left out.
    """
    known = ~np.isnan(scores)
    counts = known.sum(axis=0)
    means = np.where(counts > 0, np.nansum(scores, axis=0) / np.maximum(counts, 1), np.nan)
    centred = scores - means
    columns = [_mean_over(centred[:, list(members)]) for members in families if counts[list(members)].any()]
    if not columns:
        return np.empty((len(scores), 0))
    averaged = np.column_stack(columns)
    return np.asarray(averaged - np.nanmean(averaged, axis=0))


def _mean_over(columns: Array) -> Array:
    """Row means over the non-missing columns, NaN where all are missing."""
    known = ~np.isnan(columns)
    total = np.where(known, columns, 0.0).sum(axis=1)
    count = known.sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def fill(columns: Array) -> Array:
    """Replace missing cells by the mean of the other columns of the same item, then centre every column again.

    Args:
        columns: [item, column], each roughly centred, NaN where missing.

    Returns:
        [item, column] without NaN, every column of mean 0.
    """
    others = np.nan_to_num(_mean_over(columns))
    filled = np.where(np.isnan(columns), others[:, None], columns)
    return np.asarray(filled - filled.mean(axis=0)) if len(filled) else filled


def profiles(scores: Array, families: Sequence[Sequence[int]], pool: Array) -> Array:
    """Centred, family-averaged and filled columns over the pool.

    Args:
        scores: [item, probe], NaN where invalid.
        families: Column numbers of each family.
        pool: Item numbers of the pool.

    Returns:
        [pool item, family].
    """
    return fill(family_columns(scores[pool], families))
