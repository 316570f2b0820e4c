"""Names that a table, a list of ids and a terminal can hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.collecting import Columns

_HALF = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no file can hold."""
_ODD = re.compile(f"[\x00-\x1f\x7f-\x9f]|{_HALF.pattern}")
"""Control characters, which break lines and command terminals, too."""


def refuse_odd_names(columns: Columns) -> None:
    """Refuse rows of an item, model, task ... whose name is blank or holds an odd character.

    Raises:
        DataRefused: Naming the file and the first such name.
    """
    entries = [(entry.item, entry.task, entry.category) for entry in columns.entries]
    _check(entries, columns.entry, columns, "item")
    contents = [("".join(_HALF.findall(entry.content)) or "-",) for entry in columns.entries]
    _check(contents, columns.entry, columns, "content")
    _check([(name,) for name in columns.models], columns.model, columns, "model")
    _check([(one.metric, one.filter) for one in columns.series_list], columns.series, columns, "metric")
    _check([(name,) for name in columns.repeats], columns.repeat, columns, "repeat")


def _check(names: Sequence[tuple[str, ...]], of_row: np.ndarray, columns: Columns, what: str) -> None:
    for number, parts in enumerate(names):
        odd = next((part for part in parts if _ODD.search(part)), None if parts[0].strip() else parts[0])
        if odd is None:
            continue
        rows = np.flatnonzero(of_row == number)
        if rows.size:
            why = "holds a control character or half of one" if odd.strip() else "is blank"
            raise DataRefused(f"{columns.sources[columns.source[rows[0]]]}: {what} {odd[:40]!a} {why}; rename it.")
