"""HELM: ``per_instance_stats.json`` of every run folder, with ``run_spec.json`` and ``instances.json`` beside it.

An instance's id is unique within one scenario and its arguments only, which are the run's name without its model: that
is the task. Trials (other training examples in the prompt) are repeats. What was measured under a perturbation is left
out, as it is in HELM's own headline numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.fingerprints import fingerprint
from bestrand_drive.readers.folders import files_under, number_of, read_json

STATS, SPEC, INSTANCES = "per_instance_stats.json", "run_spec.json", "instances.json"
SECONDS = "inference_runtime"
_ASIDE = re.compile(
    r"num_.*|inference_.*|training_.*|estimated_.*|finish_reason_.*|batch_size|max_prob|logprob|prompt_truncated|"
    r"predicted_index|.*_cost|.*_tokens"
)
"""Statistics that say nothing of the answer's quality."""
_LESS = re.compile(r".*(runtime|cost|energy|_tokens|time)")
UNIT = re.compile(r"(final_number_|quasi_|prefix_|quasi_prefix_)?exact_match.*|math_equiv.*|f1_score|rouge_.*|bleu_.*")
"""Metrics that are shares by definition."""


@dataclass(frozen=True)
class _Run:
    """One run folder: its statistics' path, task, model and contents by instance."""

    path: Path
    task: str
    model: str
    contents: Mapping[str, str]


def recognises(path: Path) -> bool:
    """Whether a path is or holds per-instance statistics."""
    return any(file.name == STATS for file in files_under(path, STATS))


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all run folders under a path."""
    found = [file for file in files_under(path, STATS) if file.name == STATS]
    if not found:
        raise DataRefused(f"{path}: no {STATS} in it; name HELM's runs/<suite> or one run's folder.")
    for file in found:
        spec = _spec(file)
        task = _task(str(spec["name"]))
        if intake.wants(task):
            yield from _rows(_Run(file, task, spec["adapter_spec"]["model"], _contents(file)), intake)


def _spec(stats: Path) -> dict[str, Any]:
    """What was run, with a name and a model."""
    file = stats.with_name(SPEC)
    if not file.is_file():
        raise DataRefused(f"{stats}: no {SPEC} beside it, which names scenario and model.")
    spec: dict[str, Any] = read_json(file)
    adapter = spec.get("adapter_spec") if isinstance(spec, dict) else None
    if not isinstance(adapter, dict) or not isinstance(adapter.get("model"), str) or "name" not in spec:
        raise DataRefused(f"{file}: names no run and no adapter_spec.model; not a run of HELM.")
    return spec


def _task(name: str) -> str:
    """A run's name without its model: ``mmlu:subject=law,model=org_m`` -> ``mmlu:subject=law``."""
    scenario, _, arguments = name.partition(":")
    kept = [part for part in arguments.split(",") if part and not part.startswith(("model=", "model_deployment="))]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def _contents(stats: Path) -> dict[str, str]:
    """Instance -> hash of its question and references; empty without ``instances.json``."""
    file = stats.with_name(INSTANCES)
    if not file.is_file():
        return {}
    told = read_json(file)
    if not isinstance(told, list) or not all(isinstance(one, dict) and "id" in one for one in told):
        raise DataRefused(f"{file}: not a list of instances with ids.")
    plain = [one for one in told if one.get("perturbation") is None]
    return {str(one["id"]): fingerprint(one["id"], one.get("input"), one.get("references")) for one in plain}


def _rows(run: _Run, intake: Intake) -> Iterator[Row]:
    entries = read_json(run.path)
    if not isinstance(entries, list) or not all(_is_entry(entry) for entry in entries):
        raise DataRefused(f"{run.path}: not a list of instance_id, train_trial_index and stats.")
    plain = [entry for entry in entries if entry.get("perturbation") is None]
    if len(plain) < len(entries):
        intake.leave_out("statistics under a perturbation", run.path, len(entries) - len(plain))
    seconds = {_place(entry): value for entry in plain for name, _, value in _stats(entry) if name == SECONDS}
    for entry in plain:
        item, trial = _place(entry)
        row = Row(item, run.model, math.nan, task=run.task, repeat=trial, content=run.contents.get(item, ""))
        row = row._replace(cost_s=seconds.get((item, trial), math.nan), source=str(run.path))
        for name, split, value in _stats(entry):
            aside = _ASIDE.fullmatch(name) is not None
            yield row._replace(metric=name, filter="" if aside else split, value=value, aside=aside)


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and "instance_id" in entry and isinstance(entry.get("stats"), list)


def _place(entry: Mapping[str, Any]) -> tuple[str, str]:
    return str(entry["instance_id"]), str(entry.get("train_trial_index", 0))


def _stats(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Name, split and mean of every statistic; NaN of one that counted nothing."""
    for stat in entry["stats"]:
        name = stat.get("name") if isinstance(stat, dict) else None
        if not isinstance(name, dict) or "name" not in name or name.get("perturbation") is not None:
            continue
        mean = number_of(stat.get("mean"))
        split = "/".join(str(name[part]) for part in ("split", "sub_split") if name.get(part))
        yield str(name["name"]), split, math.nan if mean is None else mean


def scale(metric: str) -> Scale | None:
    """Bounds of shares; less is better of seconds, tokens and costs."""
    if UNIT.fullmatch(metric):
        return Scale(0.0, 1.0)
    return Scale(higher_is_better=False) if _LESS.fullmatch(metric) else None


READER = Reader("helm", recognises, read, scale)
