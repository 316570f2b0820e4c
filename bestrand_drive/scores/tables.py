"""Score and item tables on disk: CSV (also compressed), JSON lines and Parquet."""

from __future__ import annotations

import gzip
import json
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from bestrand_drive.errors import DataRefused
from bestrand_drive.scores.frames import ITEM_COLUMNS, MODEL_COLUMNS, as_numbers
from bestrand_drive.scores.metrics import LARGEST

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".jsonl", ".jsonl.gz", ".parquet")


@dataclass(frozen=True)
class ItemTable:
    """What is known of the items beside their scores, aligned to a list of ids.

    Attributes:
        strata: One label an item, or None.
        groups: One label an item (items of one group stay together), or None.
        cost_s: float64 [item] seconds, NaN where unknown, or None.
    """

    strata: tuple[str, ...] | None
    groups: tuple[str, ...] | None
    cost_s: np.ndarray | None


def read_table(path: Path, *, without: Collection[str] = ()) -> pd.DataFrame:
    """Read one table of scores.

    Args:
        path: The table.
        without: Columns of Parquet that are not wanted.

    Raises:
        DataRefused: Unknown file type, unreadable or damaged content, or no rows.
    """
    name = path.name.lower()
    if not name.endswith(SUFFIXES):
        raise DataRefused(f"{path}: not a table this reads; use one of {', '.join(SUFFIXES)}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = _parse(path, name, without)
    except DataRefused:
        raise
    except Exception as error:
        # Readers of damaged files raise whatever they trip over (zlib.error, KeyError, TypeError, ArrowInvalid ...).
        raise DataRefused(f"{path}: cannot be read as a table: {error}") from error
    if frame.empty:
        raise DataRefused(f"{path}: the table has no rows.")
    return frame


_LABELS = ("metric", "repeat", "task", "filter", "content", "hash", "category", "stratum", "group")
_TEXT = dict.fromkeys((*ITEM_COLUMNS, *MODEL_COLUMNS, *_LABELS), str)
"""Columns of words: as numbers, the ids 7 and 007 would be one, and the hash 1e5 would be 100000."""


def _parse(path: Path, name: str, without: Collection[str]) -> pd.DataFrame:
    if name.endswith(".parquet"):
        names = pq.read_schema(path).names
        _refuse_repeated(path, names)
        return pd.read_parquet(path, columns=[one for one in names if one not in without] if without else None)
    if name.endswith((".jsonl", ".jsonl.gz")):
        return _read_json_lines(path)
    separator = "\t" if name.endswith((".tsv", ".tsv.gz")) else ","
    _check_header(path, separator)
    # index_col=False: rows longer than the header are an error instead of a shifted table
    return pd.read_csv(path, sep=separator, dtype=_TEXT, index_col=False, keep_default_na=False, na_values=[""])


def _read_json_lines(path: Path) -> pd.DataFrame:
    """One object a line, values as written (pandas would turn columns named like dates into times)."""
    rows = []
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8-sig") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            row = json.loads(line)
            if not isinstance(row, dict):
                raise DataRefused(f"{path}, line {number}: not a JSON object; write one object a line.")
            rows.append(row)
    frame = pd.DataFrame(rows)
    for name in [name for name in _TEXT if name in frame.columns and frame[name].map(type).nunique() > 1]:
        blank = frame[name].isna()
        frame[name] = frame[name].astype(str).astype(object).where(~blank, None)
    return frame


def _check_header(path: Path, separator: str) -> None:
    """Refuse a column without a name, and a repeated name, which pandas would rename."""
    head = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
    names = list(head.iloc[0])
    if "" in names:
        raise DataRefused(f"{path}: column {names.index('') + 1} has no name (a row index?); name it or leave it out.")
    _refuse_repeated(path, names)


def _refuse_repeated(path: Path, names: Sequence[str]) -> None:
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise DataRefused(f"{path}: column {twice[0]!r} is there more than once; give every model its own name.")


def read_items(path: Path, items: tuple[str, ...]) -> ItemTable:
    """Read ``items.csv`` (item_id, stratum, group, cost_s) and align it to ``items``.

    Args:
        path: The table; rows for other items are allowed and unused.
        items: Ids of the score matrix.

    Raises:
        DataRefused: An item has no row, has two, or a cost is not a non-negative number.
    """
    frame = read_table(path)
    if "item_id" not in frame.columns:
        raise DataRefused(f"{path}: no column item_id (item_id, stratum, group, cost_s).")
    ids = frame["item_id"].astype(str)
    if ids.duplicated().any():
        raise DataRefused(f"{path}: item {ids[ids.duplicated()].iloc[0]!r} has more than one row.")
    aligned = frame.set_index(ids).reindex(list(items))
    known = set(ids)
    absent = [item for item in items if item not in known]
    if absent:
        raise DataRefused(f"{path}: no row for {len(absent)} items of the score table, first {absent[0]!r}.")
    return ItemTable(
        strata=_labels(aligned, "stratum", path),
        groups=_labels(aligned, "group", path),
        cost_s=_costs(aligned, path),
    )


def _labels(frame: pd.DataFrame, column: str, path: Path) -> tuple[str, ...] | None:
    if column not in frame.columns:
        return None
    if frame[column].isna().any():
        item = frame.index[frame[column].isna()][0]
        raise DataRefused(f"{path}: item {item!r} has no {column}; fill the column for every item or leave it out.")
    return tuple(frame[column].astype(str))


def _costs(frame: pd.DataFrame, path: Path) -> np.ndarray | None:
    if "cost_s" not in frame.columns:
        return None
    costs = as_numbers(frame["cost_s"])
    if not ((costs >= 0) & (costs <= LARGEST)).all():
        raise DataRefused(f"{path}: column cost_s must hold seconds, zero or more, for every item.")
    return costs
