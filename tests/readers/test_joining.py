"""Joining by content, duplicates, gaps, bounds: each rule, and that it is counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.reading import Known, Request, Source, read_logs
from bestrand_drive.readers.scaling import Stated


def read(rows, tmp_path, request=None, **reader):
    """Join rows as any reader gives them."""
    own = Reader("toy", lambda path: True, lambda path, intake: iter(rows), **reader)
    return read_logs(own, [Source(tmp_path)], request or Request())


def row(item, model, value, content="", **kwargs):
    return Row(item, model, value, content=content, source=f"{model}.json", **kwargs)


def test_items_renumbered_by_another_model_are_joined_by_content(tmp_path):
    """Shuffled positions: by position every score would land on another question."""
    order = [3, 0, 2, 1]
    rows = [row(str(n), "A", n / 10, f"h{n}") for n in range(4)]
    rows += [row(str(n), "B", other / 10, f"h{other}") for n, other in enumerate(order)]
    cells, _ = read(rows, tmp_path)
    table = dict(zip(zip(cells.item.tolist(), cells.model.tolist(), strict=True), cells.value.tolist(), strict=True))
    assert len(cells.ids) == 4
    assert all(table[item, 0] == table[item, 1] for item in range(4))
    assert any("3 rows' items are known by content" in line for line in cells.said)


def test_a_renumbered_part_read_first_takes_the_ids_of_the_whole(tmp_path):
    rows = [row(str(n), "part", 1.0, f"h{n + 2}") for n in range(2)]
    rows += [row(str(n), "whole", 0.0, f"h{n}") for n in range(5)]
    cells, _ = read(rows, tmp_path)
    assert sorted(cells.ids) == list("01234")
    assert {cells.ids[i] for i, m in zip(cells.item, cells.model, strict=True) if cells.models[m] == "part"} == {
        "2",
        "3",
    }


def test_equal_questions_under_two_ids_stay_two_items(tmp_path):
    rows = [row(item, model, 1.0, "same") for model in "AB" for item in ("x", "y")]
    rows.append(row("y", "C", 0.0, "same"))
    cells, _ = read(rows, tmp_path)
    assert cells.ids == ["x", "y"]
    assert len(cells.value) == 5
    only = [cells.ids[i] for i, m in zip(cells.item, cells.model, strict=True) if cells.models[m] == "C"]
    assert only == ["y"]


def test_one_id_with_two_contents_names_both_files(tmp_path):
    rows = [row("1", "A", 1.0, "old"), row("2", "A", 1.0, "h2"), row("1", "B", 1.0, "new")]
    with pytest.raises(DataRefused, match=r"'1' is not the same in A\.json and in B\.json"):
        read(rows, tmp_path)


def test_positions_without_content_are_not_joined(tmp_path):
    with pytest.raises(DataRefused, match=r"A\.json: item 0"):
        read([row("0", "A", 1.0)], tmp_path, positional=True)


def test_a_known_benchmark_gives_the_ids(tmp_path):
    known = Known(("",), {("", "a"): _key("h1"), ("", "b"): _key("h2")})
    cells, _ = read([row("0", "T", 0.5, "h2"), row("b", "T", 0.1, "h9")][:1], tmp_path, Request(known=known))
    assert cells.ids[:2] == ["a", "b"]
    assert cells.ids[cells.item[0]] == "b"
    with pytest.raises(DataRefused, match="the suite's benchmark"):
        read([row("b", "T", 0.1, "h9")], tmp_path, Request(known=known))


def _key(text):
    from bestrand_drive.readers.items import content_key

    return content_key(text)


def test_duplicates(tmp_path):
    same = [row("1", "A", 1.0), row("1", "A", 1.0), row("1", "A", float("nan")), row("2", "A", 0.0)]
    cells, _ = read(same, tmp_path)
    assert cells.value.tolist() == [1.0, 0.0]
    assert any("2 rows repeat a cell, 1 of them without a score" in line for line in cells.said)
    other = [row("1", "A", 0.25), row("1", "A", 1.0)._replace(source="later.json"), row("1", "A", float("nan"))]
    with pytest.raises(DataRefused, match=r"0\.25 and 1, in A\.json and later\.json"):
        read(other, tmp_path)
    for rule, value in (("first", 0.25), ("last", 1.0), ("mean", 0.625)):
        cells, _ = read(other, tmp_path, Request(duplicates=rule))
        assert cells.value.tolist() == [value]
        assert any(f"--duplicates {rule}" in line for line in cells.said)
    with pytest.raises(UsageError, match="refuse, first, last, mean"):
        read(other, tmp_path, Request(duplicates="best"))


def test_repeats_stay_repeats_and_gaps_are_counted(tmp_path):
    rows = [row("1", "A", 0.0, repeat="1"), row("1", "A", 1.0, repeat="2"), row("2", "A", float("nan"))]
    rows += [row("1", "B", 1.0)]
    cells, _ = read(rows, tmp_path)
    assert len(cells.value) == 4
    assert len(set(cells.repeat[(cells.model == 0) & (cells.item == 0)].tolist())) == 2
    assert any("1 rows are not scored" in line for line in cells.said)
    assert any("1 of 2 models have no row of some of the 2 items: B (1)" in line for line in cells.said)


def test_values_are_mapped_by_stated_bounds(tmp_path):
    rows = [row("1", "A", 25.0), row("2", "A", 100.0)]
    with pytest.raises(DataRefused, match="--bounds score=LOW:HIGH"):
        read(rows, tmp_path)
    cells, spec = read(rows, tmp_path, Request(stated=Stated({"score": (0.0, 100.0)})))
    assert cells.value.tolist() == [0.25, 1.0]
    assert spec.scales["score"] == Scale(0.0, 100.0)
    assert read(rows, tmp_path, scale=lambda name: Scale(0, 200))[0].value.tolist() == [0.125, 0.5]
    with pytest.raises(DataRefused, match="outside its bounds"):
        read(rows, tmp_path, scale=lambda name: Scale(0, 50))
    with pytest.raises(UsageError, match="f1 is not imported"):
        read(rows, tmp_path, Request(stated=Stated({"f1": (0, 1)})))


def test_figures_beside_the_scores_come_only_when_named(tmp_path):
    from bestrand_drive.readers.choice import Choice

    rows = [row("1", "A", 1.0, metric="acc"), row("1", "A", 37.5, metric="latency", aside=True)]
    cells, _ = read(rows, tmp_path)
    assert cells.metrics == ["acc"]
    cells, spec = read(rows, tmp_path, Request(choice=Choice(metrics=("latency", "acc"))))
    assert dict(zip(cells.metric.tolist(), cells.value.tolist(), strict=True)) == {0: 37.5, 1: 1.0}
    assert spec.scales["latency"].high is None


def test_macro_needs_categories(tmp_path):
    with pytest.raises(UsageError, match="2 of 2 items have no category"):
        read([row("1", "A", 1.0), row("2", "A", 1.0)], tmp_path, Request(macro=True))
    some = [row("1", "A", 1.0, category="x"), row("2", "A", 1.0)]
    with pytest.raises(UsageError, match="1 of 2 items have no category"):
        read(some, tmp_path, Request(macro=True))
    assert read(some, tmp_path)[0].categories == ["x", "none"]

    def rows(path, intake: Intake):
        intake.average_categories()
        yield from [
            row("1", "A", 1.0, category="x"),
            row("2", "A", 0.0, category="y"),
            row("3", "A", 0.0, category="y"),
        ]

    cells, spec = read_logs(Reader("toy", lambda path: True, rows), [Source(tmp_path)], Request())
    assert spec.macro
    np.testing.assert_allclose(cells.weights, [1.5, 0.75, 0.75])


def test_frames_and_rows_give_the_same(tmp_path):
    rows = [row(str(i), f"m{m}", (i * m % 3) / 2, f"h{i}", task="t") for i in range(7) for m in range(3)]
    frame = pd.DataFrame(rows)
    one, two = read(rows, tmp_path)[0], read([frame.iloc[:11], frame.iloc[11:]], tmp_path)[0]
    for name in ("item", "model", "metric", "repeat", "value"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert (one.ids, one.models, one.contents) == (two.ids, two.models, two.contents)


def test_rows_of_a_frame_that_are_not_wanted_leave_nothing(tmp_path):
    """Items of another task would be counted, weighted, and have the ids of items of this one."""
    from bestrand_drive.readers.choice import Choice

    rows = [row("1", "A", 1.0, task="a", category="x"), row("2", "A", 0.0, task="a", category="y")]
    rows += [row(item, model, 1.0, task="b", category="z") for item in "13" for model in "AB"]
    request = Request(choice=Choice(tasks=("a",)), macro=True)
    one, two = read(rows, tmp_path, request)[0], read([pd.DataFrame(rows)], tmp_path, request)[0]
    for cells in (one, two):
        assert (cells.ids, cells.models, cells.categories) == (["1", "2"], ["A"], ["x", "y"])
        np.testing.assert_array_equal(cells.weights, [1.0, 1.0])
    assert one.said == two.said


def test_a_frame_may_hold_scores_and_figures_beside_them(tmp_path):
    rows = [row("1", "A", 1.0, metric="acc"), row("1", "A", 37.5, metric="latency", aside=True)]
    cells, _ = read([pd.DataFrame(rows)], tmp_path)
    assert cells.metrics == ["acc"]


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"item": None}, r"A\.json: a row without item"),
        ({"value": "high"}, r"A\.json: a score or a duration is no number"),
        ({"value": float("inf")}, r"A\.json: item '1' has score inf, which is no finite number \(1 such rows\)"),
    ],
)
def test_what_another_packages_reader_must_not_give(tmp_path, odd, said):
    wrong = row("1", "A", 1.0)._replace(**odd)
    for rows in ([wrong], [pd.DataFrame([wrong])]):
        with pytest.raises(DataRefused, match=said):
            read(rows, tmp_path, Request(stated=Stated({"score": (0.0, None)})))
