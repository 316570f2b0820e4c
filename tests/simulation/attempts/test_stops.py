"""Records of stops: which attempts are not their routes' fault."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import NewerSchema
from bestrand_drive.simulation.attempts.stops import excused_by, place_of, read_stop, stop_of
from tests.simulation.attempts.made import empty_store, failed, key, scored, tree

STREAK = [failed(1, key(route), Reason.NO_RECORD) for route in (11, 12, 13)]


def stopped(root):
    """A store with a streak, an attempt of its own, and a result."""
    store = empty_store(root)
    for attempt in (*STREAK, failed(2, key(11)), scored(2, key(12))):
        store.put(attempt, None)
    store.put_stop(STREAK, Reason.NO_RECORD)
    return store


def test_a_stop_is_read_again_and_changes_no_attempt(tmp_path):
    store = stopped(tmp_path)
    again = empty_store(tmp_path)
    assert store.excused == again.excused == frozenset(map(place_of, STREAK))
    assert store.attempts == again.attempts
    assert (again.damage, len(again.attempts)) == ((), 5)


def test_stops_add_up_and_none_is_overwritten(tmp_path):
    store = stopped(tmp_path)
    first = tree(tmp_path / "stops")
    store.put_stop([failed(2, key(11))], Reason.SIMULATION_CRASH)
    after = tree(tmp_path / "stops")
    assert (list(first), list(after)) == (["1.json"], ["1.json", "2.json"])
    assert after["1.json"] == first["1.json"]
    assert len(empty_store(tmp_path).excused) == 4


def test_only_what_failed_for_its_reason_is_excused():
    """F22: neither a result nor another failure under the same number."""
    stop = stop_of(STREAK, Reason.NO_RECORD)
    others = [scored(1, key(11)), failed(1, key(12), Reason.LOAD_HANG), failed(2, key(13), Reason.NO_RECORD)]
    assert excused_by(others, [stop]) == frozenset()
    assert excused_by([*others, STREAK[0]], [stop]) == {place_of(STREAK[0])}


def test_a_stop_cut_at_every_byte_excuses_nobody_and_is_set_aside(tmp_path):
    """F9, F11."""
    stopped(tmp_path)
    path = tmp_path / "stops" / "1.json"
    content = path.read_bytes()
    for length in range(len(content.rstrip())):
        path.write_bytes(content[:length])
        store = empty_store(tmp_path, repair=False)
        assert (store.excused, [damage.path for damage in store.damage]) == (frozenset(), [path])
        assert len(store.attempts) == 5
    empty_store(tmp_path)
    assert not path.exists()
    assert list(tree(tmp_path / "quarantine")) == ["stops.1.1.json"]


def test_what_a_killed_driver_was_writing_is_removed(tmp_path):
    """F11."""
    stopped(tmp_path)
    (tmp_path / "stops" / ".2.json.abc.partial").write_bytes(b"{")
    assert len(empty_store(tmp_path).excused) == 3
    assert list(tree(tmp_path / "stops")) == ["1.json"]


@pytest.mark.parametrize(
    "changes", [{"attempts": []}, {"reason": "bad luck"}, {"news": 1}, {"attempts": [{"folder": "x", "number": 0}]}]
)
def test_an_edited_stop_is_refused(tmp_path, changes):
    path = tmp_path / "1.json"
    path.write_text(json.dumps(json.loads(stop_of(STREAK, Reason.NO_RECORD).to_json()) | changes))
    with pytest.raises(DataRefused, match="edited or damaged"):
        read_stop(path)


def test_a_later_schema_is_refused_and_left(tmp_path):
    """F18."""
    stopped(tmp_path)
    path = tmp_path / "stops" / "1.json"
    path.write_text('{"schema_version": 2, "news": 1}')
    with pytest.raises(NewerSchema, match="Upgrade with"):
        empty_store(tmp_path)
    assert path.exists()
