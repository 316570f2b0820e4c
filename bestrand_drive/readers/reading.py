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
from bestrand_drive.readers.joining import Cells, category_weights, gaps_said, metric_numbers, settle
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
    collector = Collector(intake, request.choice.wants)
    for source in sources:
        if not source.path.exists():
            raise DataRefused(f"{source.path}: there is no such file or folder.")
        collector.add_all(reader.read(source.path, intake), source.model)
    reading = chosen(request.choice, collector.seen, intake)
    request.stated.check(reading.metrics)
    number, rows, items, said = _settled(reader, collector, reading, request)
    return _table(reader, number, rows, items, reading, request, intake, said)


def _settled(
    reader: Reader, collector: Collector, reading: Chosen, request: Request
) -> tuple[np.ndarray, Columns, Items, list[str]]:
    """Rows by item, one a cell; all others are let go of here."""
    columns = collector.columns()
    items = resolve_items(
        columns, positional=reader.positional, known=None if request.known is None else request.known.contents
    )
    said = []
    if items.renumbered:
        said.append(f"{items.renumbered} rows' items are known by content under another id and joined to it")
    number, rows, counted = settle(columns, items, _ids(items, reading, request), reading, request.duplicates)
    gaps = gaps_said({"item": number, "model": rows.model, "value": rows.value}, rows.models, len(items.keys))
    return number, rows, items, [*said, *counted, *gaps]


def _tasks(reading: Chosen, request: Request) -> tuple[str, ...]:
    return reading.tasks if request.known is None else request.known.tasks


def _ids(items: Items, reading: Chosen, request: Request) -> list[str]:
    names = ImportSpec("", _tasks(reading, request), (), "", {})
    return [names.item_id(task, item) for task, item in items.keys]


def _table(
    reader: Reader,
    number: np.ndarray,
    rows: Columns,
    items: Items,
    reading: Chosen,
    request: Request,
    intake: Intake,
    counted: list[str],
) -> tuple[Cells, ImportSpec]:
    tasks, said = _tasks(reading, request), [*intake.said(), *counted]
    metric = metric_numbers(rows, reading)
    value, scales, seen = _scaled(reader, rows, metric, reading, request.stated)
    categories, weights = _categories(items, several=len(tasks) > 1), None
    if (request.macro or intake.macro) and request.known is None:
        weights = category_weights(categories or [""] * len(items.keys))
        said.append(f"{len(set(categories or []))} categories count alike, whatever their sizes")
    cells = Cells(
        item=number,
        model=rows.model,
        metric=metric,
        repeat=rows.repeat,
        value=value,
        cost_s=None if bool(np.isnan(rows.cost_s).all()) else rows.cost_s,
        ids=_ids(items, reading, request),
        models=rows.models,
        metrics=list(reading.metrics),
        repeats=rows.repeats,
        contents=items.contents,
        categories=categories,
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
    """Categories of the logs, else the tasks when there are several, else None."""
    if any(items.categories):
        return [category or "none" for category in items.categories]
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
