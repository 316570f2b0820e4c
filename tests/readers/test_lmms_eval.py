"""lmms-eval: scores inside objects, values that hold none, files that were appended to."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.logs import doc_hash
from tests.readers.tables import by_item

DATE = "20260301_101112"


def sample(doc, **metrics):
    """A row without doc, filter and list of metrics, as the tool writes it."""
    return {
        "doc_id": doc,
        "target": "A",
        "filtered_resps": ["A"],
        "token_counts": [{"input_tokens": 9, "output_tokens": 1}],
        "doc_hash": doc_hash(f"doc {doc}"),
        "input": "which?",
        **metrics,
    }


def put(out, model, rows, task="mme", name=True):
    folder = out / model.replace("/", "__")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{DATE}_samples_{task}.jsonl").open("a") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    if name:
        (folder / f"{DATE}_results.json").write_text(json.dumps({"results": {}, "model_name": model}))


def test_a_score_inside_an_object_is_read_with_its_category(tmp_path):
    kinds = ["color", "count", "color"]
    rows = [
        sample(n, mme_perception={"question_id": f"q{n}", "category": kind, "score": n % 2})
        for n, kind in enumerate(kinds)
    ]
    put(tmp_path, "org/m", rows)
    found = import_logs("lmms-eval", tmp_path)
    assert by_item(found) == {"0": 0.0, "1": 1.0, "2": 0.0}
    assert found.models == ("org/m",)
    assert found.cells.categories == kinds
    assert found.spec.metrics == ("mme_perception",)


def test_plain_numbers_and_several_metrics_need_a_choice(tmp_path):
    put(tmp_path, "m", [sample(n, exact_match=float(n), anls=0.5) for n in range(2)])
    with pytest.raises(UsageError, match=r"Several metrics: anls \(2 rows\), exact_match \(2 rows\)"):
        import_logs("lmms-eval", tmp_path)
    assert by_item(import_logs("lmms-eval", tmp_path, metric="exact_match")) == {"0": 0.0, "1": 1.0}


def choice(answer, given, kind="multiple-choice"):
    return {"id": "x", "subdomain": "Art", "question_type": kind, "answer": answer, "parsed_pred": given}


def test_letters_are_graded(tmp_path):
    put(tmp_path, "m", [sample(0, mmmu_acc=choice("A", "A")), sample(1, mmmu_acc=choice("A", "B"))], "mmmu")
    assert by_item(import_logs("lmms-eval", tmp_path)) == {"0": 1.0, "1": 0.0}


def test_a_metric_with_answers_that_cannot_be_graded_here_is_left_out_whole(tmp_path):
    """Open answers only would be missing: the letters are no fair sample of the task."""
    rows = [sample(0, mmmu_acc=choice("A", "A")), sample(1, mmmu_acc=choice("3.5", "3.5", "open"))]
    put(tmp_path, "m", rows, "mmmu")
    for asked in ({}, {"metric": "mmmu_acc"}):
        with pytest.raises(UsageError, match=r"1 values of mmmu_acc that hold no score \(and with them 1 that do\)"):
            import_logs("lmms-eval", tmp_path, **asked)


def test_rows_that_were_appended_twice_count_once_and_differing_ones_are_refused(tmp_path):
    put(tmp_path, "m", [sample(n, acc=float(n % 2)) for n in range(4)])
    put(tmp_path, "m", [sample(n, acc=float(n % 2)) for n in range(4)])
    found = import_logs("lmms-eval", tmp_path)
    assert len(found.cells.value) == 4
    assert any("4 rows repeat a cell" in line for line in found.said)
    put(tmp_path, "m", [sample(0, acc=1.0)])
    with pytest.raises(DataRefused, match="two scores on item '0', 0 and 1"):
        import_logs("lmms-eval", tmp_path)


def test_positions_are_checked_by_hash_and_points_need_bounds(tmp_path):
    put(tmp_path, "a", [sample(n, score=80.0 + n) for n in range(3)])
    shifted = [sample(n, score=80.0 + n) | {"doc_id": n - 1} for n in range(1, 3)]
    put(tmp_path, "b", shifted, name=False)
    with pytest.raises(DataRefused, match="--bounds score=LOW:HIGH"):
        import_logs("lmms-eval", tmp_path)
    found = import_logs("lmms-eval", tmp_path, bounds={"score": (0, 100)})
    assert by_item(found, "b") == {"1": 0.81, "2": 0.82}, "joined to what was asked, not to a position"
    put(tmp_path / "bare", "c", [{k: v for k, v in sample(0, score=1.0).items() if k != "doc_hash"}])
    with pytest.raises(DataRefused, match="Positions alone are not joined"):
        import_logs("lmms-eval", tmp_path / "bare")
