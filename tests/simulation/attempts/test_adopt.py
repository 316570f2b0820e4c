"""Earlier records become attempts."""

from __future__ import annotations

import json

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import every_record
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.adopt import adopt
from bestrand_drive.simulation.attempts.plan import counted_attempts
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.route_set import read_route_set
from tests.simulation.attempts.made import empty_store, key, scored, tree

DECLARED = key(0, town=None, route_sha256=None, seed=None, adapter=None)


@pytest.fixture
def old(build, tmp_path):
    """Shards: route 1 crashed the simulator, then was driven; 2 twice word for word; 3 in a file of its own."""
    crashed = build.record("RouteScenario_1_rep0", "Failed - Simulation crashed", 30)
    twice = build.record("RouteScenario_2_rep0", index=4)
    folder = tmp_path / "old"
    build.write(folder / "a.json", [crashed, twice])
    build.write(folder / "b.json", [twice | {"index": 0}, build.record("RouteScenario_1_rep0", completion=50)])
    build.write(folder / "c.json", [build.record("RouteScenario_3_rep0", "Failed - Agent crashed", 5)])
    return folder


def taken(store, old, routes=None, declared=DECLARED, **options):
    root, found = every_record(old, benchmark=declared.benchmark)
    return adopt(store, found, root, declared, routes or {}, **options)


def test_every_record_becomes_an_attempt_and_a_copy_does_not(old, tmp_path):
    store = empty_store(tmp_path / "run")
    done = taken(store, old)
    assert (len(done.stored), done.known, done.copies) == (4, 0, 1)
    assert {(a.key.route_id, a.number): (a.outcome, a.adopted_from) for a in store.attempts} == {
        ("1", 1): (Outcome.SCORED, "b.json#1"),
        ("1", 2): (Outcome.INFRASTRUCTURE, "a.json#0"),
        ("2", 1): (Outcome.SCORED, "a.json#1"),
        ("3", 1): (Outcome.AGENT_CRASHED, "c.json#0"),
    }
    assert store.attempts[1].reason is Reason.SIMULATION_CRASH


def test_a_file_of_one_record_is_kept_verbatim_others_as_they_were_written(old, tmp_path):
    store = empty_store(tmp_path / "run")
    taken(store, old)
    assert store.result(store.attempts[3]) == (old / "c.json").read_bytes()
    (record,) = json.loads(store.result(store.attempts[0]))["_checkpoint"]["records"]
    assert record == json.loads((old / "b.json").read_bytes())["_checkpoint"]["records"][1] | {"index": 0}


def test_adopting_again_changes_nothing(old, tmp_path):
    """F13: the same file twice."""
    store = empty_store(tmp_path / "run")
    taken(store, old)
    before = tree(tmp_path / "run")
    done = taken(empty_store(tmp_path / "run"), old)
    assert (done.stored, done.known, done.copies) == ((), 4, 1)
    assert tree(tmp_path / "run") == before


def test_an_interrupted_adoption_goes_on(old, tmp_path):
    store = empty_store(tmp_path / "run")
    taken(store, old)
    whole = tree(tmp_path / "run")
    for path in (tmp_path / "run" / "attempts").glob("2.*/*"):
        path.unlink()
    done = taken(empty_store(tmp_path / "run"), old)
    assert [attempt.key.route_id for attempt in done.stored] == ["2"]
    assert tree(tmp_path / "run") == whole


def test_repeats_follow_the_order_of_their_labels(build, tmp_path):
    for seed in (2, 10, 7):
        build.write(
            tmp_path / "old" / f"seed{seed}" / "a.json", [build.record("RouteScenario_1_rep0", completion=seed)]
        )
    store = empty_store(tmp_path / "run")
    taken(store, tmp_path / "old")
    scores = [json.loads(store.result(one))["_checkpoint"]["records"][0]["scores"] for one in store.attempts]
    assert [(one.key.repeat, int(score["score_route"])) for one, score in zip(store.attempts, scores, strict=True)] == [
        (0, 2),
        (1, 7),
        (2, 10),
    ]


def test_declared_routes_give_town_and_content(old, build, tmp_path):
    path = tmp_path / "routes.xml"
    path.write_bytes(build.routes(build.route(1), build.route(3, town="Town05")))
    elements = read_route_set(path, "bench2drive").routes
    store = empty_store(tmp_path / "run")
    taken(store, old, elements)
    found = {one.key.route_id: (one.key.town, one.key.route_sha256) for one in store.attempts}
    assert found == {
        "1": ("Town12", elements["1"].sha256),
        "2": (None, None),
        "3": ("Town05", elements["3"].sha256),
    }


def test_records_with_nan_are_adopted_as_missing(build, tmp_path):
    """F9: what CARLA writes is no strict JSON, and must survive all the same."""
    record = build.record("RouteScenario_1_rep0")
    record["scores"]["score_composed"] = float("nan")
    build.write(tmp_path / "old" / "a.json", [record, build.record("RouteScenario_2_rep0")])
    store = empty_store(tmp_path / "run")
    taken(store, tmp_path / "old")
    assert store.attempts[0].reason is Reason.NOT_A_NUMBER
    assert b"NaN" in store.result(store.attempts[0])


def test_an_own_attempt_keeps_its_place(old, tmp_path):
    """An adopted result must not replace what was run, nor the other way round."""
    store = empty_store(tmp_path / "run")
    own = store.put(scored(1, key(2, adapter="bench2drive/1")), b"{}")
    taken(store, old)
    counted = counted_attempts([], store.attempts, DECLARED)
    assert next(one for one in counted if one.key.route_id == "2") == own


@pytest.mark.parametrize("name", ["carla_version", "evaluator_commit"])
def test_another_build_is_refused_unless_pooled(old, tmp_path, name):
    store = empty_store(tmp_path / "run")
    taken(store, old)
    before = tree(tmp_path / "run")
    other = DECLARED.model_copy(update={name: "other"})
    with pytest.raises(UsageError, match=r"attempt 1 of route 1, repeat 0, .*--pool-builds"):
        taken(store, old, declared=other)
    assert tree(tmp_path / "run") == before
    assert taken(store, old, declared=other, pool_builds=True).known == 4
