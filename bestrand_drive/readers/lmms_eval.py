"""lmms-eval: ``<date>_samples_<task>.jsonl`` beside ``<date>_results.json`` in one folder a model.

Whatever key is none of the tool's own is a metric. Its value is often an object that the task's own aggregation takes
apart: a score inside it is read, and a metric with a value that holds none is left out whole, since a part of its
answers would not stand for all. Tasks state no bounds, and the same name means shares in one and points in another.
``doc_id`` is a position, so documents are joined by ``doc_hash``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row
from bestrand_drive.readers.folders import files_under, json_lines, number_of, read_json

_NAME = re.compile(r"(?P<date>[\dT_.:-]+)_samples_(?P<task>.+)\.jsonl")
FIELDS = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "input",
        "input_media",
        "resps",
        "filtered_resps",
        "token_counts",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ]
)
"""Keys of a row that are no metric."""
NESTED = ("score", "correct", "is_correct", "acc", "accuracy", "exact_match", "hit")
"""Keys under which a task's object holds its score, in the order in which they are looked for."""
CHOICE = ("multiple-choice", "multiple_choice", "mcq")
"""How tasks call a question whose answer is right when it is the reference, letter for letter."""


@dataclass(frozen=True)
class _File:
    """One file of samples."""

    path: Path
    task: str
    model: str


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, is named as the tool names samples."""
    return any(_NAME.fullmatch(file.name) for file in files_under(path, "*_samples_*.jsonl"))


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all files of samples under a path."""
    found = [(file, match) for file in files_under(path, "*_samples_*.jsonl") if (match := _NAME.fullmatch(file.name))]
    if not found:
        raise DataRefused(f"{path}: no <date>_samples_<task>.jsonl in it; run lmms_eval with --log_samples.")
    for file, match in found:
        if intake.wants(match["task"]):
            yield from _rows(_File(file, match["task"], _model(file, match["date"])), intake)


def _model(file: Path, date: str) -> str:
    """As the results beside name it, else the folder's name."""
    results = file.with_name(f"{date}_results.json")
    told = read_json(results) if results.is_file() and not results.is_symlink() else {}
    name = told.get("model_name") if isinstance(told, dict) else None
    return str(name or file.parent.name)


def _rows(file: _File, intake: Intake) -> Iterator[Row]:
    found: dict[str, list[Row]] = {}
    odd: Counter[str] = Counter()
    for number, sample in enumerate(json_lines(file.path), start=1):
        if "doc_id" not in sample:
            raise DataRefused(f"{file.path}, line {number}: no doc_id; not a file of samples of lmms-eval.")
        for metric in sample.keys() - FIELDS:
            value = _score(sample[metric])
            if value is None:
                odd[metric] += 1
            else:
                found.setdefault(metric, []).append(_row(file, sample, metric, value))
    for metric in sorted(odd):
        intake.leave_out(_why(metric, len(found.pop(metric, []))), file.path, odd[metric])
    for metric in sorted(found):
        yield from found[metric]


def _why(metric: str, scored: int) -> str:
    rest = f" (and with them {scored} that do)" if scored else ""
    return f"values of {metric} that hold no score{rest}"


def _row(file: _File, sample: Mapping[str, Any], metric: str, value: float) -> Row:
    told = sample[metric]
    category = told.get("category") if isinstance(told, dict) else None
    return Row(
        str(sample["doc_id"]),
        file.model,
        value,
        metric,
        file.task,
        content=str(sample.get("doc_hash") or ""),
        category=category if isinstance(category, str) else "",
        source=str(file.path),
    )


def _score(value: object) -> float | None:
    """The number that a metric's value is, holds or can be graded to; None when there is none."""
    if not isinstance(value, dict):
        return number_of(value)
    for key in NESTED:
        number = number_of(value.get(key))
        if number is not None:
            return number
    answer, given = value.get("answer"), value.get("parsed_pred")
    choice = str(value.get("question_type", "")).lower() in CHOICE
    return float(answer == given) if choice and isinstance(answer, str) and isinstance(given, str) else None


READER = Reader("lmms-eval", recognises, read, positional=True)
