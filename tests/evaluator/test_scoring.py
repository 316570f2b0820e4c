"""Scores and status words, against the readers that check evaluators."""

from __future__ import annotations

import json
import random

import pytest

from bestrand_drive.benchmarks.penalties import RULES, check_evaluator
from bestrand_drive.benchmarks.record_parsing import skipped_scenarios
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.evaluator.criteria.moment import Event, Kind
from bestrand_drive.evaluator.results import Record, Results
from bestrand_drive.evaluator.scoring import score


def an_event(rng: random.Random) -> Event:
    kind = rng.choice([kind for kind in Kind if kind is not Kind.OUTSIDE])
    if kind is Kind.MIN_SPEED:
        percent = round(rng.uniform(5.0, 180.0), 2)
        return Event(kind, f"Average speed is {percent}% of the surrounding traffic's one", percent)
    return Event(kind, f"some {kind.value} at (x=1.0, y=2.0, z=0.0)")


def events_of(rng: random.Random) -> list[Event]:
    events = [an_event(rng) for _ in range(rng.randrange(6))]
    if rng.random() < 0.5:
        percent = rng.uniform(0.0, 100.0)
        said = (
            f"Agent went outside its route lanes for about 12.345 meters ({round(percent, 2)}% of the completed route)"
        )
        events.append(Event(Kind.OUTSIDE, said, percent))
    return events


@pytest.fixture
def written(tmp_path):
    """A file of 40 made-up routes, and what was scored."""
    rng = random.Random(4)
    results = Results(tmp_path / "result.json", 40, sensors=["carla_imu"], entry_status="Finished")
    for number in range(40):
        completion = rng.choice((100.0, round(rng.uniform(0, 99), 2)))
        scored = score(events_of(rng), completion, rng.choice(("", "TickRuntime")))
        names = (f"RouteScenario_{number}_rep0", "Kind_1", f"save_{number}", "Town01")
        results.records.append(Record(*names, scored, route_length_m=123.4567, game_s=20.05, system_s=1.5))
    results.write(finished=True)
    return results


def test_the_readers_of_results_take_it_for_bench2drives(written):
    found = read_results(written.path, name="ours", benchmark="bench2drive")
    assert check_evaluator(found, "bench2drive") is None
    assert len(found.records) == 40
    assert {one.scenario_name for one in found.records} == {"Kind_1"}
    for record, ours in zip(found.records, written.records, strict=True):
        assert record.penalty == pytest.approx(RULES["bench2drive"](record), abs=1e-4)
        assert (record.status, record.driving_score) == (ours.score.status, ours.score.composed)


def test_scenarios_that_did_not_take_place_are_in_the_record(tmp_path):
    names = ("RouteScenario_1_rep0", "A_1", "save", "Town01")
    record = Record(*names, score([], 100.0), 1.0, 1.0, 1.0, skipped=("A_1: no kerb",))
    results = Results(tmp_path / "result.json", 1, records=[record])
    results.write(finished=True)
    (raw,) = json.loads(results.path.read_text())["_checkpoint"]["records"]
    assert skipped_scenarios(raw) == ("A_1: no kerb",)
    (read,) = read_results(results.path, name="ours", benchmark="builtin").records
    assert (read.status, read.driving_score) == ("Perfect", 100.0)


def test_the_totals(written):
    document = json.loads(written.path.read_text())
    totals, records = document["_checkpoint"]["global_record"], document["_checkpoint"]["records"]
    assert totals["scores_mean"]["score_composed"] == pytest.approx(
        sum(one["scores"]["score_composed"] for one in records) / 40, abs=1e-6
    )
    driven_km = sum(one["scores"]["score_route"] / 100 * 0.123457 for one in records)
    lights = sum(len(one["infractions"]["red_light"]) for one in records)
    assert totals["infractions"]["red_light"] == pytest.approx(lights / driven_km, rel=1e-3)
    outside = sum(len(one["infractions"]["outside_route_lanes"]) for one in records)
    assert totals["infractions"]["outside_route_lanes"] == pytest.approx(outside * 0.012345, abs=1e-3)
    assert document["values"][0] == str(totals["scores_mean"]["score_composed"])
    assert {one["weather_id"] for one in records} == {None}
    assert len(document["values"]) == len(document["labels"]) == 15
    assert document["_checkpoint"]["progress"] == [40, 40]
    assert (document["entry_status"], document["eligible"]) == ("Finished", True)


@pytest.mark.parametrize(
    ("completion", "kinds", "failure", "status"),
    [
        (100.0, (), "", "Perfect"),
        (100.0, (Kind.MIN_SPEED,), "", "Completed"),
        (100.0, (Kind.BLOCKED,), "", "Completed"),
        (99.0, (), "", "Failed"),
        (99.0, (Kind.BLOCKED,), "", "Failed - Agent got blocked"),
        (99.0, (Kind.DEVIATION,), "", "Failed - Agent deviated from the route"),
        (99.0, (Kind.ROUTE_TIMEOUT,), "", "Failed - Agent timed out"),
        (50.0, (), "TickRuntime", "Failed - TickRuntime"),
        (50.0, (Kind.RED_LIGHT,), "Agent crashed", "Failed - Agent crashed"),
    ],
)
def test_status_words(completion, kinds, failure, status):
    assert score([Event(kind, "x") for kind in kinds], completion, failure).status == status


def test_a_penalty_is_a_product():
    events = [Event(Kind.PEDESTRIAN, "a"), Event(Kind.PEDESTRIAN, "b"), Event(Kind.OUTSIDE, "c", 20.0)]
    found = score(events, 50.0)
    assert (found.penalty, found.composed, found.count) == (0.2, 10.0, 3)
