"""``results/``: exactly what counts, readable by everything that reads results."""

from __future__ import annotations

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.plan import counted_attempts
from bestrand_drive.simulation.attempts.view import place, rebuild, view_name
from tests.simulation.attempts.made import KEY, empty_store, failed, key, result, scored, tree


@pytest.fixture
def store(tmp_path):
    """Route 1711: failed, then scored; 1712: crashed agent; 1713: failed; 1714: two repeats."""
    made = empty_store(tmp_path)
    made.put(failed(1), result(status="Failed - Simulation crashed", completion=40.0))
    made.put(scored(2), result())
    made.put(scored(1, key(1712), outcome=Outcome.AGENT_CRASHED), result(1712, "Failed - Agent crashed", 10.0))
    made.put(failed(1, key(1713)), None)
    made.put(scored(1, key(1714)), result(1714))
    made.put(scored(1, key(1714, 1)), result(1714, completion=50.0))
    return made


def build(store):
    rebuild(store, counted_attempts([], store.attempts, KEY))
    return tree(store.layout.results)


def test_exactly_the_counted_attempts_are_there(store):
    """The official scripts add up what a simulator crash left of a score, so such a record must not lie there."""
    assert build(store) == {
        "0/RouteScenario_1711.json": result(),
        "0/RouteScenario_1712.json": result(1712, "Failed - Agent crashed", 10.0),
        "0/RouteScenario_1714.json": result(1714),
        "1/RouteScenario_1714.json": result(1714, completion=50.0),
    }


def test_it_reads_as_results_with_repeats(store):
    build(store)
    read = read_results(store.layout.results, name="p", benchmark="bench2drive")
    assert {(r.route_id, r.repeat): r.driving_score for r in read.records} == {
        ("1711", "0"): 100,
        ("1712", "0"): 10,
        ("1714", "0"): 100,
        ("1714", "1"): 50,
    }


def test_it_is_made_again_from_the_attempts(store):
    before = build(store)
    results = store.layout.results
    (results / "0/RouteScenario_1711.json").write_bytes(b"edited")
    (results / "0/RouteScenario_1712.json").unlink()
    (results / "0/RouteScenario_9.json").write_bytes(result(9))
    (results / "1/.RouteScenario_1714.json.ab.partial").write_bytes(b"{")
    (results / "0/merged.json").write_bytes(b"the user's")
    (results / "0/metric_info.json").write_bytes(b"{}")
    after = build(store)
    assert after == before | {"0/merged.json": b"the user's", "0/metric_info.json": b"{}"}


def test_an_edit_of_a_result_does_not_reach_the_attempt(store):
    build(store)
    with (store.layout.results / "0/RouteScenario_1711.json").open("ab") as stream:
        stream.write(b"x")
    assert store.result(store.attempts[1]) == result()


def test_one_attempt_can_be_placed_alone(store):
    path = place(store, store.attempts[1])
    assert path.read_bytes() == result()
    assert list(tree(store.layout.results)) == ["0/RouteScenario_1711.json"]


def test_fail2drives_layout_is_its_launchers():
    """Its seeds begin at 1; the route is told by four digits."""
    of = {"benchmark": "fail2drive"}
    assert str(view_name(key(75, 0, **of))) == "1/res/0075_res.json"
    assert str(view_name(key(1075, 2, **of))) == "3/res/1075_res.json"
    with pytest.raises(UsageError, match="nuplan"):
        view_name(key(1, benchmark="nuplan"))


def test_fail2drives_view_reads_with_its_seeds(tmp_path):
    store = empty_store(tmp_path)
    keys = [key(route, repeat, benchmark="fail2drive") for route in (75, 1075) for repeat in range(2)]
    for one in keys:
        store.put(scored(1, one), result(one.route_id))
    rebuild(store, store.attempts)
    read = read_results(store.layout.results, name="p", benchmark="fail2drive")
    assert {(r.route_id, r.repeat) for r in read.records} == {(r, s) for r in ("75", "1075") for s in ("1", "2")}
