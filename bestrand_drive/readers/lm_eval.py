"""lm-evaluation-harness: ``samples_<task>_<date>.jsonl`` beside ``results_<date>.json`` in one folder a model.

Rows of files since 2025 carry ``filter`` and ``metrics``, one row a document and filter; older ones are read by
``lm_eval_old``. ``doc_id`` is a position in the task's split, so documents are joined by ``doc_hash``.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.folders import files_under, json_lines, number_of, read_json
from bestrand_drive.readers.lm_eval_old import Old, labelled

_NAME = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl")
FIELDS = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    ]
)
"""Keys of a row that are no metric."""
UNIT = frozenset(
    [
        "acc",
        "acc_norm",
        "acc_bytes",
        "acc_mutual_info",
        "exact_match",
        "exact_match,none",
        "em",
        "f1",
        "contains",
        "pass@1",
        "pass_at_1",
        "mc1",
        "mc2",
        "prompt_level_strict_acc",
        "prompt_level_loose_acc",
        "inst_level_strict_acc",
        "inst_level_loose_acc",
    ]
)
"""Metrics of the harness that are shares by definition."""
LESS_IS_BETTER = frozenset(
    ["word_perplexity", "byte_perplexity", "bits_per_byte", "perplexity", "brier_score", "ter", "wer"]
)


@dataclass(frozen=True)
class _File:
    """One file of samples with what stands beside it."""

    path: Path
    task: str
    model: str
    results: dict[str, Any]


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, is named as the harness names samples."""
    return any(_NAME.fullmatch(file.name) for file in files_under(path, "samples_*.jsonl"))


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all files of samples under a path; values that are no number are counted and left out."""
    files = [file for file in files_under(path, "samples_*.jsonl") if _NAME.fullmatch(file.name)]
    if not files:
        raise DataRefused(
            f"{path}: no samples_<task>_<date>.jsonl in it; run lm_eval with --log_samples --output_path."
        )
    for found in files:
        match = _NAME.fullmatch(found.name)
        if match and intake.wants(match["task"]):
            yield from _rows(_file(found, match["task"], match["date"], intake), intake)


def _file(path: Path, task: str, date: str | None, intake: Intake) -> _File:
    beside = [file for file in sorted(path.parent.glob(f"*_{date}.json")) if date and not file.is_symlink()]
    results = read_json(beside[0]) if beside else {}
    if not isinstance(results, dict):
        raise DataRefused(f"{beside[0]}: not the results of lm_eval.")
    for key, tool in (("lm_eval_version", "lm_eval"), ("git_hash", "lm_eval commit")):
        if results.get(key):
            intake.version(tool, results[key])
    versions = _part(results, "versions")
    if task in versions:
        intake.version(f"task {task}", versions[task])
    return _File(path, task, str(results.get("model_name") or path.parent.name), results)


def _rows(file: _File, intake: Intake) -> Iterator[Row]:
    old: list[Old] = []
    for number, sample in enumerate(json_lines(file.path), start=1):
        if "doc_id" not in sample:
            raise DataRefused(f"{file.path}, line {number}: no doc_id; not a file of samples of lm_eval.")
        item, content = str(sample["doc_id"]), _content(sample)
        if "filter" in sample and isinstance(sample.get("metrics"), list):
            for metric in map(str, sample["metrics"]):
                value = number_of(sample.get(metric))
                if value is None:
                    intake.leave_out(f"values of {metric} that are no number", file.path)
                else:
                    yield _row(file, item, content, metric, str(sample["filter"]), value)
        else:
            old.append(Old(item, content, _numbers(sample, file, intake)))
    for rule, row in labelled(old, _part(_part(file.results, "results"), file.task), str(file.path)):
        for metric, value in row.values.items():
            yield _row(file, row.item, row.content, metric, rule, value)


def _part(told: dict[str, Any], key: str) -> dict[str, Any]:
    """An object inside another; empty when there is none."""
    part = told.get(key)
    return part if isinstance(part, dict) else {}


def _row(file: _File, item: str, content: str, metric: str, rule: str, value: float) -> Row:
    return Row(item, file.model, value, metric, file.task, rule, content=content, source=str(file.path))


def _numbers(sample: dict[str, Any], file: _File, intake: Intake) -> dict[str, float]:
    """Metrics of an old row: whatever of it is a number."""
    found = {}
    for key in sorted(sample.keys() - FIELDS):
        value = number_of(sample[key])
        if value is None:
            intake.leave_out(f"values of {key} that are no number", file.path)
        else:
            found[key] = value
    return found


def _content(sample: dict[str, Any]) -> str:
    """``doc_hash``, or what the harness would have written for it; "" without a document."""
    if sample.get("doc_hash"):
        return str(sample["doc_hash"])
    if "doc" not in sample:
        return ""
    text = json.dumps(sample["doc"], indent=2, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def scale(metric: str) -> Scale | None:
    """Bounds of the harness' metrics that are shares; the direction of perplexities and error rates."""
    if metric in UNIT:
        return Scale(0.0, 1.0)
    return Scale(higher_is_better=False) if metric in LESS_IS_BETTER else None


READER = Reader("lm-eval", recognises, read, scale, positional=True)
