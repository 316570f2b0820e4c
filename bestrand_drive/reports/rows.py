"""The table of routes: what is shown of each item of each policy, and by what it is sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bestrand_drive.reports.data import Cell, Metric, ReportData
from bestrand_drive.reports.numbers import decimals, hours, number
from bestrand_drive.reports.text import labels


@dataclass(frozen=True)
class Column:
    """One metric of the table of routes."""

    title: str
    unit: str


@dataclass(frozen=True)
class Number:
    """A number as shown and as sorted."""

    text: str
    key: str


@dataclass(frozen=True)
class RouteRow:
    """One cell of the table of routes."""

    cell: Cell
    policy: str
    item: str
    stratum: str
    values: tuple[Number, ...]
    hours: Number


def route_rows(data: ReportData, names: dict[str, str], columns: Sequence[Metric]) -> tuple[RouteRow, ...]:
    """One row a cell, with these metrics as columns."""
    digits = [decimals(metric, data.policies) for metric in columns]
    items = labels(cell.item for cell in data.cells)
    return tuple(
        RouteRow(
            cell=cell,
            policy=names[cell.policy],
            item=items[cell.item],
            stratum=cell.stratum,
            values=tuple(
                _keyed(cell.values.get(metric.name), places) for metric, places in zip(columns, digits, strict=True)
            ),
            hours=Number(hours(cell.hours), "" if cell.hours is None else f"{cell.hours:.6f}"),
        )
        for cell in data.cells
    )


def _keyed(value: float | None, digits: int) -> Number:
    return Number(number(value, digits), "" if value is None else f"{value:.9g}")
