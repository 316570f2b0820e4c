"""Reading logs from beginning to end: the way every import and every estimate from logs takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bestrand_drive.errors import DataRefused, UsageError, choices
from bestrand_drive.readers.choice import Choice, Chosen, chosen
from bestrand_drive.readers.collecting import Collector, Columns
from bestrand_drive.readers.contract import Intake, Reader, Scale
from bestrand_drive.readers.items import Items, Key, resolve_items
from bestrand_drive.readers.joining import Cells, category_weights, gaps_said, metric_numbers, settle, unscored_said
from bestrand_drive.readers.names import refuse_odd_names
from bestrand_drive.readers.scaling import Stated, mapped, scale_for
from bestrand_drive.readers.spec import DUPLICATES, ImportSpec


@dataclass(frozen=True)
class Source:
    """A path to read, and the name to give its model instead of the log's own."""

    path: Path
    model: str | None = None


@dataclass(frozen=True)
class Known:
    """A benchmark that was imported before.

    Attributes:
        tasks: Its tasks, which ids are made of.
        contents: Its items in order: task and id -> ``content_key``, "" where unknown.
    """

    tasks: tuple[str, ...]
    contents: Mapping[Key, str]


@dataclass(frozen=True)
class Request:
    """How to read.

    Attributes:
        choice: Tasks, metrics and filter.
        stated: Bounds and directions.
        duplicates: One of ``DUPLICATES``.
        macro: Categories count alike, whatever the reader says.
        known: The benchmark that is there already; None at the first import.
    """

    choice: Choice = field(default_factory=Choice)
    stated: Stated = field(default_factory=lambda: Stated({}))
    duplicates: str = "refuse"
    macro: bool = False
    known: Known | None = None


def read_logs(reader: Reader, sources: Sequence[Source], request: Request) -> tuple[Cells, ImportSpec]:
    """Read logs into one table.

    Raises:
        DataRefused: A log is damaged or logs contradict each other.
        UsageError: The choice leaves none or more than one reading.
    """
    if request.duplicates not in DUPLICATES:
        raise UsageError(f"--duplicates {request.duplicates}: known are {choices(request.duplicates, DUPLICATES)}")
    intake = Intake(patterns=request.choice.tasks)
    collector = Collector(request.choice.wants)
    for source in sources:
        if not source.path.exists():
            raise DataRefused(f"{source.path}: there is no such file or folder.")
        collector.add_all(reader.read(source.path, intake), source.model)
    reading = chosen(request.choice, collector.seen, intake)
    request.stated.check(request.choice.metrics or reading.metrics)
    return _table(reader, _settled(reader, collector, reading, request), reading, request, intake)


@dataclass(frozen=True)
class _Settled:
    """Rows by item, one a cell.

    Attributes:
        number: Item of each row.
        rows: In the order of ``Cells``.
        items: That there are.
        ids: Theirs in the table.
        said: What was counted.
    """

    number: np.ndarray
    rows: Columns
    items: Items
    ids: list[str]
    said: list[str]


def _settled(reader: Reader, collector: Collector, reading: Chosen, request: Request) -> _Settled:
    """Rows by item, one a cell; all others are let go of here."""
    columns = collector.columns()
    refuse_odd_names(columns)
    items = resolve_items(
        columns, positional=reader.positional, known=None if request.known is None else request.known.contents
    )
    said = []
    if items.renumbered:
        said.append(f"{items.renumbered} rows' items are known by content under another id and joined to it")
    ids = _ids(items, reading, request)
    number, rows, counted = settle(columns, items, ids, reading, request.duplicates)
    said += [*counted, *unscored_said(rows.value)]
    if request.known is None:  # of chosen items the estimate says what is missing
        said += gaps_said(number, rows.model, rows.models, len(ids))
    return _Settled(number, rows, items, ids, said)


def _tasks(reading: Chosen, request: Request) -> tuple[str, ...]:
    return reading.tasks if request.known is None else request.known.tasks


def _ids(items: Items, reading: Chosen, request: Request) -> list[str]:
    """Ids in the table.

    Raises:
        DataRefused: One of them would be read as an item of another task.
    """
    names = ImportSpec("", _tasks(reading, request), (), "", {})
    ids = [names.item_id(*key) for key in items.keys]
    if any(one.startswith(f"{other}/") for one in names.tasks for other in names.tasks):
        for name, key in zip(ids, items.keys, strict=True):
            task = names.native(name)[0]
            if task != key[0]:
                raise DataRefused(f"Item {key[1]!r} of task {key[0]} could be one of task {task}; import one --task.")
    return ids


def _table(
    reader: Reader, settled: _Settled, reading: Chosen, request: Request, intake: Intake
) -> tuple[Cells, ImportSpec]:
    rows, items = settled.rows, settled.items
    tasks, said = _tasks(reading, request), [*intake.said(), *settled.said]
    metric = metric_numbers(rows, reading)
    value, scales, seen = _scaled(reader, rows, metric, reading, request.stated)
    categories, weights = _categories(items, several=len(tasks) > 1), None
    if (request.macro or intake.macro) and request.known is None:
        weights = category_weights(categories or items.categories)
        said.append(f"{len(set(categories or ()))} categories count alike, whatever their sizes")
    cells = Cells(
        item=settled.number,
        model=rows.model,
        metric=metric,
        repeat=rows.repeat,
        value=value,
        cost_s=None if bool(np.isnan(rows.cost_s).all()) else rows.cost_s,
        ids=settled.ids,
        models=rows.models,
        metrics=list(reading.metrics),
        repeats=rows.repeats,
        contents=items.contents,
        categories=None if categories is None else [category or "none" for category in categories],
        weights=weights,
        said=(*said, *seen),
    )
    spec = ImportSpec(
        format=reader.name,
        tasks=tasks,
        metrics=reading.metrics,
        filter=reading.filter,
        scales=scales,
        duplicates=request.duplicates,
        macro=weights is not None,
        versions={name: tuple(sorted(found)) for name, found in sorted(intake.versions.items())},
    )
    return cells, spec


def _categories(items: Items, *, several: bool) -> list[str] | None:
    """Categories of the logs ("" where an item has none), else the tasks when there are several, else None."""
    if any(items.categories):
        return items.categories
    return [task for task, _ in items.keys] if several else None


def _scaled(
    reader: Reader, rows: Columns, metric: np.ndarray, reading: Chosen, stated: Stated
) -> tuple[np.ndarray, dict[str, Scale], list[str]]:
    value, said = rows.value.copy(), []
    scales: dict[str, Scale] = {}
    asides = {series.metric for series in rows.series_list if series.aside}
    for number, name in enumerate(reading.metrics):
        own = metric == number
        known = value[own & ~np.isnan(value)]
        scale, sentence = scale_for(name, reader, stated, known, aside=name in asides)
        scales[name] = scale
        said += [sentence] if sentence else []
        value[own] = mapped(value[own], scale, name)
    return value, scales, said
