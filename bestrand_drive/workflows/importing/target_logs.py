"""A target's logs, read in the way that the suite's table was imported."""

from __future__ import annotations

from glob import escape
from pathlib import Path

import numpy as np
import pandas as pd

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.choice import Choice
from bestrand_drive.readers.items import Key
from bestrand_drive.readers.joining import Cells
from bestrand_drive.readers.parquet import import_spec
from bestrand_drive.readers.reading import Known, Request, Source, read_logs
from bestrand_drive.readers.registry import find_reader
from bestrand_drive.readers.scaling import Stated
from bestrand_drive.readers.spec import ImportSpec, spec_of
from bestrand_drive.suite import Suite


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


def log_frame(suite: Suite, path: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Scores of logs as a long table on the suite's items, and what was counted.

    Raises:
        BestrandError: See ``readers.reading.read_logs``.
    """
    cells, _ = read_logs_like(suite, path, known=True)
    return long_frame(cells), cells.said


def read_logs_like(suite: Suite, path: Path, *, known: bool) -> tuple[Cells, ImportSpec]:
    """Logs read as the suite's table was.

    Args:
        suite: Of an imported table.
        path: File or folder.
        known: Whether rows are joined to the suite's items; else the logs say themselves which items there are.

    Raises:
        BestrandError: See ``readers.reading.read_logs``.
    """
    spec, names = suite_spec(suite), [metric.name for metric in suite.metrics]
    request = Request(
        choice=Choice(tuple(escape(task) for task in spec.tasks), tuple(names), spec.filter, partial=True),
        stated=Stated({name: (scale.low, scale.high) for name, scale in spec.scales.items() if name in names}),
        duplicates=spec.duplicates,
        known=Known(spec.tasks, known_items(suite, spec)) if known else None,
    )
    try:
        return read_logs(find_reader(spec.format), [Source(path)], request)
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
