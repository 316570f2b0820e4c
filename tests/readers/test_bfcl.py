"""BFCL: passes that are implied, failures by line, categories that count alike."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bestrand_drive as bd
from bestrand_drive.errors import DataRefused
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def put_category(root, model, category, marks, *, era="today", **header):
    """Result and score file of one category; ``marks`` are right or wrong by question.

    Files of autumn 2024 name a failure by its line, those of spring have other names and no ids of text too.
    """
    old = era == "spring 2024"
    ids = [f"{category}_{n}" for n in range(len(marks))]
    folder = "non_live" if era == "today" else ""
    result, score = ("gorilla_openfunctions_v1_test_", "") if old else ("BFCL_v4_", "BFCL_v4_")
    lines(
        root / "result" / model / folder / f"{result}{category}_result.json",
        [({"idx": n} if old else {"id": ids[n]}) | {"result": "f(x=1)", "latency": 0.5} for n in range(len(marks))],
    )
    failed = [{"id": ids[n] if era == "today" else n + 1, "valid": False} for n, mark in enumerate(marks) if not mark]
    head = {"accuracy": sum(marks) / len(marks), "correct_count": sum(marks), "total_count": len(marks)}
    lines(root / "score" / model / folder / f"{score}{category}_score.json", [head | header, *failed])


@pytest.mark.parametrize("era", ["today", "autumn 2024", "spring 2024"])
def test_passes_are_what_is_not_among_the_failures(tmp_path, era):
    put_category(tmp_path, "m", "simple", [1, 0, 1, 1, 0], era=era)
    found = import_logs("bfcl", tmp_path)
    assert by_item(found) == {f"simple_{n}": value for n, value in enumerate([1.0, 0.0, 1.0, 1.0, 0.0])}
    assert found.models == ("m",)
    assert (len(found.spec.tasks), found.spec.macro) == (1, False)


def test_a_failure_listed_twice_counts_once(tmp_path):
    """The checker writes some failures of conversations twice."""
    put_category(tmp_path, "m", "multi_turn_base", [1, 0, 1])
    file = next(tmp_path.rglob("*_score.json"))
    file.write_text(file.read_text() + file.read_text().splitlines()[1] + "\n")
    assert sum(by_item(import_logs("bfcl", tmp_path)).values()) == 2


def test_seconds_and_tokens_of_a_conversation_are_summed_and_come_by_name(tmp_path):
    put_category(tmp_path, "m", "multi_turn_base", [1, 0])
    file = next(tmp_path.rglob("*_result.json"))
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    rows[0] |= {"latency": [[0.5, 1.5], [2.0]], "output_token_count": [[3], [4]]}
    lines(file, rows)
    found = import_logs("bfcl", tmp_path, metric=("accuracy", "latency"))
    assert by_item(found, metric="latency") == {"multi_turn_base_0": 4.0, "multi_turn_base_1": 0.5}
    assert by_item(import_logs("bfcl", tmp_path, metric="output_token_count")) == {"multi_turn_base_0": 7.0}


def test_score_files_alone_and_of_another_run_are_refused(tmp_path):
    put_category(tmp_path, "m", "simple", [1, 0], total_count=400)
    with pytest.raises(DataRefused, match=r"header counts 1 passes of 400, but .*_result\.json holds 2 answers"):
        import_logs("bfcl", tmp_path)
    next(tmp_path.rglob("*_result.json")).unlink()
    with pytest.raises(DataRefused, match="lists failures only"):
        import_logs("bfcl", tmp_path)
    put_category(tmp_path, "m", "simple", [1, 0], era="autumn 2024")
    file = next(tmp_path.rglob("*_score.json"))
    file.write_text(file.read_text().replace('"id": 2', '"id": 3'))
    with pytest.raises(DataRefused, match="failure 3 is not among the 2 answers"):
        import_logs("bfcl", tmp_path)


def test_categories_count_alike_from_the_logs_to_the_estimate(bestrand, tmp_path):
    """The full score that estimate reports is the mean of the categories' accuracies, not of the items'."""
    sizes = {"simple": 40, "irrelevance": 8}
    for model in range(6):
        for category, size in sizes.items():
            hard = 7 if category == "irrelevance" else 2
            marks = [int((5 * n + 3 * model + n * n) % 11 > hard + model % 3) for n in range(size)]
            put_category(tmp_path / ("new" if model == 5 else "old"), f"m{model}", category, marks)
    table, suite = tmp_path / "t.parquet", tmp_path / "suite"
    ran = bestrand("import", "bfcl", tmp_path / "old", "--out", table)
    assert ran.code == 0, ran.err
    assert "2 categories count alike, whatever their sizes" in ran.out
    assert bestrand("compress", "scores", "--scores", table, "--n-probes", 4, "--keep", 0.5, "--out", suite).code == 0
    assert bd.read_suite(suite).strata == {"irrelevance": 8, "simple": 40}
    ran = bestrand("estimate", suite, "--results", tmp_path / "new", "--json")
    assert ran.code == 0, ran.err
    marks = by_item(import_logs("bfcl", tmp_path / "new"))
    own = [np.mean([value for name, value in marks.items() if name.startswith(category)]) for category in sizes]
    assert np.mean(own) != pytest.approx(np.mean(list(marks.values())), abs=0.05)
    assert ran.json["metrics"]["accuracy"]["full"] == pytest.approx(np.mean(own))
