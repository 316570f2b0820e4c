"""Data frames of scores, wide or long, turned into dense arrays with repeats averaged."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused

ITEM_COLUMNS = ("item_id", "item")
MODEL_COLUMNS = ("model", "policy")
ABOUT_ITEMS = frozenset(["stratum", "group", "category", "task", "filter", "content", "hash", "cost_s"])
"""Columns beside scores that are no model's: what tables of items, and imported tables, say of the items."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""What splits a line of ``items.txt``, and what a terminal takes for a command."""
_BLANKS = frozenset(["", "nan", "na", "none"])
WHOLE = 2.0**53
"""From here on a float is not one whole number only."""


@dataclass(frozen=True)
class DenseScores:
    """Dense arrays of a frame.

    Attributes:
        mean: float64 [item, policy, metric], NaN where nothing was measured.
        count: int32 [item, policy, metric], how many repeats.
        variance: float64 [item, policy, metric], sample variance over repeats, 0 with fewer than two.
        items: Item ids in order of first appearance.
        policies: Policy names in order of first appearance.
        metrics: Metric names in order of first appearance.
    """

    mean: np.ndarray
    count: np.ndarray
    variance: np.ndarray
    items: list[str]
    policies: list[str]
    metrics: list[str]


def dense_scores(frame: pd.DataFrame, *, metric: str, source: str = "scores") -> DenseScores:
    """Read a wide or a long frame.

    Args:
        frame: Long, with columns ``item_id``, ``model``, ``value`` and optionally ``metric`` and ``repeat``; or wide,
            with ``item_id`` and one numeric column a model.
        metric: Name for the only metric of a frame that names none.
        source: What to call the frame in messages.

    Raises:
        DataRefused: No item column, text where numbers belong, infinite values, or a cell given twice.
    """
    if not frame.columns.is_unique:
        raise DataRefused(
            f"{source}: a column name is there more than once: {frame.columns[frame.columns.duplicated()][0]}."
        )
    if "value" not in frame.columns:
        return _wide(frame, metric, source)
    item, model = (_column(frame, names, source) for names in (ITEM_COLUMNS, MODEL_COLUMNS))
    only = (np.zeros(len(frame), dtype=np.int32), [metric])
    return _pivot(
        [
            coded_labels(frame[item], source),
            coded_labels(frame[model], source),
            coded_labels(frame["metric"], source) if "metric" in frame.columns else only,
            coded_labels(frame["repeat"], source) if "repeat" in frame.columns else only,
        ],
        number_column(frame["value"], "value", source),
        source,
    )


def coded_labels(column: pd.Series, source: str) -> tuple[np.ndarray, list[str]]:
    """Ids as text, each kept once: whole numbers keep their plain form, blanks and control characters are refused.

    Returns:
        int32 [row] number of the row's id, and the ids in order of first appearance.

    Raises:
        DataRefused: Naming the column and the first such id.
    """
    codes, values = factorized(column, source)
    empty = np.flatnonzero(values.astype(str).str.strip() == "")
    blank = np.flatnonzero((codes < 0) | np.isin(codes, empty))
    if blank.size:
        raise DataRefused(f"{source}: column {column.name!r}, row {int(blank[0]) + 1}: blank ({blank.size} such rows).")
    if pd.api.types.is_float_dtype(values) and bool(((values == values.round()) & (values.abs() < WHOLE)).all()):
        values = values.astype("int64")  # formats without integers write 7 as 7.0
    again, labels = pd.factorize(values.astype(str))  # 1 and "1" are one id
    if _CONTROL.search("".join(labels)):
        wrong = next(label for label in labels if _CONTROL.search(label))
        raise DataRefused(
            f"{source}: column {column.name!r}: {wrong[:40]!r} holds a control character (a line break, a tab, an "
            "escape); rename it."
        )
    return np.asarray(again.astype(np.int32)[codes]), [str(label) for label in labels]


def factorized(column: pd.Series, source: str) -> tuple[np.ndarray, pd.Series]:
    """Codes of a column, -1 where it is blank, and its different values in order of first appearance.

    Raises:
        DataRefused: It holds lists or objects.
    """
    coded = isinstance(column.dtype, pd.CategoricalDtype)
    try:
        codes, found = pd.factorize(column.cat.codes if coded else column)
    except TypeError as error:
        raise DataRefused(f"{source}: column {column.name!r} holds lists or objects ({error}); write text.") from error
    values = pd.Series(
        column.cat.categories[found[found >= 0]] if coded else found, dtype=None if len(found) else object
    )
    if coded and (found < 0).any():
        gap = int(np.flatnonzero(found < 0)[0])
        codes = np.where(codes == gap, -1, codes - (codes > gap))
    return codes, values


def label_texts(column: pd.Series, source: str) -> pd.Series:
    """Ids as text, one a row; see ``coded_labels``."""
    codes, labels = coded_labels(column, source)
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(labels, dtype=object)), index=column.index)


def _column(frame: pd.DataFrame, names: tuple[str, ...], source: str) -> str:
    for name in names:
        if name in frame.columns:
            return name
    raise DataRefused(
        f"{source}: no column {' or '.join(names)} (found {', '.join(map(str, frame.columns[:6]))}). Give a wide table "
        "(item_id and one column a model) or a long one (item_id, model, value [, metric, repeat])."
    )


def _wide(frame: pd.DataFrame, metric: str, source: str) -> DenseScores:
    """Read a wide table; blank cells are missing."""
    item = _column(frame, ITEM_COLUMNS, source)
    codes, items = coded_labels(frame[item], source)
    if len(items) < len(codes):
        twice = items[int(codes[pd.Series(codes).duplicated()][0])]
        raise DataRefused(f"{source}: item {twice!r} has more than one row.")
    names = [name for name in frame.columns if name != item]
    if not names:
        raise DataRefused(f"{source}: only the column {item}, no model beside it.")
    refuse_about_items(names, source)
    policies = coded_labels(pd.Series(names, name="model", dtype=object), source)[1]
    mean = np.empty((len(items), len(names), 1))
    for number, name in enumerate(names):
        mean[:, number, 0] = number_column(frame[name], str(name), source)
    if not mean.size:
        raise DataRefused(f"{source}: no scores in it.")
    count = (~np.isnan(mean)).astype(np.int32)
    if not count.any():
        raise DataRefused(f"{source}: not one score in it, only blanks.")
    return DenseScores(mean, count, np.zeros_like(mean), items, policies, [metric])


def refuse_about_items(models: Sequence[str], source: str) -> None:
    """Refuse names of models under which tables tell of the items: durations are no scores.

    Raises:
        DataRefused: Naming the column.
    """
    for name in (name for name in models if name in ABOUT_ITEMS):
        raise DataRefused(
            f"{source}: column {name!r} tells of the items and is no model; leave it out. compress takes stratum, "
            "group and cost_s from --items; `bestrand import plain` takes stratum and cost_s from the table."
        )


def number_column(column: pd.Series, name: str, source: str) -> np.ndarray:
    """Float64 values; blanks become NaN, everything else that is no finite number is refused."""
    numeric = as_numbers(column)
    left = np.flatnonzero(np.isnan(numeric) & ~column.isna().to_numpy())
    texts = (str(value).strip().lower() for value in column.iloc[left])
    odd = [row for row, text in zip(left.tolist(), texts, strict=True) if text not in _BLANKS]
    wrong = sorted([*odd, *np.flatnonzero(np.isinf(numeric)).tolist()])
    if wrong:
        row = wrong[0]
        raise DataRefused(
            f"{source}: column {name!r}, row {row + 1}: {str(column.iloc[row])[:80]!a} is not a finite number "
            f"({len(wrong)} such cells). Leave a cell empty where there is no score."
        )
    return numeric


def as_numbers(column: pd.Series) -> np.ndarray:
    """Float64 values, NaN for all that is no number; whole numbers beyond the largest float are infinite."""
    if pd.api.types.is_datetime64_any_dtype(column) or pd.api.types.is_timedelta64_dtype(column):
        return np.full(len(column), np.nan)  # a time is no number, whatever it counts from
    try:
        return pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    except OverflowError:
        return as_numbers(column.map(lambda value: np.inf if _beyond(value) else value))


def _beyond(value: object) -> bool:
    return isinstance(value, int) and abs(value) > sys.float_info.max


def _pivot(coded: list[tuple[np.ndarray, list[str]]], value: np.ndarray, source: str) -> DenseScores:
    """Average repeats and lay the cells out densely.

    Args:
        coded: Numbers and labels of items, models, metrics, repeats.
        value: float64 [row], NaN where there is no score.
        source: For messages.
    """
    codes, labels = [code for code, _ in coded], [label for _, label in coded]
    shape = tuple(len(label) for label in labels[:3])
    if not all(shape):
        raise DataRefused(f"{source}: no scores in it.")
    flat = np.ravel_multi_index(tuple(codes[:3]), shape)
    _refuse_twice(flat * len(labels[3]) + codes[3], codes, labels, source)
    known = ~np.isnan(value)
    if not known.any():
        raise DataRefused(f"{source}: not one score in it, only blanks.")
    if not known.all():
        flat, value = flat[known], value[known]
    size = int(np.prod(shape))
    count = np.bincount(flat, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(flat, weights=value, minlength=size) / count
    with np.errstate(invalid="ignore", over="ignore"):  # what is too large is refused with the values themselves
        squares = np.bincount(flat, weights=(value - mean[flat]) ** 2, minlength=size)
        variance = np.where(count > 1, squares / np.maximum(count - 1, 1), 0.0)
        variance[variance <= (1e-9 * mean) ** 2] = 0.0  # equal repeats, up to the rounding of their mean
    return DenseScores(
        mean=mean.reshape(shape),
        count=count.reshape(shape).astype(np.int32),
        variance=variance.reshape(shape),
        items=[str(name) for name in labels[0]],
        policies=[str(name) for name in labels[1]],
        metrics=[str(name) for name in labels[2]],
    )


def _refuse_twice(cell: np.ndarray, codes: list[np.ndarray], labels: list[list[str]], source: str) -> None:
    """Refuse two rows of one item, model, metric and repeat."""
    ordered = np.sort(cell)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    twice = pd.Series(cell).duplicated().to_numpy()
    row = int(np.flatnonzero(twice)[0])
    item, model, name = (labels[part][codes[part][row]] for part in range(3))
    raise DataRefused(
        f"{source}: {int(twice.sum())} cells come twice, first item {item!r}, model {model!r}, metric {name!r}."
        " Number repeated runs in a column 'repeat'."
    )
