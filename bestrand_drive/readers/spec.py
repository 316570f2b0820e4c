"""How a table was imported, so that later logs are read in the same way."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.contract import Scale

DUPLICATES = ("refuse", "first", "last", "mean")
"""What to do with two different scores of one model on one item in one repeat."""


@dataclass(frozen=True)
class ImportSpec:
    """The reading of some logs.

    Attributes:
        format: Name of the reader.
        tasks: That were taken; item ids carry theirs in front when there are several.
        metrics: In order.
        filter: By which rule answers were taken out of outputs, or "".
        scales: Bounds and direction by metric, in the tool's units; what has both bounds was mapped to [0, 1].
        duplicates: One of ``DUPLICATES``.
        macro: Whether categories count alike.
        versions: What wrote the logs -> versions, sorted.
    """

    format: str
    tasks: tuple[str, ...]
    metrics: tuple[str, ...]
    filter: str
    scales: Mapping[str, Scale]
    duplicates: str = "refuse"
    macro: bool = False
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def item_id(self, task: str, item: str) -> str:
        """Id in the table of a tool's own id."""
        return item if len(self.tasks) == 1 else f"{task}/{item}"

    def native(self, item_id: str) -> tuple[str, str]:
        """Task and the tool's own id of an id in the table.

        Raises:
            UsageError: The id is of none of the tasks.
        """
        if len(self.tasks) == 1:
            return self.tasks[0], item_id
        for task in sorted(self.tasks, key=len, reverse=True):
            if item_id.startswith(f"{task}/"):
                return task, item_id[len(task) + 1 :]
        raise UsageError(f"Item {item_id!r} is of none of the tasks {', '.join(self.tasks)}.")

    def to_dict(self) -> dict[str, Any]:
        """In the form JSON can hold."""
        told: dict[str, Any] = json.loads(json.dumps(asdict(self)))  # lists for tuples
        return told


def spec_of(raw: object, place: str) -> ImportSpec:
    """A specification out of parsed JSON; ``place`` is only used in messages.

    Raises:
        DataRefused: It is not of the form ``ImportSpec.to_dict`` gives.
    """
    known = {part.name for part in fields(ImportSpec)}
    try:
        if not isinstance(raw, dict) or set(raw) != known:
            raise ValueError("other fields")
        return ImportSpec(
            format=_text(raw["format"]),
            tasks=_texts(raw["tasks"]),
            metrics=_texts(raw["metrics"]),
            filter=_text(raw["filter"]),
            scales={_text(name): _scale(scale) for name, scale in raw["scales"].items()},
            duplicates=_text(raw["duplicates"]),
            macro=_yes_or_no(raw["macro"]),
            versions={_text(name): _texts(versions) for name, versions in raw["versions"].items()},
        )
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise DataRefused(f"{place}: how it was imported cannot be read ({error}); import it again.") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list | tuple):
        raise TypeError("a list was expected")
    return tuple(_text(value) for value in values)


def _scale(raw: Mapping[str, Any]) -> Scale:
    low, high = (_bound(raw[name]) for name in ("low", "high"))
    return Scale(low, high, _yes_or_no(raw["higher_is_better"]))


def _bound(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise TypeError("a finite number was expected")
    return float(value)


def _yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false was expected")
    return value
