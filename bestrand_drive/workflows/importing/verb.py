"""Importing, as the command and a Python user call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bestrand_drive.errors import UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.readers.choice import Choice
from bestrand_drive.readers.joining import Cells
from bestrand_drive.readers.parquet import parquet_bytes
from bestrand_drive.readers.reading import Request, Source, read_logs
from bestrand_drive.readers.registry import find_reader
from bestrand_drive.readers.scaling import Stated
from bestrand_drive.readers.spec import ImportSpec
from bestrand_drive.workflows.importing.target_logs import long_frame

PathLike = str | Path


@dataclass(frozen=True)
class Imported:
    """A table read from logs.

    Attributes:
        cells: The scores and what is known of the items.
        spec: How they were read.
    """

    cells: Cells
    spec: ImportSpec

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.cells.ids)

    @property
    def models(self) -> tuple[str, ...]:
        """Names, in order of first appearance."""
        return tuple(self.cells.models)

    @property
    def said(self) -> tuple[str, ...]:
        """What was counted on the way, as sentences."""
        return self.cells.said

    @property
    def unscored(self) -> int:
        """Rows without a score."""
        return int(np.isnan(self.cells.value).sum())

    def frame(self) -> pd.DataFrame:
        """The long table: ``item_id, model, metric, repeat, value``."""
        return long_frame(self.cells)


def import_logs(  # noqa: PLR0913  one keyword an option, as on the command line
    log_format: str,
    paths: Sequence[PathLike] | Mapping[str, PathLike] | PathLike,
    *,
    task: str | Sequence[str] = (),
    metric: str | Sequence[str] = (),
    rule: str | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    lower_is_better: Sequence[str] = (),
    duplicates: str = "refuse",
    macro: str | None = None,
    out: PathLike | None = None,
    force: bool = False,
) -> Imported:
    """Read the logs of an evaluation tool into one table that ``compress("scores", scores=...)`` takes.

    Args:
        log_format: Name of a reader, such as ``lm-eval`` or ``plain``.
        paths: Files or folders; as a mapping, the keys name the models in place of the logs.
        task: Tasks to take, with shell wildcards; needed when there are several.
        metric: Metrics to take; needed when there are several.
        rule: The filter to take; needed when there are several.
        bounds: Least and greatest value by metric in the tool's units, where its reader states none; None for an open
            end, and such a metric keeps its units.
        lower_is_better: Metrics of which less is better.
        duplicates: What to do with two different scores of one cell: ``refuse``, ``first``, ``last`` or ``mean``.
        macro: ``category`` when the benchmark's own number averages its categories alike.
        out: Parquet file to write; None writes nothing.
        force: Replace a file that is there.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    target = None if out is None else Path(out)
    if target is not None:
        _check_out(target, force=force)
    if macro not in (None, "category"):
        raise UsageError(f"--macro {macro}: known is category.")
    request = Request(
        choice=Choice(_texts(task), _texts(metric), rule),
        stated=Stated(dict(bounds or {}), tuple(lower_is_better)),
        duplicates=duplicates,
        macro=macro is not None,
    )
    cells, spec = read_logs(find_reader(log_format), _sources(paths), request)
    if target is not None:
        write_atomic(target, parquet_bytes(cells, spec))
    return Imported(cells, spec)


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


def _sources(paths: Sequence[PathLike] | Mapping[str, PathLike] | PathLike) -> list[Source]:
    if isinstance(paths, Mapping):
        return [Source(Path(path), name) for name, path in paths.items()]
    if isinstance(paths, str | Path):
        return [Source(Path(paths))]
    return [Source(Path(path)) for path in paths]


def _check_out(out: Path, *, force: bool) -> None:
    if out.suffix.lower() != ".parquet":
        raise UsageError(f"--out {out}: the table is written as Parquet; give it a name that ends in .parquet.")
    if not out.parent.is_dir():
        raise UsageError(f"--out {out}: the folder {out.parent} does not exist; make it first.")
    if out.is_dir() or (out.exists() and not force):
        raise UsageError(f"--out {out}: is there already; add --force to replace a file.")
