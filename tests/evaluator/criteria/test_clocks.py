"""Speed checkpoints, standing, leaving the route, and the route's time."""

from __future__ import annotations

import json
import math
import random

import pytest

from bestrand_drive.evaluator.criteria.blocked import Blocked
from bestrand_drive.evaluator.criteria.deviation import Deviation
from bestrand_drive.evaluator.criteria.min_speed import MinSpeed
from bestrand_drive.evaluator.criteria.moment import Kind, Way, at, forward
from bestrand_drive.evaluator.criteria.route_timeout import RouteTimeout
from tests.evaluator.criteria.trajectories import STEP_S, drive, moment, straight, winding


def percents(rule):
    return [event.percent for event in rule.events]


@pytest.mark.parametrize(("ego", "traffic", "percent"), [(5.0, 10.0, 50.0), (12.0, 8.0, 150.0), (9.0, 7.0, 128.57)])
def test_speed_in_percent_of_the_traffic_at_twenty_checkpoints(ego, traffic, percent):
    rule = MinSpeed(straight(500))
    for one in drive(ego, int(500 / ego / STEP_S) + 2):
        rule.update(one, traffic)
    rule.end(by_rule=False)
    assert percents(rule) == [percent] * len(rule.events)
    assert len(rule.events) in (19, 20)
    assert rule.events[0].message == f"Average speed is {percent}% of the surrounding traffic's one"


def test_each_checkpoint_looks_back_to_the_one_before():
    rule = MinSpeed(straight(400))
    for one in [*drive(5.0, 800), *drive(10.0, 400, start=200.0)]:
        rule.update(one, 10.0)
    found = percents(rule)
    assert found[:9] + found[11:] == [50.0] * 9 + [100.0] * (len(found) - 11)
    assert len(found) == 19


def test_only_ticks_with_traffic_are_averaged():
    rule = MinSpeed(straight(2000))
    for one in drive(10.0, 250):
        rule.update(one, None if one.place[0] < 50 else 20.0)
    assert percents(rule) == [50.0]


def test_without_traffic_all_is_well():
    rule = MinSpeed(straight(200))
    for one in drive(10.0, 300):
        rule.update(one, None)
    assert set(percents(rule)) == {100.0}
    assert "is 100%" in rule.events[0].message


@pytest.mark.parametrize(
    ("reached_m", "by_rule", "last"), [(96.5, True, 2), (96.5, False, 1), (94.0, True, 0), (94.0, False, 0)]
)
def test_the_last_checkpoint_is_taken_near_the_end_only_and_twice_when_a_rule_ends_the_drive(reached_m, by_rule, last):
    rule = MinSpeed(straight(100))
    for one in drive(10.0, round(reached_m / 10.0 / STEP_S)):
        rule.update(one, 8.0)
    before = len(rule.events)
    for _ in range(2):  # an evaluator may end its rules twice
        rule.end(by_rule=by_rule)
        assert percents(rule)[before:] == [125.0] * last


@pytest.mark.parametrize("policy", ["VAD", "ORION", "UniAD-Base"])
def test_real_results_have_the_last_checkpoint_twice(shared_data, policy):
    """The official evaluator's own files: the reason for the rule above."""
    (path,) = (shared_data / "bench2drive" / "results" / policy).glob("*.json")
    records = json.loads(path.read_text())["_checkpoint"]["records"]
    ended = [one for one in records if one["status"] in ("Completed", "Perfect")]
    messages = [one["infractions"]["min_speed_infractions"] for one in ended]
    assert len(messages) > 90
    assert all(one[-1] == one[-2] for one in messages if len(one) > 1)


def ticks_until_blocked(speeds, **options):
    rule = Blocked()
    for tick, speed in enumerate(speeds, 1):
        rule.update(moment(tick, 0.0, speed=speed), **options)
        if rule.failed:
            return tick
    return None


def test_standing_for_more_than_a_minute_blocks():
    assert ticks_until_blocked([0.0] * 1300) in (1201, 1202)
    assert ticks_until_blocked([0.09] * 1300) in (1201, 1202)
    assert ticks_until_blocked([0.1] * 1300) is None


def test_a_short_move_starts_the_clock_again():
    assert ticks_until_blocked([0.0] * 1000 + [1.0] + [0.0] * 1195) is None
    assert ticks_until_blocked([0.0] * 1000 + [1.0] + [0.0] * 1210) in (2201, 2202)


def test_the_clock_stands_while_a_scenario_keeps_the_time():
    assert ticks_until_blocked([0.0] * 2000, suspended=True) is None


def test_being_blocked_is_told_once():
    rule = Blocked()
    for tick in range(2000):
        rule.update(moment(tick, 3.0, speed=0.0))
    assert [(event.kind, event.message) for event in rule.events] == [
        (Kind.BLOCKED, "Agent got blocked at (x=3.0, y=0.0, z=0.0)")
    ]


def deviates(offsets):
    """First metre at which it leaves the route, which is told once."""
    rule, left = Deviation(straight(len(offsets))), None
    for index, y in enumerate(offsets):
        rule.update(moment(index, float(index), y))
        left = index if rule.failed and left is None else left
    assert [event.kind for event in rule.events] == [Kind.DEVIATION] * (left is not None)
    return left


@pytest.mark.parametrize(("y", "fails"), [(29.9, False), (30.1, True), (-30.1, True)])
@pytest.mark.parametrize("first_m", [0, 20])
def test_thirty_metres_beside_the_route(y, fails, first_m):
    assert deviates([0.0] * first_m + [y] * 25 + [0.0] * 75) == (first_m if fails else None)


@pytest.mark.parametrize(("y", "share", "fails"), [(15.1, 0.28, False), (15.1, 0.33, True), (14.9, 0.9, False)])
def test_fifteen_metres_beside_for_a_third_of_the_way(y, share, fails):
    metres = int(200 * share)
    assert (deviates([0.0] * 20 + [y] * metres + [0.0] * (180 - metres)) is not None) is fails


@pytest.mark.parametrize("seed", range(10))
def test_leaving_a_winding_route_against_all_distances(seed):
    """A drive that follows the way, then leaves it straight: it fails when all points in reach are too far."""
    rng = random.Random(seed)
    way = winding(rng, 80)
    leave = rng.randrange(20, 60)
    rule, index, place = Deviation(way), 0, way.places[0]
    for tick in range(200):
        if tick <= leave:
            place = way.places[tick]
        else:
            place = (place[0] + 0.7 * way.ahead[leave][1], place[1] - 0.7 * way.ahead[leave][0], 0.0)
        window = range(index, min(index + 6, len(way)))
        apart = {i: math.dist(place[:2], way.places[i][:2]) for i in window}
        index = max(i for i in window if apart[i] == min(apart.values()))
        rule.update(moment(tick, place[0], place[1]))
        assert rule.failed or apart[index] < 30.0
        if rule.failed:
            break
    assert rule.failed
    assert apart[index] >= 15.0


@pytest.mark.parametrize(("limit_m_s", "allowed_s"), [(20.0, 350.0), (5.0, 500.0), (0.0, 300.0)])
def test_the_route_may_take_five_minutes_and_ten_times_the_driving_time(limit_m_s, allowed_s):
    """100 m at a tenth of the limit; where no limit is known the five minutes alone."""
    rule, late = RouteTimeout(straight(100)), None
    for one in drive(50.0, 45):
        rule.update(one, limit_m_s)
    for tick in range(46, 11_000):
        rule.update(moment(tick, 150.0, speed=0.0), limit_m_s)
        late = tick * STEP_S if rule.failed and late is None else late
    assert late == pytest.approx(allowed_s, abs=1.5 * STEP_S)
    assert [event.kind for event in rule.events] == [Kind.ROUTE_TIMEOUT]


def test_a_way_knows_its_metres_and_what_lies_behind_on_a_slope():
    way = Way([(0.0, 0.0, 0.0), (3.0, 4.0, 0.0), (3.0, 4.0, 12.0)], [forward(0.0, 45.0)] * 3)
    assert way.metres == [0.0, 5.0, 17.0]
    assert [way.passed(0, place) for place in ((1.0, 0.0, -0.9), (1.0, 0.0, -1.1))] == [True, False]


def test_places_are_told_to_the_millimetre():
    assert at((1.23456, -2.0, 0.0004)) == "(x=1.235, y=-2.0, z=0.0)"
