"""The store: put once, never overwritten, damaged files set apart and kept."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import NewerSchema
from bestrand_drive.simulation.attempts.store import AttemptStore
from tests.simulation.attempts.made import KEY, empty_store, failed, key, result, scored, tree


def test_what_was_put_is_there_for_the_next_reader(tmp_path):
    store = empty_store(tmp_path)
    first = store.put(failed(1), None)
    second = store.put(scored(2), result())
    other = store.put(scored(1, key(1712, 1)), result(1712))
    again = AttemptStore(Layout(tmp_path), repair=False)
    assert again.attempts == store.attempts == (first, second, other)
    assert (again.result(second), again.result(other), again.damage) == (result(), result(1712), ())
    assert (again.next_number(KEY.cell), again.next_number(("1712", 0))) == (3, 1)


def test_the_evaluators_file_is_kept_verbatim(tmp_path):
    content = b"\xef\xbb\xbf  " + result() + b"\r\n\r\n"
    stored = empty_store(tmp_path).put(scored(), content)
    assert (tmp_path / "attempts" / KEY.folder / "1.result.json").read_bytes() == content
    assert (stored.result_file, stored.result_sha256 is None) == ("1.result.json", False)


def test_putting_the_same_again_changes_nothing(tmp_path):
    """F13."""
    store = empty_store(tmp_path)
    stored = store.put(scored(), result())
    before = tree(tmp_path)
    assert store.put(scored(), result()) == stored
    assert AttemptStore(Layout(tmp_path), repair=True).put(stored, result()) == stored
    assert tree(tmp_path) == before


OTHERS = [(scored(), result(completion=50.0)), (failed(), None), (scored(status="Perfect"), result())]


@pytest.mark.parametrize(("attempt", "content"), OTHERS)
def test_another_attempt_with_that_number_is_refused(tmp_path, attempt, content):
    """F13: two programs must not be able to replace each other's results."""
    store = empty_store(tmp_path)
    store.put(scored(), result())
    before = tree(tmp_path)
    with pytest.raises(DataRefused, match=r"another attempt 1 is stored there"):
        store.put(attempt, content)
    assert tree(tmp_path) == before


def test_numbers_count_over_all_builds_of_a_cell(tmp_path):
    store = empty_store(tmp_path)
    store.put(failed(1), None)
    assert store.next_number(key(carla_version="0.9.16").cell) == 2


DAMAGE = {
    "truncated record": ("1.json", lambda old: old[:-20]),
    "empty record": ("1.json", lambda _: b""),
    "another record": ("1.json", lambda old: old.replace(b'"number": 1', b'"number": 3')),
    "record of another key": ("1.json", lambda old: old.replace(b"0.9.15", b"0.9.14")),
    "edited result": ("1.result.json", lambda old: old.replace(b"100", b"99")),
    "truncated result": ("1.result.json", lambda old: old[:-1]),
}


@pytest.mark.parametrize("fault", DAMAGE)
def test_damage_is_set_apart_and_everything_else_stays(tmp_path, fault):
    name, harm = DAMAGE[fault]
    store = empty_store(tmp_path)
    store.put(scored(1), result())
    whole = store.put(scored(1, key(1712)), result(1712))
    path = tmp_path / "attempts" / KEY.folder / name
    harmed = harm(path.read_bytes())
    path.write_bytes(harmed)
    before = tree(tmp_path)
    looked = AttemptStore(Layout(tmp_path), repair=False)
    assert (looked.attempts, len(looked.damage)) == ((whole,), 1)
    assert tree(tmp_path) == before, "who only looks must not move anything"
    repaired = AttemptStore(Layout(tmp_path), repair=True)
    assert (repaired.attempts, len(repaired.damage)) == ((whole,), 1)
    assert tree(tmp_path / "quarantine")[f"{KEY.folder}.1.{name}"] == harmed
    assert len(tree(tmp_path)) == len(before), "nothing is deleted"
    assert AttemptStore(Layout(tmp_path), repair=True).damage == ()
    assert repaired.put(scored(1), result()).counts, "the cell can be run again"


def test_an_absent_result_is_damage(tmp_path):
    empty_store(tmp_path).put(scored(), result())
    (tmp_path / "attempts" / KEY.folder / "1.result.json").unlink()
    store = AttemptStore(Layout(tmp_path), repair=True)
    assert store.attempts == ()
    assert "cannot be read" in store.damage[0].why


def test_the_quarantine_overwrites_nothing(tmp_path):
    for content in (b"a", b"b", b"c"):
        store = empty_store(tmp_path)
        store.put(scored(), result())
        (tmp_path / "attempts" / KEY.folder / "1.json").write_bytes(content)
        AttemptStore(Layout(tmp_path), repair=True)
    kept = tree(tmp_path / "quarantine")
    assert sorted(content for name, content in kept.items() if name.endswith(".1.json")) == [b"a", b"b", b"c"]


def test_what_a_killed_writer_leaves_counts_for_nothing(tmp_path):
    """A result without a record, and half a temporary file."""
    store = empty_store(tmp_path)
    folder = tmp_path / "attempts" / KEY.folder
    folder.mkdir()
    (folder / "1.result.json").write_bytes(result(completion=3.0))
    (folder / ".1.json.x8f.partial").write_bytes(b"{")
    assert empty_store(tmp_path, repair=False).attempts == ()
    store.put(scored(), result())
    assert (
        store.result(scored(1, result_file="1.result.json", result_sha256=store.attempts[0].result_sha256)) == result()
    )
    assert tree(tmp_path / "quarantine") == {f"{KEY.folder}.1.1.result.json": result(completion=3.0)}
    swept = AttemptStore(Layout(tmp_path), repair=True)
    assert [path.name for path in sorted(folder.iterdir())] == ["1.json", "1.result.json"]
    assert len(swept.attempts) == 1


def test_a_later_schema_stops_everything_and_moves_nothing(tmp_path):
    """F18."""
    empty_store(tmp_path).put(scored(), result())
    path = tmp_path / "attempts" / KEY.folder / "1.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"schema_version": 2}))
    before = tree(tmp_path)
    with pytest.raises(NewerSchema, match="upgrade"):
        AttemptStore(Layout(tmp_path), repair=True)
    assert tree(tmp_path) == before


def test_an_attempt_without_a_file_has_no_result(tmp_path):
    store = empty_store(tmp_path)
    stored = store.put(failed(reason=Reason.LOAD_HANG), None)
    assert stored.result_file is None
    with pytest.raises(DataRefused, match="cannot be read"):
        store.result(stored)
