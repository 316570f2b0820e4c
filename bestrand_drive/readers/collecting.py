"""Rows of any number of logs, kept as small columns of codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Row

CHUNK = 65_536
"""Rows that are held as objects before they become columns."""


class Entry(NamedTuple):
    """One item as one log names it."""

    task: str
    item: str
    content: str
    category: str


class Series(NamedTuple):
    """One kind of number."""

    task: str
    metric: str
    filter: str
    aside: bool


@dataclass
class Labels:
    """Values and the numbers they are kept as, in order of first appearance."""

    numbers: dict[Hashable, int] = field(default_factory=dict)

    def code(self, value: Hashable) -> int:
        """The number of a value, a new one when it was not seen before."""
        return self.numbers.setdefault(value, len(self.numbers))

    def values(self) -> list[Any]:
        """All values, by number."""
        return list(self.numbers)


@dataclass(frozen=True)
class Columns:
    """All rows, one array a column.

    Attributes:
        entry: int32 [row], number in ``entries``.
        model: int32 [row], number in ``models``.
        series: int32 [row], number in ``series_list``.
        repeat: int32 [row], number in ``repeats``.
        source: int32 [row], number in ``sources``.
        value: float64 [row], NaN where not scored.
        cost_s: float32 [row], NaN where unknown.
    """

    entry: np.ndarray
    model: np.ndarray
    series: np.ndarray
    repeat: np.ndarray
    source: np.ndarray
    value: np.ndarray
    cost_s: np.ndarray
    entries: list[Entry]
    models: list[str]
    series_list: list[Series]
    repeats: list[str]
    sources: list[str]

    def where(self, rows: np.ndarray) -> Columns:
        """Some of the rows: a mask or numbers."""
        parts = {name: getattr(self, name)[rows] for name in NUMBERS}
        return Columns(**parts, **{name: getattr(self, name) for name in LISTS})


NUMBERS = ("entry", "model", "series", "repeat", "source", "value", "cost_s")
LISTS = ("entries", "models", "series_list", "repeats", "sources")
_TYPES = (np.int32, np.int32, np.int32, np.int32, np.int32, np.float64, np.float32)


class Collector:
    """Takes rows; those of series that are not wanted are only counted."""

    def __init__(self, wanted: Callable[[Series], bool]) -> None:
        """Start empty.

        Args:
            wanted: Whether rows of a series are kept.
        """
        self._wanted = wanted
        self._labels = {name: Labels() for name in ("entry", "model", "series", "repeat", "source")}
        self._held: list[tuple[int, int, int, int, int, float, float]] = []
        self._parts: list[list[np.ndarray]] = []
        self._kept: dict[int, bool] = {}
        self.seen: Counter[Series] = Counter()

    def add_all(self, rows: Iterable[Row | pd.DataFrame], model: str | None) -> None:
        """Take everything a reader gives.

        Args:
            rows: Rows or frames of rows.
            model: Name to put in place of the rows' own, or None.

        Raises:
            DataRefused: A row has no item or model, or its value is no number.
        """
        for row in rows:
            if isinstance(row, pd.DataFrame):
                self._add_frame(row, model)
            else:
                self._add_row(row, model)

    def _add_row(self, row: Row, model: str | None) -> None:
        series = Series(row.task, row.metric, row.filter, row.aside)
        self.seen[series] += 1
        labels = self._labels
        number = labels["series"].code(series)
        if number not in self._kept:
            self._kept[number] = self._wanted(series)
        if not self._kept[number]:
            return
        if not row.item or not (model or row.model):
            raise DataRefused(f"{row.source}: a row without {'item id' if not row.item else 'model name'}.")
        self._held.append(
            (
                labels["entry"].code(Entry(row.task, row.item, row.content, row.category)),
                labels["model"].code(model or row.model),
                number,
                labels["repeat"].code(row.repeat),
                labels["source"].code(row.source),
                row.value,
                row.cost_s,
            )
        )
        if len(self._held) >= CHUNK:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._parts.append(_arrays(zip(*self._held, strict=True), str(self._labels["source"].values()[-1])))
            self._held = []

    def _add_frame(self, frame: pd.DataFrame, model: str | None) -> None:
        """Take a frame: strings are coded a column at a time, so that only what differs costs time."""
        if frame.empty:
            return
        self._flush()
        series = self._joint([_coded(frame, name) for name in Series._fields], "series", _series)
        known = self._labels["series"].values()
        for one, count in zip(known, np.bincount(series, minlength=len(known)).tolist(), strict=True):
            self.seen.update({one: count} if count else {})
        rows = np.array([self._kept.setdefault(n, self._wanted(one)) for n, one in enumerate(known)])[series]
        kept = frame if rows.all() else frame[rows]
        if not kept.empty:
            self._take(kept.assign(model=model) if model else kept, series[rows])

    def _take(self, frame: pd.DataFrame, series: np.ndarray) -> None:
        """Keep all rows of a frame."""
        texts = {name: _coded(frame, name) for name in (*Entry._fields, "model", "repeat", "source")}
        place = texts["source"][1][0]
        for name in ("item", "model"):
            if "" in texts[name][1]:
                raise DataRefused(f"{place}: a row without {name}.")
        entry = self._joint([texts[name] for name in Entry._fields], "entry", Entry)
        model, repeat, source = (self._single(texts[name], name) for name in ("model", "repeat", "source"))
        cost = frame["cost_s"] if "cost_s" in frame.columns else np.full(len(frame), np.nan)
        self._parts.append(_arrays([entry, model, series, repeat, source, frame["value"], cost], place))

    def _single(self, coded: tuple[np.ndarray, list[str]], name: str) -> np.ndarray:
        """Codes of a column in the numbers of all frames."""
        codes, values = coded
        return np.asarray(np.array([self._labels[name].code(value) for value in values], dtype=np.int32)[codes])

    def _joint(self, parts: list[tuple[np.ndarray, list[str]]], name: str, kind: Callable[..., Hashable]) -> np.ndarray:
        """Codes of the combinations of some columns, in the numbers of all frames."""
        shape = tuple(len(values) for _, values in parts)
        flat = np.ravel_multi_index(tuple(codes for codes, _ in parts), shape)
        code, found = pd.factorize(flat)
        places = np.unravel_index(found, shape)
        tuples = zip(
            *([values[i] for i in place] for place, (_, values) in zip(places, parts, strict=True)), strict=True
        )
        numbers = [self._labels[name].code(kind(*one)) for one in tuples]
        return np.asarray(np.array(numbers, dtype=np.int32)[code])

    def columns(self) -> Columns:
        """All rows that were kept.

        Raises:
            DataRefused: A value is infinite.
        """
        self._flush()
        empty = [np.empty(0, dtype=kind) for kind in _TYPES]
        parts, self._parts = self._parts or [empty], []
        arrays = []
        for number in range(len(_TYPES)):
            arrays.append(np.concatenate([part[number] for part in parts]))
            for part in parts:
                part[number] = empty[number]  # what is joined need not be held twice
        labels = [self._labels[name].values() for name in ("entry", "model", "series", "repeat", "source")]
        parts_by_name: dict[str, Any] = dict(zip((*NUMBERS, *LISTS), (*arrays, *labels), strict=True))
        columns = Columns(**parts_by_name)
        _refuse_infinite(columns)
        return columns


def _refuse_infinite(columns: Columns) -> None:
    wrong = np.flatnonzero(np.isinf(columns.value))
    if wrong.size:
        row = wrong[0]
        raise DataRefused(
            f"{columns.sources[columns.source[row]]}: item {columns.entries[columns.entry[row]].item!r} has "
            f"{columns.series_list[columns.series[row]].metric} {columns.value[row]:g}, which is no finite number "
            f"({wrong.size} such rows). Leave it empty where there is no score."
        )


def _series(task: str, metric: str, rule: str, aside: str) -> Series:
    return Series(task, metric, rule, aside == str(True))


def _coded(frame: pd.DataFrame, name: str) -> tuple[np.ndarray, list[str]]:
    """Codes and values of a column of text, blanks as ""; one value for all rows where the frame has no such column."""
    if name not in frame.columns:
        return np.zeros(len(frame), dtype=np.int64), [str(Row._field_defaults.get(name, ""))]
    column = frame[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, used = pd.factorize(column.cat.codes)
        return codes, ["" if number < 0 else str(column.cat.categories[number]) for number in used]
    codes, values = pd.factorize(column, use_na_sentinel=False)
    return codes, ["" if pd.isna(value) else str(value) for value in values]


def _arrays(columns: Iterable[Any], source: str) -> list[np.ndarray]:
    """Columns in the order and types of ``Columns``.

    Raises:
        DataRefused: A value or a duration is no number.
    """
    try:
        return [np.asarray(column, dtype=kind) for column, kind in zip(columns, _TYPES, strict=True)]
    except (TypeError, ValueError) as error:
        raise DataRefused(f"{source}: a score or a duration is no number ({error}).") from error
