"""inspect_ai: ``.eval`` archives and ``.json`` logs, every sample and epoch with all its scorers.

Grades are those of inspect's own ``value_to_float`` (C 1, P 0.5, I and N 0, yes and no), with two differences: a
dictionary of marks becomes one metric a mark, ``scorer/mark``, where inspect would give 0, and NaN stays unscored.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.archives import open_archive
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.folders import files_under, number_of, parse_json, read_json

GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SECONDS, TOKENS = "total_time", "total_tokens"
"""Figures beside the scores."""
_JSON_LOG = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
_START = 256


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, is a log: by its suffix, or the first keys of a JSON file."""
    return any(_is_log(file) for file in files_under(path))


def _is_log(file: Path) -> bool:
    if file.suffix == ".eval":
        return True
    if file.suffix != ".json":
        return False
    with file.open("rb") as stream:
        return _JSON_LOG.match(stream.read(_START)) is not None


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all logs under a path."""
    logs = [file for file in files_under(path) if _is_log(file)]
    if not logs:
        raise DataRefused(f"{path}: no log of inspect_ai in it (.eval, or .json with version and status first).")
    for log in logs:
        yield from _archive_rows(log, intake) if log.suffix == ".eval" else _json_rows(log, intake)


def _archive_rows(log: Path, intake: Intake) -> Iterator[Row]:
    with open_archive(log) as archive:
        head = "header.json" if "header.json" in archive.members else "_journal/start.json"  # a log still being written
        told = _told(parse_json(archive.read(head), f"{log}, {head}"), log)
        names = [name for name in archive.members if name.startswith("samples/") and name.endswith(".json")]
        samples = (parse_json(archive.read(name), f"{log}, {name}") for name in names)
        yield from _rows(told, samples, log, intake)


def _json_rows(log: Path, intake: Intake) -> Iterator[Row]:
    content = read_json(log)
    told, samples = _told(content, log), content.get("samples") or []
    if not isinstance(samples, list):
        raise DataRefused(f"{log}: its samples are no list; not a log of inspect_ai.")
    yield from _rows(told, samples, log, intake)


def _told(header: Any, log: Path) -> dict[str, Any]:  # noqa: ANN401  parsed JSON
    """The part of a header that says what was run."""
    told = header.get("eval") if isinstance(header, dict) else None
    if not isinstance(told, dict) or not {"task", "model"} <= set(told):
        raise DataRefused(f"{log}: its header names no task and model; not a log of inspect_ai.")
    return told


def _rows(told: dict[str, Any], samples: Iterable[Any], log: Path, intake: Intake) -> Iterator[Row]:
    """Rows of one log; samples without a score are unscored on every metric that the others have."""
    task, model = str(told["task"]), str(told["model"])
    if not intake.wants(task):
        return
    packages = told.get("packages")
    for name, version in packages.items() if isinstance(packages, dict) else ():
        intake.version(name, version)
    intake.version(f"task {task}", told.get("task_version", 0))
    metrics: dict[str, None] = {}
    unscored: list[Row] = []
    for sample in samples:
        row = _base(sample, task, model, log)
        marks = {} if sample.get("invalidation") else dict(_marks(sample, log, intake))
        metrics |= dict.fromkeys(marks)
        for metric, value in marks.items():
            yield row._replace(metric=metric, value=value)
        if not marks:
            unscored.append(row)
        yield from _asides(sample, row)
    for row in unscored:
        for metric in metrics:
            yield row._replace(metric=metric)


def _base(sample: Any, task: str, model: str, log: Path) -> Row:  # noqa: ANN401  parsed JSON
    """What all rows of a sample share; its value is unscored."""
    if not isinstance(sample, dict) or not {"id", "epoch"} <= set(sample):
        raise DataRefused(f"{log}: a sample without id and epoch.")
    seconds = number_of(sample.get(SECONDS))
    return Row(
        item=str(sample["id"]),
        model=model,
        value=math.nan,
        task=task,
        repeat=str(sample["epoch"]),
        content=_content(sample),
        cost_s=math.nan if seconds is None else seconds,
        source=str(log),
    )


def _content(sample: dict[str, Any]) -> str:
    """Hash of question, choices and target; messages without their ids, which are drawn at each run.

    Choices count in any order, and the letter of the right one does not, since inspect may shuffle them anew.
    """
    asked = sample.get("input")
    if isinstance(asked, list):
        asked = [[m.get("role"), m.get("content")] if isinstance(m, dict) else m for m in asked]
    choices = sample.get("choices")
    rest = sorted(map(str, choices)) if isinstance(choices, list) and choices else sample.get("target")
    text = json.dumps([asked, rest], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _marks(sample: dict[str, Any], log: Path, intake: Intake) -> Iterator[tuple[str, float]]:
    """Metric and grade of every scorer."""
    scores = sample.get("scores")
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        parts = {f"{scorer}/{key}": part for key, part in value.items()} if isinstance(value, dict) else {scorer: value}
        for metric, part in parts.items():
            grade = _grade(part)
            if grade is None:
                intake.leave_out(f"values of {metric} that are no grade", f"{log}, sample {sample['id']}")
            else:
                yield metric, grade


def _grade(value: object) -> float | None:
    """A value as inspect converts it; NaN when there is none, None when it is no grade."""
    if value is None:
        return math.nan
    if not isinstance(value, str):
        return number_of(value)
    if value in GRADES or value.lower() in ("yes", "true", "no", "false"):
        return GRADES.get(value, GRADES.get(value.lower()))
    try:
        return number_of(float(value))
    except ValueError:
        return None


def _asides(sample: dict[str, Any], row: Row) -> Iterator[Row]:
    """Seconds and tokens of a sample."""
    if not math.isnan(row.cost_s):
        yield row._replace(metric=SECONDS, value=row.cost_s, aside=True)
    usage = sample.get("model_usage")
    if isinstance(usage, dict) and usage:
        counts = [number_of(part.get(TOKENS)) for part in usage.values() if isinstance(part, dict)]
        yield row._replace(metric=TOKENS, value=sum(count or 0.0 for count in counts), aside=True)


def scale(metric: str) -> Scale | None:
    """Less is better of the figures beside the scores; scorers state no bounds."""
    return Scale(higher_is_better=False) if metric in (SECONDS, TOKENS) else None


READER = Reader("inspect", recognises, read, scale)
