"""HELM: trials, perturbations, many statistics, ids that repeat from one scenario to the next."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.helm import recognises
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item, scores


def stat(name, mean, split="test", **more):
    counted = {} if mean is None else {"sum": mean, "sum_squared": mean * mean, "min": mean, "max": mean, "mean": mean}
    return {"name": {"name": name, "split": split, **more}, "count": int(mean is not None), **counted}


def entry(item, stats, trial=0, **more):
    return {"instance_id": item, "train_trial_index": trial, "stats": stats, **more}


def put_run(runs, scenario, model, entries, instances=None):
    """A run folder as HELM names it: arguments and model, slashes as underscores."""
    name = f"{scenario},model={model.replace('/', '_')}" if ":" in scenario else f"{scenario}:model={model}"
    folder = runs / name.replace("/", "_")
    folder.mkdir(parents=True)
    spec = {"name": folder.name, "adapter_spec": {"method": "generation", "model": model}, "groups": ["mmlu"]}
    (folder / "run_spec.json").write_text(json.dumps(spec, indent=2))
    (folder / "per_instance_stats.json").write_text(json.dumps(entries, indent=2))
    told = [{"id": item, "input": {"text": text}, "references": []} for item, text in (instances or {}).items()]
    if instances:
        (folder / "instances.json").write_text(json.dumps(told))
    return folder


def test_many_statistics_need_a_choice_and_those_of_no_quality_are_not_offered(tmp_path):
    stats = [stat("exact_match", 1.0), stat("quasi_exact_match", 1.0), stat("num_prompt_tokens", 700.0)]
    put_run(tmp_path, "gsm", "org/m", [entry("id1", [*stats, stat("inference_runtime", 2.5)])])
    assert recognises(tmp_path)
    with pytest.raises(UsageError, match=r"Several metrics: exact_match \(1 rows\), quasi_exact_match \(1 rows\)\."):
        import_logs("helm", tmp_path)
    found = import_logs("helm", tmp_path, metric=("exact_match", "num_prompt_tokens"))
    assert by_item(found, metric="num_prompt_tokens") == {"id1": 700.0}
    assert not found.spec.scales["num_prompt_tokens"].higher_is_better
    assert found.cells.cost_s.tolist() == [2.5, 2.5]


def test_trials_are_repeats_and_perturbed_questions_are_left_out(tmp_path):
    rows = [entry("id1", [stat("exact_match", float(trial == 0))], trial) for trial in range(3)]
    perturbed = {"name": "typos", "prob": 0.1}
    rows.append(entry("id1", [stat("exact_match", 0.0, perturbation=perturbed)], perturbation=perturbed))
    rows.append(entry("id2", [stat("exact_match", 1.0), stat("exact_match", 0.0, perturbation={"name": "robustness"})]))
    put_run(tmp_path, "gsm", "org/m", rows)
    found = import_logs("helm", tmp_path)
    assert scores(found) == {("id1", "0"): 1.0, ("id1", "1"): 0.0, ("id1", "2"): 0.0, ("id2", "0"): 1.0}
    assert any("1 statistics under a perturbation left out" in line for line in found.said)


def test_ids_of_other_subjects_are_other_items(tmp_path):
    for subject, value in (("law", 1.0), ("art", 0.0)):
        for model in ("org/a", "org/b"):
            put_run(tmp_path, f"mmlu:subject={subject}", model, [entry("id147", [stat("exact_match", value)])])
    with pytest.raises(UsageError, match=r"Several tasks: mmlu:subject=art \(2 rows\), mmlu:subject=law \(2 rows\)"):
        import_logs("helm", tmp_path)
    found = import_logs("helm", tmp_path, task="mmlu:*")
    assert found.models == ("org/a", "org/b")
    assert by_item(found, "org/a") == {"mmlu:subject=art/id147": 0.0, "mmlu:subject=law/id147": 1.0}


def test_splits_do_not_mix_and_what_counted_nothing_is_not_scored(tmp_path):
    rows = [entry("id1", [stat("exact_match", 1.0, "valid")]), entry("id2", [stat("exact_match", None)])]
    put_run(tmp_path, "gsm", "org/m", rows)
    with pytest.raises(UsageError, match=r"Several filters: valid \(1 rows\), test \(1 rows\)"):
        import_logs("helm", tmp_path)
    assert by_item(import_logs("helm", tmp_path, rule="test")) == {"id2": None}


def test_instances_check_the_ids_and_a_run_without_its_specification_is_refused(tmp_path):
    rows = [entry("id1", [stat("exact_match", 1.0)])]
    put_run(tmp_path, "gsm", "org/a", rows, {"id1": "2 + 2"})
    other = put_run(tmp_path, "gsm", "org/b", rows, {"id1": "2 + 3"})
    with pytest.raises(DataRefused, match="'id1' of gsm is not the same in"):
        import_logs("helm", tmp_path)
    (other / "run_spec.json").unlink()
    with pytest.raises(DataRefused, match=r"no run_spec\.json beside it"):
        import_logs("helm", tmp_path)
    for damaged in (
        [],
        {"name": "gsm"},
        {"name": "gsm", "adapter_spec": {"model": 3}},
        {"adapter_spec": {"model": "m"}},
    ):
        (other / "run_spec.json").write_text(json.dumps(damaged))
        with pytest.raises(DataRefused, match=r"run_spec\.json: names no run and no adapter_spec\.model"):
            import_logs("helm", tmp_path)
