"""Small logs in the exact layout of the tools."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DATE = "2026-03-01T10-11-12.345678"


def doc_hash(text: str) -> str:
    """As the harness hashes a document."""
    return hashlib.sha256(text.encode()).hexdigest()


def lm_eval_row(doc: int, values: Mapping[str, Any], rule: str = "none", content: str | None = None) -> dict[str, Any]:
    """One row of a file of samples of today."""
    told = f"doc {doc}" if content is None else content
    return {
        "doc_id": doc,
        "doc": {"question": told},
        "target": "3",
        "arguments": {"gen_args_0": {"arg_0": told}},
        "resps": [["x"]],
        "filtered_resps": ["x"],
        "filter": rule,
        "metrics": list(values),
        "doc_hash": doc_hash(told),
        "prompt_hash": doc_hash(told),
        "target_hash": doc_hash("3"),
        **values,
    }


def old_row(doc: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """The same of a file of 2024: neither filter nor metrics."""
    row = lm_eval_row(doc, values)
    return {key: value for key, value in row.items() if key not in ("filter", "metrics")}


def put_lm_eval(
    out: Path,
    model: str,
    rows: Iterable[Mapping[str, Any]],
    *,
    task: str = "gsm8k",
    date: str = DATE,
    results: Mapping[str, float] | None = None,
) -> Path:
    """Samples and results of one model on one task; the folder that holds them."""
    folder = out / model.replace("/", "__")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"samples_{task}_{date}.jsonl"
    with file.open("a") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    if results is not None:
        told = {"results": {task: {"alias": task, **results}}, "versions": {task: 3.0}, "model_name": model}
        (folder / f"results_{date}.json").write_text(json.dumps(told))
    return folder


def right_wrong(model: int, items: Sequence[int]) -> list[float]:
    """Answers that differ by model and item."""
    return [float((7 * item + 3 * model + item * item) % 10 > 2 + model % 5) for item in items]


def put_pool(out: Path, models: int = 6, items: int = 40, rule: str = "strict-match") -> Path:
    """Several models on one task with two filters and two metrics."""
    for model in range(models):
        marks = right_wrong(model, range(items))
        rows = [lm_eval_row(n, {"exact_match": mark, "acc": mark}, rule) for n, mark in enumerate(marks)]
        rows += [lm_eval_row(n, {"exact_match": 1.0, "acc": 1.0}, "flexible-extract") for n in range(items)]
        put_lm_eval(out, f"org/m{model}", rows, results={"exact_match,strict-match": sum(marks) / items})
    return out
