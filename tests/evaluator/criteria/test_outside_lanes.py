"""Metres driven outside, on a made-up road of two lanes that runs along x, with a junction from 40 to 50."""

from __future__ import annotations

import random

import pytest

from bestrand_drive.evaluator.criteria.moment import Kind
from bestrand_drive.evaluator.criteria.outside_lanes import Lane, OutsideLanes
from tests.evaluator.criteria.trajectories import moment, straight

WIDTH_M = 3.5


def look(place):
    """Lane -1 around y = 0 along x, lane 1 around y = -3.5 against it."""
    x, y, _ = place
    oncoming = y < -WIDTH_M / 2
    centre = -WIDTH_M if oncoming else 0.0
    is_junction = 40.0 <= x < 50.0
    lane = Lane(2 if is_junction else 1, 1 if oncoming else -1, 180.0 if oncoming else 0.0, is_junction)
    return lane, abs(y - centre) > WIDTH_M / 2 + 0.5


def judged(moments, **options):
    rule = OutsideLanes(straight(), look, moments[0].place)
    for one in moments:
        rule.update(one, **options)
    return rule


def along(offset, yaw=lambda x: 0.0):
    """At 5 m/s from 0.1 to 99.9, ``offset(x)`` beside the lane."""
    return [moment(tick, 0.1 + 0.25 * tick, offset(0.1 + 0.25 * tick), yaw(0.1 + 0.25 * tick)) for tick in range(400)]


def wrong_metres(offset):
    """By points: each point's metre counts when it is passed outside; in junctions the oncoming lane is nobody's."""
    ticks = along(offset)
    total = 0
    for metre in range(1, 101):
        passing = next((one for one in ticks if one.place[0] > metre), None)
        if passing is not None:
            lane, off = look(passing.place)
            total += off or (lane.lane_id == 1 and not lane.is_junction)
    return total


def test_in_its_lane():
    assert judged(along(lambda x: 0.0)).events == []


@pytest.mark.parametrize("seed", range(20))
def test_stretches_beside_the_road_and_on_the_oncoming_lane(seed):
    rng = random.Random(seed)
    start, length, beside = rng.uniform(2, 30), rng.uniform(2, 8), rng.choice((2.5, -3.5, 4.0, 2.3))
    again = rng.uniform(55, 80)

    def offset(x):
        return beside if start < x < start + length or again < x < again + length else 0.0

    event = judged(along(offset)).events[0]
    metres = wrong_metres(offset)
    assert event.kind is Kind.OUTSIDE
    assert event.message.startswith(f"Agent went outside its route lanes for about {float(metres)} meters (")
    assert event.percent == pytest.approx(metres / 99 * 100)  # the last point is not passed
    assert f"({round(event.percent, 2)}% of the completed route)" in event.message


def test_half_a_metre_over_the_edge_is_allowed():
    assert judged(along(lambda x: WIDTH_M / 2 + 0.49)).events == []
    assert judged(along(lambda x: WIDTH_M / 2 + 0.51)).events[0].percent == pytest.approx(100.0)


def test_the_oncoming_lane_while_it_is_allowed_but_never_beside_the_road():
    assert judged(along(lambda x: -3.5 if x > 10 else 0.0), wrong_way_allowed=True).events == []
    assert judged(along(lambda x: 2.5 if x > 10 else 0.0), wrong_way_allowed=True).events


def test_after_a_junction_the_heading_tells():
    """Out of the junction onto the oncoming lane: wrong by the ego's angle with it, not by how it got there."""
    into_oncoming = along(lambda x: -3.5 if x > 45 else 0.0)
    assert judged(into_oncoming).events[0].percent == pytest.approx(50 / 99 * 100, abs=1.1)
    for yaw, wrong in ((59.0, True), (61.0, False), (-59.0, True), (-61.0, False)):
        turned = along(lambda x: -3.5 if x > 45 else 0.0, yaw=lambda x, yaw=yaw: yaw)
        assert bool(judged(turned).events) is wrong, yaw


def test_starting_on_the_oncoming_lane_is_right_until_the_lane_changes():
    """The rule knows only changes: who is put there is taken to be right, and wrong after changing over."""
    event = judged(along(lambda x: -3.5 if x < 10 else 0.0)).events[0]
    assert event.percent == pytest.approx(30 / 99 * 100, abs=1.1), "until the junction"


@pytest.mark.parametrize(("turn", "wrong"), [(149.0, False), (151.0, True), (-149.0, False), (-151.0, True)])
@pytest.mark.parametrize("yaw", [0.0, 170.0, -170.0])
def test_a_jump_of_the_lanes_heading_turns_right_into_wrong(yaw, turn, wrong):
    """As lanes give headings, between -180 and 180 degrees."""

    def bent(place):
        after = place[0] > 50.0
        heading = yaw + turn if after else yaw
        return Lane(2 if after else 1, -1, (heading + 180.0) % 360.0 - 180.0, is_junction=False), False

    rule = OutsideLanes(straight(), bent, (0.0, 0.0, 0.0))
    for one in along(lambda x: 0.0):
        rule.update(one)
    assert bool(rule.events) is wrong


def test_who_jumps_is_charged_no_more_than_three_points_at_a_time():
    rule = OutsideLanes(straight(), lambda _: (Lane(1, -1, 0.0, is_junction=False), True), (0.0, 0.0, 0.0))
    for tick in range(2):
        rule.update(moment(tick, 99.0))
    assert rule.events[0].message.startswith("Agent went outside its route lanes for about 6.0 meters")
