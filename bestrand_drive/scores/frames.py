"""Data frames of scores, wide or long, turned into dense arrays with repeats averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused

ITEM_COLUMNS = ("item_id", "item")
MODEL_COLUMNS = ("model", "policy")


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
    long = frame if "value" in frame.columns else _melt(frame, source)
    item, model = (_column(long, names, source) for names in (ITEM_COLUMNS, MODEL_COLUMNS))
    return _pivot(
        pd.DataFrame(
            {
                "item": label_texts(long[item], source),
                "model": label_texts(long[model], source),
                "metric": label_texts(long["metric"], source) if "metric" in long.columns else metric,
                "repeat": label_texts(long["repeat"], source) if "repeat" in long.columns else "0",
                "value": number_column(long["value"], "value", source),
            }
        ),
        source,
    )


def label_texts(column: pd.Series, source: str) -> pd.Series:
    """Ids as text; whole numbers keep their plain form, blanks are refused."""
    blank = np.flatnonzero(column.isna().to_numpy() | (column.astype(str).str.strip() == "").to_numpy())
    if blank.size:
        raise DataRefused(f"{source}: column {column.name!r}, row {int(blank[0]) + 1}: blank ({blank.size} such rows).")
    if pd.api.types.is_float_dtype(column) and bool((column == column.round()).all()):
        return column.astype("int64").astype(str)  # formats without integers write 7 as 7.0
    return column.astype(str)


def _column(frame: pd.DataFrame, names: tuple[str, ...], source: str) -> str:
    for name in names:
        if name in frame.columns:
            return name
    raise DataRefused(
        f"{source}: no column {' or '.join(names)} (found {', '.join(map(str, frame.columns[:6]))}). Give a wide table "
        "(item_id and one column a model) or a long one (item_id, model, value [, metric, repeat])."
    )


def _melt(frame: pd.DataFrame, source: str) -> pd.DataFrame:
    """Turn a wide table into a long one; blank cells stay as missing values."""
    item = _column(frame, ITEM_COLUMNS, source)
    ids = label_texts(frame[item], source)
    if ids.duplicated().any():
        raise DataRefused(f"{source}: item {ids[ids.duplicated()].iloc[0]!r} has more than one row.")
    models = [name for name in frame.columns if name != item]
    if not models:
        raise DataRefused(f"{source}: only the column {item}, no model beside it.")
    columns = {str(name): number_column(frame[name], str(name), source) for name in models}
    return pd.DataFrame({"item_id": ids, **columns}).melt("item_id", var_name="model", value_name="value")


def number_column(column: pd.Series, name: str, source: str) -> np.ndarray:
    """Float64 values; blanks become NaN, everything else that is no finite number is refused."""
    numeric = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    blank = (column.isna() | column.astype(str).str.strip().str.lower().isin(["", "nan", "na", "none"])).to_numpy()
    wrong = np.flatnonzero((np.isnan(numeric) & ~blank) | np.isinf(numeric))
    if wrong.size:
        row = int(wrong[0])
        raise DataRefused(
            f"{source}: column {name!r}, row {row + 1}: {str(column.iloc[row])!r} is not a finite number "
            f"({wrong.size} such cells). Leave a cell empty where there is no score."
        )
    return numeric


def _pivot(long: pd.DataFrame, source: str) -> DenseScores:
    """Average repeats and lay the cells out densely."""
    keys = ["item", "model", "metric", "repeat"]
    twice = long.duplicated(keys)
    if twice.any():
        item, model, name, _ = long[keys].to_numpy()[int(np.flatnonzero(twice)[0])]
        raise DataRefused(
            f"{source}: {int(twice.sum())} cells come twice, first item {item!r}, model {model!r}, metric {name!r}."
            " Number repeated runs in a column 'repeat'."
        )
    coded = [pd.factorize(long[key].to_numpy()) for key in keys[:3]]
    codes, labels = [code for code, _ in coded], [label for _, label in coded]
    shape = tuple(len(label) for label in labels)
    if not all(shape):
        raise DataRefused(f"{source}: no scores in it.")
    flat = np.ravel_multi_index(tuple(codes), shape).reshape(-1)
    value = long["value"].to_numpy()
    known = ~np.isnan(value)
    if not known.any():
        raise DataRefused(f"{source}: not one score in it, only blanks.")
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
