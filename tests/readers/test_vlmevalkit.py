"""VLMEvalKit: three formats of tables, groups of rotations, judges, tables that hold no grades."""

from __future__ import annotations

import json
import zipfile

import pandas as pd
import pytest

from bestrand_drive.errors import DataRefused, EnvironmentFault, UsageError
from bestrand_drive.readers import vlmevalkit
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.tables import by_item

NEEDS_OPENPYXL = pytest.mark.skipif(
    vlmevalkit.find_spec("openpyxl") is None, reason="openpyxl reads workbooks: pip install '.[loaders]'"
)
FORMATS = [pytest.param("xlsx", marks=NEEDS_OPENPYXL), "tsv", "json"]


def choices(marks, index=None, **more):
    """Graded answers of multiple choice."""
    at = list(index or range(len(marks)))
    return pd.DataFrame(
        {
            "index": at,
            "question": [f"q{n % 1_000_000}" for n in at],
            "A": ["None"] * len(at),
            "B": [7 + n // 1_000_000 for n in at],
            "answer": ["A"] * len(at),
            "category": [f"kind {n % 2}" for n in at],
            "prediction": ["A"] * len(at),
            "hit": marks,
            **more,
        }
    )


def put(out, model, name, frame, suffix="tsv", run="T20260101_G1234"):
    folder = out / model / run
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{model}_{name}.{suffix}"
    if suffix == "xlsx":
        frame.to_excel(file, index=False)
    elif suffix == "tsv":
        frame.to_csv(file, sep="\t", index=False, quoting=1)
    else:
        file.write_text(json.dumps(frame.to_dict("records")))
    return file


def put_graded(out, model, dataset, frame, judge="exact_matching", suffix="tsv"):
    """Answers and graded answers, as one run leaves them."""
    put(out, model, dataset, frame.drop(columns="hit"), suffix)
    put(out, model, f"{dataset}_{judge}_result", frame, suffix)
    totals = pd.DataFrame({"split": ["none"], "Overall": [0.5]})
    put(out, model, f"{dataset}_{judge}_acc", totals, "json" if suffix == "json" else "tsv")


@pytest.mark.parametrize("suffix", FORMATS)
def test_graded_answers_of_any_format(tmp_path, suffix):
    put_graded(tmp_path, "Qwen2_VL", "MMStar_mini", choices([1, 0, 1]), suffix=suffix)
    put_graded(tmp_path, "other", "MMStar_mini", choices([0, 0, 1]))
    found = import_logs("vlmevalkit", tmp_path)
    assert found.spec.tasks == ("MMStar_mini",), "where the dataset's name ends is told by the table of answers"
    assert found.spec.filter == "exact_matching"
    assert sorted(found.models) == ["Qwen2_VL", "other"]
    assert by_item(found, "Qwen2_VL") == {"0": 1.0, "1": 0.0, "2": 1.0}
    assert found.items == 3, "the same questions hash alike in every format"
    assert found.cells.categories == ["kind 0", "kind 1", "kind 0"]


@pytest.mark.parametrize("grouped", [False, True])
def test_a_group_of_rotations_is_one_item_and_right_when_all_are(tmp_path, grouped):
    index = [1_000_003, 2_000_003, 3, 5, 1_000_005]
    more = {"g_index": [3, 3, 3, 5, 5]} if grouped else {}
    put_graded(tmp_path, "m", "MMBench_DEV", choices([1, 1, 0, 1, 1], index, **more))
    assert by_item(import_logs("vlmevalkit", tmp_path)) == {"3": 0.0, "5": 1.0}
    put_graded(tmp_path, "mains", "MMBench_DEV", choices([1, 0], [3, 5]))
    found = import_logs("vlmevalkit", tmp_path)
    assert found.items == 2, "a table of the main rows only has the same questions"
    assert by_item(found, "mains") == {"3": 1.0, "5": 0.0}


def test_a_dataset_whose_name_begins_with_another_ones(tmp_path):
    put_graded(tmp_path, "m", "MMBench", choices([1, 0]))
    put_graded(tmp_path, "m", "MMBench_V11", choices([1, 1]))
    found = import_logs("vlmevalkit", tmp_path, task="*")
    assert set(found.spec.tasks) == {"MMBench", "MMBench_V11"}
    assert by_item(found) == {"MMBench/0": 1.0, "MMBench/1": 0.0, "MMBench_V11/0": 1.0, "MMBench_V11/1": 1.0}


def test_large_ids_that_are_no_rotations_stay(tmp_path):
    put_graded(tmp_path, "m", "Other", choices([1, 0], [1_000_003, 2_000_009]))
    assert set(by_item(import_logs("vlmevalkit", tmp_path))) == {"1000003", "2000009"}


def test_judges_are_filters_and_counting_every_rotation_is_another_protocol(tmp_path):
    put_graded(tmp_path, "m", "MMBench", choices([1, 0]))
    put(tmp_path, "m", "MMBench_gpt-4o_result", choices([1, 1]))
    put(tmp_path, "m", "MMBench_gpt-4o_vanilla_all_result", choices([1, 1, 1], [0, 1, 1_000_001]))
    with pytest.raises(UsageError, match=r"Several filters: exact_matching \(2 rows\), gpt-4o \(2 rows\)"):
        import_logs("vlmevalkit", tmp_path)
    found = import_logs("vlmevalkit", tmp_path, rule="gpt-4o")
    assert by_item(found) == {"0": 1.0, "1": 1.0}
    assert any("counts every rotation for itself left out" in line for line in found.said)


def test_other_grades_and_answers_without_any(tmp_path):
    frame = choices([1, 0]).drop(columns="hit")
    put(tmp_path, "m", "TextVQA", frame)
    with pytest.raises(DataRefused, match="1 tables of answers without grades left out"):
        import_logs("vlmevalkit", tmp_path)
    put(tmp_path, "m", "TextVQA_results", frame.assign(eval_match=["[1.0]", "[0.3]"], eval_score=[1.0, 0.3]))
    found = import_logs("vlmevalkit", tmp_path)
    assert by_item(found) == {"0": 1.0, "1": 0.3}
    assert (found.spec.metrics, found.spec.filter, found.spec.tasks) == (("eval_score",), "", ("TextVQA",))
    put(tmp_path / "yes", "m", "POPE_auxmatch", frame.assign(extracted="Yes", score=[True, False]))
    assert by_item(import_logs("vlmevalkit", tmp_path / "yes")) == {"0": 1.0, "1": 0.0}


def test_rubrics_need_bounds_and_words_are_no_grades(tmp_path):
    frame = choices([1, 0]).drop(columns="hit")
    put(tmp_path, "m", "MMVet_results", frame.assign(score=[5, 3]))
    with pytest.raises(DataRefused, match="--bounds score=LOW:HIGH"):
        import_logs("vlmevalkit", tmp_path)
    assert by_item(import_logs("vlmevalkit", tmp_path, bounds={"score": (1, 5)})) == {"0": 1.0, "1": 0.5}
    put(tmp_path, "m", "MMVet_results", frame.assign(score=["5", "good"]))
    with pytest.raises(DataRefused, match=r"row 3: score is 'good', no number"):
        import_logs("vlmevalkit", tmp_path)


def test_changed_questions_are_refused(tmp_path):
    put_graded(tmp_path, "a", "X", choices([1, 0]))
    put_graded(tmp_path, "b", "X", choices([1, 0]).assign(question="another"))
    with pytest.raises(DataRefused, match="'0' of X is not the same"):
        import_logs("vlmevalkit", tmp_path)


def test_a_workbook_without_its_reader_and_one_that_means_harm(tmp_path, monkeypatch):
    (tmp_path / "m").mkdir()
    file = tmp_path / "m" / "m_X_result.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("xl/worksheets/sheet1.xml", b" " * 2**26)
    with monkeypatch.context() as patch:
        patch.setattr(vlmevalkit, "find_spec", lambda name: object())
        with pytest.raises(DataRefused, match="unpacks to over 1000 times its size"):
            import_logs("vlmevalkit", tmp_path)
        patch.setattr(vlmevalkit, "find_spec", lambda name: None)
        with pytest.raises(EnvironmentFault, match="openpyxl is needed"):
            import_logs("vlmevalkit", tmp_path)


def rewritten(file, part, change):
    """A workbook with one of its parts changed."""
    with zipfile.ZipFile(file) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(file, "w") as book:
        for name, content in parts.items():
            book.writestr(name, change(content) if name == part else content)


@NEEDS_OPENPYXL
@pytest.mark.parametrize("place", ["XFD1", "A1048576", "A99999999999"])
def test_a_cell_far_out_does_not_fill_the_memory(tmp_path, monkeypatch, place):
    file = put(tmp_path, "m", "X_exact_matching_result", choices([1, 0, 1]), "xlsx")
    row = place.lstrip("XFDA")
    cell = f'<row r="{int(row) + 9 if row == "1" else row}"><c r="{place}"><v>1</v></c></row></sheetData>'.encode()
    rewritten(file, "xl/worksheets/sheet1.xml", lambda content: content.replace(b"</sheetData>", cell))
    monkeypatch.setattr(vlmevalkit, "MOST_CELLS", 10_000)
    with pytest.raises(DataRefused, match="its sheet has over 10,000 cells"):
        import_logs("vlmevalkit", tmp_path)


@NEEDS_OPENPYXL
def test_damaged_workbooks_are_refused(tmp_path):
    file = put(tmp_path, "m", "X_exact_matching_result", choices([1, 0, 1]), "xlsx")
    content = file.read_bytes()
    sheet = content.index(b"xl/worksheets/sheet1.xml") + 60
    file.write_bytes(content[:sheet] + bytes(20) + content[sheet + 20 :])
    with pytest.raises(DataRefused, match="cannot be read as a table"):
        import_logs("vlmevalkit", tmp_path)
    file.write_bytes(content)
    rewritten(file, "[Content_Types].xml", lambda text: text.replace(b"ContentType=", b"Cont=", 1))
    with pytest.raises(DataRefused, match="cannot be read as a table"):
        import_logs("vlmevalkit", tmp_path)
    file.write_bytes(content)
    rewritten(file, "xl/worksheets/sheet1.xml", lambda text: text.replace(b"<t>hit</t>", b"<t>index</t>"))
    rewritten(file, "xl/sharedStrings.xml", lambda text: text.replace(b"<t>hit</t>", b"<t>index</t>"))
    with pytest.raises(DataRefused, match="a column of its sheet is there twice"):
        import_logs("vlmevalkit", tmp_path)
