"""Logs that the real tools wrote on toy tasks of ours (``tests/real_tools/golden.py``), read without the tools."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bestrand_drive.readers.archives import ZSTANDARD, open_archive
from bestrand_drive.workflows.importing.verb import import_logs

GOLDEN = Path(__file__).parent.parent / "golden" / "logs"
STRICT = {"metric": "exact_match", "rule": "strict-match"}


def scores(found):
    """(item, repeat) -> value."""
    frame = found.frame()
    return dict(zip(zip(frame["item_id"], frame["repeat"], strict=True), frame["value"], strict=True))


def test_the_harness_own_means_come_out():
    (file,) = (GOLDEN / "lm_eval").rglob("results_*.json")
    told = json.loads(file.read_text())
    for rule in ("strict-match", "flexible-extract"):
        found = import_logs("lm-eval", GOLDEN / "lm_eval", metric="exact_match", rule=rule)
        assert found.items == 12
        assert np.mean(found.cells.value) == pytest.approx(told["results"]["toy_sums"][f"exact_match,{rule}"])
    assert found.spec.versions == {"lm_eval": (told["lm_eval_version"],), "task toy_sums": ("1.0",)}


def test_documents_that_the_harness_mislabels_are_joined_to_what_was_asked():
    """``--samples`` out of order: lm_eval 0.4.13 puts the ids in the order given beside documents in theirs."""
    whole = scores(import_logs("lm-eval", GOLDEN / "lm_eval", **STRICT))
    (file,) = (GOLDEN / "lm_eval_shuffled").rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    questions = {row["doc_id"]: int(row["doc"]["question"].split()[0]) for row in rows}
    assert questions == {9: 2, 2: 5, 5: 9}, "ids and documents as the harness wrote them"
    both = import_logs("lm-eval", {"whole": GOLDEN / "lm_eval", "part": GOLDEN / "lm_eval_shuffled"}, **STRICT)
    frame = both.frame()
    part = frame[frame["model"] == "part"]
    assert dict(zip(part["item_id"], part["value"], strict=True)) == {n: whole[n, "0"] for n in ("2", "5", "9")}


@pytest.mark.parametrize(("metric", "unscored"), [("right", 2), ("parts/digits", 0)])
def test_an_archive_of_inspect(metric, unscored):
    (file,) = (GOLDEN / "inspect_eval").glob("*.eval")
    with open_archive(file) as archive:
        assert {info.compress_type for info in archive.members.values()} == {ZSTANDARD}, "as inspect writes them now"
        told = json.loads(archive.read("header.json"))["results"]["scores"]
    found = import_logs("inspect", GOLDEN / "inspect_eval", metric=metric)
    assert (found.items, found.unscored, len(found.cells.value)) == (8, unscored, 16)
    mean = next(one for one in told if one["name"] == metric.rpartition("/")[2])["metrics"]["mean"]["value"]
    by_item = found.frame().groupby("item_id", observed=True)["value"].mean()
    assert by_item.mean() == pytest.approx(mean), "epochs averaged, the unscored left out, as inspect itself does"


def test_partial_grades_and_json_logs_agree_with_archives():
    assert set(import_logs("inspect", GOLDEN / "inspect_eval", metric="parts/form").cells.value) == {0.5}
    whole = scores(import_logs("inspect", GOLDEN / "inspect_eval", metric="parts/digits"))
    part = import_logs("inspect", GOLDEN / "inspect_json", metric="parts/digits")
    assert sorted(scores(part)) == [("sum-4", "1"), ("sum-4", "2"), ("sum-5", "1"), ("sum-5", "2")]
    assert {key: whole[key] for key in scores(part)} == scores(part)
    joined = import_logs("inspect", {"a": GOLDEN / "inspect_eval", "b": GOLDEN / "inspect_json"}, metric="right")
    assert joined.items == 8
