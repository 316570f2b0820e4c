"""OpenCompass: three shapes of details, parts, repeats, and positions that are checked by what was asked."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item, scores


def said(question, model=""):
    """A conversation as a model of chat gets it; the system's part may differ from model to model."""
    system = [{"role": "SYSTEM", "prompt": f"You are {model}."}] if model else []
    return [*system, {"role": "HUMAN", "prompt": question}]


def put(root, model, dataset, details, accuracy=None, predictions=None):
    """A result, and the predictions by position beside."""
    stated = {} if accuracy is None else {"accuracy": accuracy}
    for folder, content in (("results", stated | {"details": details}), ("predictions", predictions)):
        if content is not None:
            file = root / folder / model / f"{dataset}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(content))


def generated(marks, questions=None, model=""):
    """Details of an evaluator that gives ``correct``."""
    asked = questions or [f"q{n}" for n in range(len(marks))]
    return {"type": "GEN"} | {
        str(n): {"prompt": said(asked[n], model), "predictions": "x", "references": "y", "correct": bool(mark)}
        for n, mark in enumerate(marks)
    }


def predicted(questions):
    told = [{"origin_prompt": said(question), "prediction": "x", "gold": "y"} for question in questions]
    return {str(n): one for n, one in enumerate(told)}


def test_details_by_position(tmp_path):
    put(tmp_path, "a", "gsm8k", generated([1, 0, 1]), 66.67)
    put(tmp_path, "b", "gsm8k", generated([0, 0, 1], model="b"), 33.33)
    found = import_logs("opencompass", tmp_path)
    assert (found.models, found.spec.tasks, found.items) == (("a", "b"), ("gsm8k",), 3)
    assert by_item(found, "a") == {"0": 1.0, "1": 0.0, "2": 1.0}, "marks are of 0 and 1 though accuracies go to 100"
    assert not any("no plain mean" in line for line in found.said)


def test_details_by_accuracy_and_by_likelihood(tmp_path):
    shape = {str(n): {"prompt": f"q{n}", "pred": "A", "refr": "A", "is_correct": n == 0} for n in range(2)}
    put(tmp_path, "a", "arc", shape)
    assert by_item(import_logs("opencompass", tmp_path)) == {"0": 1.0, "1": 0.0}
    options = [{"A": {"prompt": f"q{n} A", "PPL": 1.5}, "B": {"prompt": f"q{n} B", "PPL": 2.5}} for n in range(2)]
    details = {"type": "PPL"} | {
        str(n): {"origin_prediction": one, "predictions": "A", "references": "A", "correct": n == 1}
        for n, one in enumerate(options)
    }
    put(tmp_path / "ppl", "a", "arc", details)
    assert by_item(import_logs("opencompass", tmp_path / "ppl")) == {"0": 0.0, "1": 1.0}


def replicas(marks, places=None):
    """Details of an evaluator that ran several times: fields are lists over runs."""
    at = places or range(len(marks))
    return [
        {"example_abbr": f"gsm8k_test_{n}", "pred": ["x"] * len(runs), "answer": ["y"] * len(runs), "correct": runs}
        for n, runs in zip(at, marks, strict=True)
    ]


def test_a_list_over_runs_gives_repeats_and_asks_the_predictions(tmp_path):
    questions = [f"q{n}" for n in range(2)]
    put(tmp_path, "a", "gsm8k", replicas([[True, False], [True, True]]), predictions=predicted(questions * 2))
    found = import_logs("opencompass", tmp_path)
    assert scores(found) == {("0", "0"): 1.0, ("0", "1"): 0.0, ("1", "0"): 1.0, ("1", "1"): 1.0}
    next((tmp_path / "predictions").rglob("*.json")).unlink()
    with pytest.raises(DataRefused, match="Positions alone are not joined"):
        import_logs("opencompass", tmp_path)


def test_parts_are_one_dataset(tmp_path):
    put(tmp_path, "a", "gsm8k_0", generated([1, 0], ["q0", "q1"]))
    put(tmp_path, "a", "gsm8k_1", generated([1], ["q2"]))
    put(tmp_path, "b", "gsm8k", generated([0, 0, 0]))
    found = import_logs("opencompass", tmp_path)
    assert found.spec.tasks == ("gsm8k",)
    assert by_item(found, "a") == {"0": 1.0, "1": 0.0, "2": 1.0}
    assert found.items == 3


def test_predictions_in_parts_belong_to_one_result(tmp_path):
    put(tmp_path, "a", "gsm8k", replicas([[True], [False], [True]]))
    for part, questions in enumerate((["q0", "q1"], ["q2"])):
        file = tmp_path / "predictions" / "a" / f"gsm8k_{part}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(predicted(questions)))
    put(tmp_path, "b", "gsm8k", replicas([[True], [True], [True]]), predictions=predicted(["q0", "q1", "q2"]))
    assert import_logs("opencompass", tmp_path).items == 3


def test_a_slice_of_a_dataset_is_joined_by_what_was_asked(tmp_path):
    """``test_range`` numbers anew from 0."""
    put(tmp_path, "whole", "gsm8k", generated([1, 1, 0, 1]))
    put(tmp_path, "slice", "gsm8k", generated([0, 1], ["q2", "q3"]))
    assert by_item(import_logs("opencompass", tmp_path), "slice") == {"2": 0.0, "3": 1.0}


def test_positions_that_count_anew_on_the_chosen_items_do_not_change_the_estimate(bestrand, tmp_path):
    marks = {f"m{m}": [int((7 * n + 3 * m + n * n) % 10 > 2 + m) for n in range(30)] for m in range(6)}
    for model in list(marks)[:5]:
        put(tmp_path / "old", model, "gsm8k", generated(marks[model]))
    table, suite = tmp_path / "t.parquet", tmp_path / "suite"
    assert bestrand("import", "opencompass", tmp_path / "old", "--out", table).code == 0
    assert bestrand("compress", "scores", "--scores", table, "--n-probes", 5, "--k", 8, "--out", suite).code == 0
    chosen = sorted(map(int, (suite / "items.txt").read_text().split()))
    put(tmp_path / "part", "m5", "gsm8k", generated([marks["m5"][n] for n in chosen], [f"q{n}" for n in chosen]))
    whole = generated(marks["m5"])
    put(tmp_path / "kept", "m5", "gsm8k", {str(n): whole[str(n)] for n in chosen})
    part, kept = (bestrand("estimate", suite, "--results", tmp_path / name, "--json") for name in ("part", "kept"))
    assert part.json["items"]["present"] == 8, part.err
    assert part.json["metrics"] == kept.json["metrics"]


def test_another_wording_is_refused(tmp_path):
    put(tmp_path, "a", "gsm8k", generated([1, 0]))
    put(tmp_path, "b", "gsm8k", generated([1, 0], ["Q: q0", "Q: q1"]))
    with pytest.raises(DataRefused, match="'0' of gsm8k is not the same"):
        import_logs("opencompass", tmp_path)


def test_results_without_details_or_marks_are_said(tmp_path):
    file = tmp_path / "results" / "a" / "gsm8k.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"accuracy": 40.0}')
    with pytest.raises(UsageError, match=r"1 results without details \(run with --dump-eval-details\) left out"):
        import_logs("opencompass", tmp_path)
    bare = generated([1, 1, 0])
    del bare["1"]["correct"]
    put(tmp_path, "b", "gsm8k", bare, accuracy=80.0)
    found = import_logs("opencompass", tmp_path)
    assert by_item(found) == {"0": 1.0, "2": 0.0}
    assert any("1 items without a mark (their evaluator gives none) left out" in line for line in found.said)
    assert any("its accuracy is 80.00, the mean of its items 50.00: it is no plain mean" in s for s in found.said)
