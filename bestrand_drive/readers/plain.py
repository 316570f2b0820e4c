"""Score tables of no tool in particular: CSV, TSV, JSON lines, Parquet; wide, long, or one column a metric."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader
from bestrand_drive.readers.folders import files_under
from bestrand_drive.scores.frames import (
    ITEM_COLUMNS,
    MODEL_COLUMNS,
    factorized,
    label_texts,
    number_column,
    refuse_about_items,
)
from bestrand_drive.scores.tables import SUFFIXES, read_table

FACTS = {
    "metric": "metric",
    "task": "task",
    "filter": "filter",
    "repeat": "repeat",
    "content": "content",
    "hash": "content",
    "stratum": "category",
    "category": "category",
    "cost_s": "cost_s",
}
"""Column of a table -> field of a row."""
BATCH = 2_000_000
"""Rows that are laid out at once."""


def read(path: Path, intake: Intake) -> Iterator[pd.DataFrame]:
    """Rows of one table, or of every table of a folder.

    Three shapes: long (``item_id, model, value`` and any of ``FACTS``), one column a metric (``item_id, model`` and
    numbers, ``FACTS`` too), wide (``item_id`` and one column a model; ``content``, ``stratum`` ... beside).
    """
    files = [path] if path.is_file() else [file for file in files_under(path) if file.name.lower().endswith(SUFFIXES)]
    for file in files:
        frame = read_table(file)
        item = next((name for name in ITEM_COLUMNS if name in frame.columns), None)
        if item is None:
            raise DataRefused(f"{file}: no column item_id (found {', '.join(map(str, frame.columns[:6]))}).")
        for part in _rows(frame, item, file):
            yield part.assign(
                source=pd.Categorical.from_codes(np.zeros(len(part), dtype=np.int8), pd.Index([str(file)]))
            )


def _rows(frame: pd.DataFrame, item: str, file: Path) -> Iterator[pd.DataFrame]:
    """One frame for a long table, else one for each column of numbers."""
    model = next((name for name in MODEL_COLUMNS if name in frame.columns), None)
    told = [name for name in FACTS if name in frame.columns and not (model is None and name in ("metric", "repeat"))]
    if len({FACTS[name] for name in told}) < len(told):
        raise DataRefused(f"{file}: two of its columns mean the same ({', '.join(told)}); leave one out.")
    shared = {"item": label_texts(frame[item], str(file))} | {
        FACTS[name]: number_column(frame[name], name, str(file)) if name == "cost_s" else _text(frame[name], file)
        for name in told
    }
    if model is not None:
        shared["model"] = label_texts(frame[model], str(file))
    numbers = [str(name) for name in frame.columns if name not in {item, model, *told}]
    if "value" in numbers:
        yield pd.DataFrame(shared | {"value": number_column(frame["value"], "value", str(file))})
        return
    if not numbers:
        raise DataRefused(f"{file}: no column of scores beside {item}.")
    if model is None:
        refuse_about_items(numbers, str(file))
    together = max(1, BATCH // max(len(frame), 1))
    for start in range(0, len(numbers), together):
        yield _stacked(frame, numbers[start : start + together], shared, "model" if model is None else "metric", file)


def _stacked(frame: pd.DataFrame, names: list[str], shared: dict[str, Any], label: str, file: Path) -> pd.DataFrame:
    """Some columns of numbers below each other, each named in the column ``label``."""
    times = len(names)
    parts = {name: pd.concat([pd.Series(column)] * times, ignore_index=True) for name, column in shared.items()}
    parts[label] = pd.Series(pd.Categorical.from_codes(np.repeat(np.arange(times), len(frame)), pd.Index(names)))
    values = [number_column(frame[name], name, str(file)) for name in names]
    return pd.DataFrame(parts | {"value": np.concatenate(values)})


def _text(column: pd.Series, file: Path) -> pd.Series:
    """Text with blanks as ""; repeats and metrics must not be blank."""
    if column.name in ("metric", "repeat"):
        return label_texts(column, str(file))
    codes, found = factorized(column, str(file))  # text is made once a value, not once a row
    again, labels = pd.factorize(np.array(["", *map(str, found)], dtype=object))
    return pd.Series(pd.Categorical.from_codes(again[codes + 1], pd.Index(labels)), index=column.index)


def recognises(path: Path) -> bool:
    """Whether a path is a table, or a folder with one in it."""
    if path.is_file():
        return path.name.lower().endswith(SUFFIXES)
    return any(file.name.lower().endswith(SUFFIXES) for file in path.iterdir())


READER = Reader("plain", recognises, read)
