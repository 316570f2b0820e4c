"""The imported table as one Parquet file: long rows, facts of items beside them, how it was read as metadata."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.joining import Cells
from bestrand_drive.readers.spec import ImportSpec, spec_of
from bestrand_drive.scores.frames import coded_labels
from bestrand_drive.scores.tables import read_table

META = b"bestrand_import"
LONG = ("item_id", "model", "metric", "repeat", "value")
"""Columns of a long table."""
FACTS = ("content", "stratum", "weight", "cost_s")
"""Columns beside those of a long table; ``cost_s`` is of the cell, the others of the item."""


def parquet_bytes(cells: Cells, spec: ImportSpec) -> bytes:
    """The file; the same cells and specification give the same bytes under the same pyarrow."""
    columns = {
        "item_id": _texts(cells.item, cells.ids),
        "model": _texts(cells.model, cells.models),
        "metric": _texts(cells.metric, cells.metrics),
        "repeat": _texts(cells.repeat, cells.repeats),
        "value": pa.array(cells.value, mask=np.isnan(cells.value)),
    }
    if any(cells.contents):
        columns["content"] = _texts(cells.item, cells.contents)
    if cells.categories is not None:
        columns["stratum"] = _texts(cells.item, cells.categories)
    if cells.weights is not None:
        columns["weight"] = pa.array(cells.weights[cells.item])
    if cells.cost_s is not None:
        columns["cost_s"] = pa.array(cells.cost_s.astype(np.float64), mask=np.isnan(cells.cost_s))
    table = pa.table(columns).replace_schema_metadata({META: json.dumps(spec.to_dict(), sort_keys=True).encode()})
    out = pa.BufferOutputStream()
    pq.write_table(table, out, compression="zstd")
    return bytes(out.getvalue())


def _texts(codes: np.ndarray, values: list[str]) -> pa.DictionaryArray:
    labels, number = np.unique(np.array(values, dtype=object), return_inverse=True)  # facts of items repeat
    if len(labels) == len(values):
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values, type=pa.string()))
    return pa.DictionaryArray.from_arrays(
        pa.array(number.astype(np.int32)[codes]), pa.array(list(labels), type=pa.string())
    )


@dataclass(frozen=True)
class ItemFacts:
    """What an imported table says of its items.

    Attributes:
        spec: How it was imported.
        contents: Item id -> content hash, for items with one.
        strata: Item id -> category; empty when the logs tell none.
        weights: Item id -> weight; empty when all count alike.
        costs: Seconds, the mean over repeats, one row an item and one column a model, NaN where unknown; empty when
            none is known.
    """

    spec: ImportSpec
    contents: dict[str, str]
    strata: dict[str, str]
    weights: dict[str, float]
    costs: pd.DataFrame


def import_spec(path: Path) -> ImportSpec | None:
    """How a Parquet file was imported, or None when it is another file.

    Raises:
        DataRefused: It was imported by another version.
    """
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return None
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        return None  # whoever reads the table says what is wrong with it
    if META not in metadata:
        return None
    try:
        raw = json.loads(metadata[META])
    except (ValueError, RecursionError) as error:
        raise DataRefused(f"{path}: how it was imported cannot be read ({error}); import it again.") from error
    return spec_of(raw, str(path))


def item_facts(path: Path, models: Collection[str] = ()) -> ItemFacts | None:
    """What an imported table says of its items; None when it is another file.

    Args:
        path: The table.
        models: Whose durations are wanted; reading those of all takes its time.

    Raises:
        DataRefused: Its columns are not those of an import.
    """
    spec = import_spec(path)
    if spec is None:
        return None
    try:
        frame = _beside(path, costs=bool(models))
        first = frame[~frame["item_id"].duplicated()]
        facts = {name: dict(zip(first["item_id"].astype(str), first[name], strict=True)) for name in first.columns}
        weights = {item: float(weight) for item, weight in facts.get("weight", {}).items()}
        if any(not 0 < weight < np.inf for weight in weights.values()):
            raise ValueError("a weight is not above 0")
        costs = _costs(frame, models) if "cost_s" in frame else pd.DataFrame()
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise DataRefused(f"{path}: what it says of its items cannot be read ({error!r}); import it again.") from error
    return ItemFacts(
        spec,
        {item: str(text) for item, text in facts.get("content", {}).items() if text},
        {item: str(text) for item, text in facts.get("stratum", {}).items()},
        weights,
        costs,
    )


def imported_rows(path: Path, spec: ImportSpec) -> pd.DataFrame:
    """The rows of an imported table as a reader gives them, by the tool's own ids.

    Raises:
        DataRefused: Its columns are not those of an import.
        UsageError: An id is of none of its tasks.
    """
    frame = read_table(path, without=("stratum", "weight", "cost_s"))
    absent = [name for name in LONG if name not in frame.columns]
    if absent:
        raise DataRefused(f"{path}: no column {', '.join(absent)}, though it says that it was imported.")
    codes, ids = coded_labels(frame["item_id"], str(path))
    tasks, own = (np.array(part, dtype=object)[codes] for part in zip(*map(spec.native, ids), strict=True))
    told = {"task": tasks, "item": own, "filter": spec.filter, "source": str(path)}
    return frame.drop(columns="item_id").assign(**told)


def _beside(path: Path, *, costs: bool) -> pd.DataFrame:
    """Item ids with what stands beside them, durations and their models only when wanted."""
    names = [name for name in pq.read_schema(path).names if name in FACTS and (costs or name != "cost_s")]
    needed = ["item_id", *names, *(["model"] if "cost_s" in names else [])]
    frame: pd.DataFrame = pq.read_table(path, columns=needed).to_pandas()
    return frame


def _costs(frame: pd.DataFrame, models: Collection[str]) -> pd.DataFrame:
    """Mean seconds by item and model."""
    known = frame[frame["cost_s"].notna() & frame["model"].isin(models)]
    item, items = pd.factorize(known["item_id"])
    model, names = pd.factorize(known["model"])
    flat, size = item * len(names) + model, len(items) * len(names)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(flat, weights=known["cost_s"], minlength=size) / np.bincount(flat, minlength=size)
    return pd.DataFrame(mean.reshape(len(items), len(names)), index=items.astype(str), columns=names.astype(str))
