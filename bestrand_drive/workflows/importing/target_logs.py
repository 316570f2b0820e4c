"""A target's logs, or a table imported from them, read in the way that the suite's table was imported."""

from __future__ import annotations

from dataclasses import replace
from glob import escape
from pathlib import Path

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.choice import Choice
from bestrand_drive.readers.contract import Reader, Scale
from bestrand_drive.readers.items import Key
from bestrand_drive.readers.joining import Cells
from bestrand_drive.readers.parquet import import_spec, imported_rows
from bestrand_drive.readers.reading import Known, Request, Source, read_logs
from bestrand_drive.readers.registry import find_reader
from bestrand_drive.readers.scaling import Stated
from bestrand_drive.readers.spec import ImportSpec, spec_of
from bestrand_drive.suite.schema import Suite

PLAIN = "plain"
"""Format of tables that people make: with it, ids are as good as those of a table that was never imported."""


def is_log(suite: Suite, path: Path) -> bool:
    """Whether results are logs of the tool that the suite's table came from, rather than a table."""
    if suite.imported is None or import_spec(path) is not None:
        return False
    if not path.exists():
        raise DataRefused(f"{path}: there is no such file or folder.")
    return path.is_dir() or find_reader(suite_spec(suite).format).recognises(path)


def suite_spec(suite: Suite) -> ImportSpec:
    """How the table of an imported suite was read.

    Raises:
        DataRefused: It was not imported, or by another version.
    """
    return spec_of(suite.imported, "suite.json")


def known_items(suite: Suite, spec: ImportSpec) -> dict[Key, str]:
    """Items of a suite by the tool's own ids, with short hashes of their contents ("" where unknown)."""
    return {spec.native(leaf): suite.contents.get(leaf, "") for item in suite.items for leaf in item.leaves}


def joined_frame(suite: Suite, path: Path) -> tuple[pd.DataFrame, tuple[str, ...]] | None:
    """Scores of logs, or of a table that was imported from such logs, as a long table on the suite's items.

    Returns:
        The table and what was counted; None for other tables, whose ids are taken as they are.

    Raises:
        BestrandError: See ``readers.reading.read_logs``; or the table was imported by another rule.
    """
    if suite.imported is None:
        return None
    table = import_spec(path)
    if table is None and not is_log(suite, path):
        return None
    if table is not None and table.format == PLAIN and suite_spec(suite).format != PLAIN:
        return None
    cells, _ = read_logs_like(suite, path, known=True) if table is None else _read_imported(suite, path, table)
    return long_frame(cells), cells.said


def check_rule(suite: Suite, spec: ImportSpec, path: Path) -> None:
    """Refuse numbers that are of another kind than the suite's.

    Raises:
        DataRefused: Format, filter or a metric's bounds differ.
    """
    if suite.imported is None:
        return
    mine = suite_spec(suite)
    shared = [name for name in mine.scales if name in spec.scales]
    bounds = [(f"bounds of {name}", _bounds(spec.scales[name]), _bounds(mine.scales[name])) for name in shared]
    for what, here, there in (("filter", spec.filter, mine.filter), ("format", spec.format, mine.format), *bounds):
        if here != there:
            raise DataRefused(
                f"{path}: was imported with {what} {here or 'none'!r}, the suite's table with {there or 'none'!r}; "
                "import it likewise."
            )


def _bounds(scale: Scale) -> str:
    return ":".join("" if end is None else f"{end:g}" for end in (scale.low, scale.high))


def _read_imported(suite: Suite, path: Path, spec: ImportSpec) -> tuple[Cells, ImportSpec]:
    """A table of an import, its rows joined to the suite's items as those of the logs would be."""
    check_rule(suite, spec, path)
    reader = Reader(spec.format, lambda _: True, lambda place, _: iter([imported_rows(place, spec)]))
    return _read_like(suite, path, reader, _mapped(suite_spec(suite)), known=True)


def _mapped(spec: ImportSpec) -> ImportSpec:
    """As the table has its values: what has both bounds lies in [0, 1]."""
    scales = {
        name: scale if None in (scale.low, scale.high) else replace(scale, low=0.0, high=1.0)
        for name, scale in spec.scales.items()
    }
    return replace(spec, scales=scales)


def read_logs_like(suite: Suite, path: Path, *, known: bool) -> tuple[Cells, ImportSpec]:
    """Logs read as the suite's table was.

    Args:
        suite: Of an imported table.
        path: File or folder.
        known: Whether rows are joined to the suite's items; else the logs say themselves which items there are.

    Raises:
        BestrandError: See ``readers.reading.read_logs``.
    """
    spec = suite_spec(suite)
    return _read_like(suite, path, find_reader(spec.format), spec, known=known)


def _read_like(suite: Suite, path: Path, reader: Reader, spec: ImportSpec, *, known: bool) -> tuple[Cells, ImportSpec]:
    names = [metric.name for metric in suite.metrics]
    request = Request(
        choice=Choice(tuple(escape(task) for task in spec.tasks), tuple(names), spec.filter, partial=True),
        stated=Stated({name: (scale.low, scale.high) for name, scale in spec.scales.items() if name in names}),
        duplicates=spec.duplicates,
        known=Known(spec.tasks, known_items(suite, spec)) if known else None,
    )
    try:
        return read_logs(reader, [Source(path)], request)
    except UsageError as error:
        told = ", ".join(part for part in (*spec.tasks, *names, spec.filter) if part)
        raise UsageError(f"{path}: read as the suite's table was ({told}): {error}") from error


def long_frame(cells: Cells) -> pd.DataFrame:
    """Cells as a long table: ``item_id, model, metric, repeat, value``."""
    columns = {
        "item_id": (cells.item, cells.ids),
        "model": (cells.model, cells.models),
        "metric": (cells.metric, cells.metrics),
        "repeat": (cells.repeat, cells.repeats),
    }
    texts = {
        name: pd.Categorical.from_codes(codes, pd.Index(names, dtype=object))
        for name, (codes, names) in columns.items()
    }
    return pd.DataFrame(texts | {"value": np.asarray(cells.value)})
