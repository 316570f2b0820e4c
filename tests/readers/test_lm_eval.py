"""lm-evaluation-harness: new and old files, blocks of filters, positions checked by content."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.logs import DATE, doc_hash, lm_eval_row, old_row, put_lm_eval, put_pool, right_wrong

STRICT = {"task": "gsm8k", "metric": "exact_match", "rule": "strict-match"}


def wide(found):
    """Item x model of the imported cells."""
    return found.frame().pivot_table(index="item_id", columns="model", values="value", observed=True)


def test_new_files_give_the_rows_of_the_filter_that_was_asked_for(tmp_path):
    found = import_logs("lm-eval", put_pool(tmp_path), **STRICT)
    table = wide(found)
    assert found.models == tuple(f"org/m{n}" for n in range(6))
    for model in range(6):
        assert table[f"org/m{model}"].loc[[str(n) for n in range(40)]].tolist() == right_wrong(model, range(40))
    assert found.cells.contents[7] == doc_hash("doc 7")
    assert found.spec.versions == {"task gsm8k": ("3.0",)}


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({}, ["Several metrics", "exact_match (480 rows)", "acc (480 rows)", "--metric"]),
        ({"metric": "acc"}, ["Several filters", "strict-match (240 rows)", "flexible-extract (240 rows)", "--filter"]),
        ({"metric": "f1"}, ["--metric f1", "exact_match", "acc"]),
        ({"metric": "acc", "rule": "loose"}, ["--filter loose", "strict-match"]),
        ({"task": "mmlu"}, ["--task mmlu", "gsm8k"]),
    ],
)
def test_more_than_one_reading_is_an_error_that_lists_them(tmp_path, choice, words):
    with pytest.raises(UsageError) as error:
        import_logs("lm-eval", put_pool(tmp_path), **choice)
    assert all(word in str(error.value) for word in words), error.value


def old_files(tmp_path, strict, loose, **kwargs):
    rows = [old_row(n, {"exact_match": value}) for block in (strict, loose) for n, value in enumerate(block)]
    means = {"exact_match,strict-match": sum(strict) / len(strict), "exact_match,flexible": sum(loose) / len(loose)}
    return put_lm_eval(tmp_path, "old", rows, results=means | kwargs)


def test_blocks_of_an_old_file_are_named_by_their_means(tmp_path):
    strict, loose = right_wrong(1, range(30)), right_wrong(4, range(30))
    assert sum(strict) != sum(loose)
    folder = old_files(tmp_path, strict, loose)
    told = json.loads((folder / f"results_{DATE}.json").read_text())
    told["results"]["gsm8k"] = dict(reversed(told["results"]["gsm8k"].items()))  # the order in the file says nothing
    (folder / f"results_{DATE}.json").write_text(json.dumps(told))
    for rule, marks in (("strict-match", strict), ("flexible", loose)):
        scores = wide(import_logs("lm-eval", folder, rule=rule))["old"]
        assert scores.loc[[str(n) for n in range(30)]].tolist() == marks


def test_blocks_that_no_mean_fits_are_refused(tmp_path):
    folder = old_files(tmp_path, [1.0, 0.0], [0.0, 0.0])
    (folder / f"results_{DATE}.json").write_text(
        json.dumps({"results": {"gsm8k": {"exact_match,a": 0.9, "exact_match,b": 0.1}}})
    )
    with pytest.raises(DataRefused, match="means do not tell"):
        import_logs("lm-eval", folder)
    (folder / f"results_{DATE}.json").unlink()
    with pytest.raises(DataRefused, match="no results_"):
        import_logs("lm-eval", folder)


def test_an_old_file_without_hash_is_joined_by_what_the_harness_would_have_hashed(tmp_path):
    rows = [old_row(n, {"acc": 1.0}) for n in range(3)]
    for row in rows:
        row["doc_hash"] = doc_hash(json.dumps(row["doc"], indent=2))
    put_lm_eval(tmp_path, "hashed", rows)
    for row in rows:
        del row["doc_hash"]
    put_lm_eval(tmp_path, "bare", rows)
    assert import_logs("lm-eval", tmp_path).items == 3
    for row in rows:
        del row["doc"]
    put_lm_eval(tmp_path / "x", "barer", rows)
    with pytest.raises(DataRefused, match="position"):
        import_logs("lm-eval", tmp_path / "x")


def test_a_file_that_was_appended_to_counts_once(tmp_path):
    rows = [lm_eval_row(n, {"acc": float(n % 2)}) for n in range(5)]
    put_lm_eval(tmp_path, "m", rows)
    put_lm_eval(tmp_path, "m", rows)
    found = import_logs("lm-eval", tmp_path)
    assert len(found.cells.value) == 5
    assert any("5 rows repeat a cell" in line for line in found.said)


def test_values_that_are_no_number_are_counted(tmp_path):
    rows = [lm_eval_row(n, {"acc": True, "word_perplexity": [-3.5, 7]}) for n in range(4)]
    put_lm_eval(tmp_path, "m", rows)
    found = import_logs("lm-eval", tmp_path)
    assert found.cells.value.tolist() == [1.0] * 4
    assert any("4 values of word_perplexity that are no number left out" in line for line in found.said)


def test_what_is_left_out_of_old_rows_is_said_in_the_order_of_names(tmp_path):
    """Not in that of a set, which differs from run to run."""
    odd = dict.fromkeys("hgfedcba", "text")
    put_lm_eval(tmp_path, "m", [old_row(n, {"acc": 1.0, **odd}) for n in range(2)], results={"acc,none": 1.0})
    said = [line.split()[3] for line in import_logs("lm-eval", tmp_path).said if "that are no number" in line]
    assert said == sorted(odd)


def test_half_a_character_in_a_document_is_hashed_as_it_is(tmp_path):
    rows = [lm_eval_row(n, {"acc": 1.0}) | {"doc": {"question": f"\ud83d {n}"}} for n in range(2)]
    for row in rows:
        del row["doc_hash"]
    put_lm_eval(tmp_path, "m", rows)
    assert import_logs("lm-eval", tmp_path).items == 2


def test_a_damaged_line_is_named(tmp_path):
    folder = put_lm_eval(tmp_path, "m", [lm_eval_row(0, {"acc": 1.0})])
    file = next(folder.glob("samples_*"))
    file.write_text(file.read_text() + '{"doc_id": 1, "acc"')
    with pytest.raises(DataRefused, match=r"samples_gsm8k_.*jsonl, line 2"):
        import_logs("lm-eval", tmp_path)


def test_several_tasks_become_strata_and_count_alike_when_asked(tmp_path):
    for task, count in (("mmlu_law", 30), ("mmlu_art", 10)):
        for model in range(3):
            marks = right_wrong(model, range(count))
            rows = [lm_eval_row(n, {"acc": mark}, content=f"{task} {n}") for n, mark in enumerate(marks)]
            put_lm_eval(tmp_path, f"m{model}", rows, task=task)
    with pytest.raises(UsageError, match=r"Several tasks: mmlu_art \(30 rows\), mmlu_law \(90 rows\)"):
        import_logs("lm-eval", tmp_path)
    found = import_logs("lm-eval", tmp_path, task="mmlu_*", macro="category")
    cells = found.cells
    assert cells.ids[0] == "mmlu_art/0"
    means = []
    for task in ("mmlu_art", "mmlu_law"):
        own = np.array([name.startswith(task) for name in cells.ids])[cells.item] & (cells.model == 1)
        means.append(cells.value[own].mean())
    one = cells.model == 1
    assert np.average(cells.value[one], weights=cells.weights[cells.item[one]]) == pytest.approx(np.mean(means))


def test_no_link_leads_out_of_the_folder(tmp_path):
    put_lm_eval(tmp_path / "in", "m", [lm_eval_row(0, {"acc": 1.0})])
    outside = put_lm_eval(tmp_path / "out", "secret", [lm_eval_row(0, {"acc": 0.0})])
    (tmp_path / "in" / "link").symlink_to(outside)
    (tmp_path / "in" / f"samples_gsm8k_{DATE}.jsonl").symlink_to(next(outside.glob("*.jsonl")))
    assert import_logs("lm-eval", tmp_path / "in").models == ("m",)
