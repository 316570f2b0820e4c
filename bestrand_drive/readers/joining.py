"""From rows to one table: items found, repeats and duplicates settled, values on [0, 1], categories weighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.choice import Chosen
from bestrand_drive.readers.collecting import Columns
from bestrand_drive.readers.items import Items


@dataclass(frozen=True)
class Cells:
    """One cell a row, sorted by item, metric, model, repeat.

    Attributes:
        item: int32 [row], number in ``ids``.
        model: int32 [row], number in ``models``.
        metric: int32 [row], number in ``metrics``.
        repeat: int32 [row], number in ``repeats``.
        value: float64 [row], NaN where not scored.
        cost_s: float32 [row] seconds, NaN where unknown; None when no log tells any.
        ids: Item ids.
        contents: Content hash of each item, "" where unknown.
        categories: Of each item, or None when no log tells any.
        weights: float64 [item] with mean 1 when categories count alike, else None.
        said: What was counted on the way, as sentences.
    """

    item: np.ndarray
    model: np.ndarray
    metric: np.ndarray
    repeat: np.ndarray
    value: np.ndarray
    cost_s: np.ndarray | None
    ids: list[str]
    models: list[str]
    metrics: list[str]
    repeats: list[str]
    contents: list[str]
    categories: list[str] | None
    weights: np.ndarray | None
    said: tuple[str, ...]


def item_numbers(columns: Columns, items: Items) -> np.ndarray:
    """Item number of each row, int32 [row]."""
    numbers = np.asarray(items.of_entry.astype(np.int32)[columns.entry])
    if items.of_entry_model:
        width = len(columns.models)
        pair = columns.entry.astype(np.int64) * width + columns.model
        odd = sorted((entry * width + model, item) for (entry, model), item in items.of_entry_model.items())
        known, own = np.array(odd, dtype=np.int64).T
        place = np.minimum(np.searchsorted(known, pair), len(known) - 1)
        hit = known[place] == pair
        numbers[hit] = own[place[hit]]
    return numbers


def metric_numbers(columns: Columns, chosen: Chosen) -> np.ndarray:
    """Number in ``chosen.metrics`` of each row, int32 [row]."""
    place = {name: number for number, name in enumerate(chosen.metrics)}
    codes = np.array([place.get(series.metric, -1) for series in columns.series_list], dtype=np.int32)
    return np.asarray(codes[columns.series])


def settle(
    columns: Columns, items: Items, ids: Sequence[str], chosen: Chosen, duplicates: str
) -> tuple[np.ndarray, Columns, list[str]]:
    """Leave one row a cell.

    The same value twice is one (counted); a row without a score yields to one with a score (counted); different values
    are refused, or settled by ``duplicates``.

    Returns:
        Item numbers, the rows that are left, in the order of ``Cells``, and what was counted.

    Raises:
        DataRefused: Different values of one cell, and ``duplicates`` is ``refuse``; names both files.
    """
    item, metric = item_numbers(columns, items), metric_numbers(columns, chosen)
    shape = (len(ids), len(chosen.metrics), len(columns.models), max(len(columns.repeats), 1))
    key = np.ravel_multi_index((item, metric, columns.model, columns.repeat), shape)
    order = np.argsort(key, kind="stable")
    key, sorted_rows = key[order], columns.where(order)
    first = np.ones(len(key), dtype=bool)
    first[1:] = key[1:] != key[:-1]
    if bool(first.all()):
        return item[order], sorted_rows, []
    said = []
    value = sorted_rows.value.copy()
    group = np.cumsum(first) - 1
    scored = ~np.isnan(value)
    any_scored = np.bincount(group, weights=scored) > 0
    idle = ~scored & any_scored[group]
    low, high = (np.full(int(group[-1]) + 1, end) for end in (np.inf, -np.inf))
    np.minimum.at(low, group[scored], value[scored])
    np.maximum.at(high, group[scored], value[scored])
    differing = any_scored & (low < high)
    if differing.any() and duplicates == "refuse":
        raise DataRefused(_differing(sorted_rows, item[order], ids, np.flatnonzero(differing[group] & scored), group))
    extra = len(key) - len(any_scored)
    said.append(f"{extra} rows repeat a cell" + (f", {int(idle.sum())} of them without a score" if idle.any() else ""))
    if differing.any():
        said.append(f"{int(differing.sum())} cells have different scores in different rows: --duplicates {duplicates}")
    keep = _kept(group, scored | ~any_scored[group], last=duplicates == "last")
    if duplicates == "mean":
        sums = np.bincount(group[scored], weights=value[scored], minlength=len(any_scored))
        counts = np.bincount(group[scored], minlength=len(any_scored))
        value[keep] = np.where(any_scored, sums / np.maximum(counts, 1), np.nan)
    left = replace(sorted_rows, value=value).where(keep)
    return item[order][keep], left, said


def _kept(group: np.ndarray, allowed: np.ndarray, *, last: bool) -> np.ndarray:
    """Number of the first (or last) allowed row of each group."""
    rows = np.flatnonzero(allowed)
    if last:
        rows = rows[::-1]
    _, place = np.unique(group[rows], return_index=True)
    return rows[place]


def _differing(rows: Columns, item: np.ndarray, ids: Sequence[str], where: np.ndarray, group: np.ndarray) -> str:
    inside = where[group[where] == group[where[0]]]
    one = int(inside[0])
    other = next(int(row) for row in inside if rows.value[row] != rows.value[one])
    files = list(dict.fromkeys(rows.sources[rows.source[row]] for row in (one, other)))
    count = len(np.unique(group[where]))
    return (
        f"Model {rows.models[rows.model[one]]!r} has two scores on item {ids[item[one]]!r}, {rows.value[one]:g} and "
        f"{rows.value[other]:g}, in {' and '.join(files)} ({count} such cells). Name one of the runs, or say "
        "--duplicates first, last or mean."
    )


def category_weights(categories: Sequence[str]) -> np.ndarray:
    """Item weights with mean 1 under which the mean over items is the mean over categories.

    Raises:
        UsageError: An item has no category.
    """
    bare = sum(not category for category in categories)
    if bare or not categories:
        raise UsageError(f"--macro category: {bare} of {len(categories)} items have no category in these logs.")
    names, code = np.unique(np.array(categories), return_inverse=True)
    sizes = np.bincount(code)
    return np.asarray(len(categories) / (len(names) * sizes[code]))


def unscored_said(value: np.ndarray) -> Iterator[str]:
    """How many rows are not scored."""
    unscored = int(np.isnan(value).sum())
    if unscored:
        yield f"{unscored} rows are not scored (an error, no wrong answer): missing"


def gaps_said(item: np.ndarray, model: np.ndarray, models: Sequence[str], items: int) -> Iterator[str]:
    """How many items models have no row of.

    Args:
        item: Number of each row's item.
        model: Number of each row's model.
        models: Names.
        items: How many there are.
    """
    met = np.zeros((len(models), items), dtype=bool)
    met[model, item] = True
    count = met.sum(axis=1)
    short = [f"{name} ({items - n})" for name, n in zip(models, count.tolist(), strict=True) if n < items]
    if short:
        listed = ", ".join(short[:6]) + (" ..." if len(short) > 6 else "")
        yield f"{len(short)} of {len(models)} models have no row of some of the {items} items: {listed}"
