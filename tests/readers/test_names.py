"""Names that no table can hold are refused with their file; names with wildcards in them are still names."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.workflows.importing.verb import import_logs
from tests.readers.test_inspect_ai import log, put_json, sample


def put_task(path, task, item):
    told = log([sample(item, 1.0), sample("z", 0.0)])
    told["eval"]["task"] = task
    path.write_text(json.dumps(told))


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "half \ud800", " "])
def test_odd_names_are_refused_before_a_table_is_written(tmp_path, name):
    file = put_json(tmp_path / "log.json", [sample("a", 1.0), sample(name, 1.0)])
    with pytest.raises(DataRefused, match=r"log\.json: item '.*rename it"):
        import_logs("inspect", file)
    put_json(file, [sample("a", 1.0)], model=name)
    with pytest.raises(DataRefused, match=r"log\.json: model '.*rename it"):
        import_logs("inspect", file, out=tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()


def test_contents_may_have_lines_but_no_half_characters(tmp_path):
    rows = pd.DataFrame({"item_id": ["a", "b"], "model": "m", "value": 1.0, "content": ["first\nsecond", None]})
    rows["content"] = rows["content"].astype("category")
    rows.to_parquet(tmp_path / "table.parquet")
    found = import_logs("plain", tmp_path / "table.parquet", out=tmp_path / "out.parquet")
    assert found.cells.contents == ["first\nsecond", ""]
    line = {"item_id": "a", "model": "m", "value": 1, "content": "\ud800"}
    (tmp_path / "table.jsonl").write_text(json.dumps(line))
    with pytest.raises(DataRefused, match=r"table\.jsonl"):
        import_logs("plain", tmp_path / "table.jsonl", out=tmp_path / "half.parquet")


def test_an_id_that_could_be_of_two_tasks_is_refused(tmp_path):
    put_task(tmp_path / "a.json", "quiz", "law/3")
    put_task(tmp_path / "b.json", "quiz/law", "3")
    with pytest.raises(DataRefused, match="'law/3' of task quiz could be one of task quiz/law"):
        import_logs("inspect", tmp_path, task="*")
    assert import_logs("inspect", tmp_path, task="quiz/law").cells.ids == ["3", "z"]
    put_task(tmp_path / "a.json", "quiz", "4")
    assert sorted(import_logs("inspect", tmp_path, task="*").cells.ids) == [
        "quiz/4",
        "quiz/law/3",
        "quiz/law/z",
        "quiz/z",
    ]


def test_a_task_with_wildcards_in_its_name_is_meant_by_it(tmp_path):
    put_task(tmp_path / "a.json", "quiz[law]", "3")
    assert import_logs("inspect", tmp_path, task="quiz[law]").items == 2
    with pytest.raises(UsageError, match=r"--task quiz\[a\]: not in these logs; they have quiz\[law\]"):
        import_logs("inspect", tmp_path, task="quiz[a]")


@pytest.mark.parametrize("bounds", [(1, 0), (0, 0), (float("nan"), 1), (0, float("inf"))])
def test_bounds_that_are_no_range(tmp_path, bounds):
    put_json(tmp_path / "log.json", [sample("a", 1.0)])
    with pytest.raises(UsageError, match="is no range of finite numbers"):
        import_logs("inspect", tmp_path, bounds={"judge": bounds})
