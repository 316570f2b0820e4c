"""Crossing a stop line: every tick's tail against the line, by another construction."""

from __future__ import annotations

import random

import pytest

from bestrand_drive.evaluator.criteria.moment import Kind, forward
from bestrand_drive.evaluator.criteria.red_light import Light, RedLight, StopLine, segments_meet
from tests.evaluator.criteria.trajectories import drive, moment

HALF_M = 2.4


def light(x: float = 30.0, *, lane: int = -1, number: int = 5) -> Light:
    line = StopLine(1, lane, (x, 0.0, 0.0), 0.0, 3.5)
    return Light(number, (x, 4.0, 0.0), (x - 2.0, 0.0, 0.0), (line,))


def events(moments, *lights, red=lambda number: True, lane=(1, -1)):
    rule = RedLight(lights or (light(),), red, lambda place: lane, HALF_M)
    for one in moments:
        rule.update(one)
    return rule.events


@pytest.mark.parametrize("seed", range(200))
def test_segments_meet_as_the_solved_equations_say(seed):
    rng = random.Random(seed)
    a, b, c, d = ((rng.uniform(0, 4), rng.uniform(0, 4)) for _ in range(4))
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    cross = ux * vy - uy * vx
    s = ((c[0] - a[0]) * vy - (c[1] - a[1]) * vx) / cross
    t = ((c[0] - a[0]) * uy - (c[1] - a[1]) * ux) / cross
    assert segments_meet(a, b, c, d) is (0 <= s <= 1 and 0 <= t <= 1)


@pytest.mark.parametrize(("c", "d", "meet"), [((1, 0), (2, 0), True), ((3, 0), (4, 0), False), ((2, 0), (2, 5), True)])
def test_segments_on_each_other_and_at_their_ends(c, d, meet):
    assert segments_meet((0, 0), (2, 0), c, d) is meet


@pytest.mark.parametrize("speed", [1.0, 5.0, 13.9, 20.0])
def test_crossing_a_red_light_counts_once(speed):
    found = events(drive(speed, int(60 / speed / 0.05)))
    assert [event.kind for event in found] == [Kind.RED_LIGHT]
    assert found[0].message == "Agent ran a red light 5 at (x=30.0, y=4.0, z=0.0)"


def test_only_while_the_tail_is_over_the_line():
    """The front may stand beyond it: the infraction is to leave."""
    stop_before_tail = [moment(tick, 30.0 + 0.8 * HALF_M - 0.01, speed=0.0) for tick in range(50)]
    assert events(stop_before_tail) == []
    for over_m, count in ((0.8 * HALF_M + 0.01, 1), (HALF_M + 0.99, 1), (HALF_M + 1.01, 0)):
        assert len(events([moment(1, 30.0 + over_m)])) == count, over_m


@pytest.mark.parametrize("yaw", [0.0, 60.0, 90.0, -135.0])
@pytest.mark.parametrize(("aside_m", "count"), [(0.0, 1), (2.09, 1), (-2.09, 1), (2.11, 0), (-2.11, 0)])
def test_the_line_lies_across_its_lane_whichever_way_that_heads(yaw, aside_m, count):
    (ahead_x, ahead_y, _), (right_x, right_y, _) = forward(yaw), forward(yaw + 90.0)
    place = (30.0 * ahead_x, 30.0 * ahead_y, 0.0)
    turned = Light(5, place, place, (StopLine(1, -1, place, yaw, 3.5),))
    there = [
        moment(tick, 0.5 * tick * ahead_x + aside_m * right_x, 0.5 * tick * ahead_y + aside_m * right_y, yaw)
        for tick in range(100)
    ]
    assert len(events(there, turned)) == count


def test_green_and_yellow_do_not_count():
    assert events(drive(10.0, 100), red=lambda number: False) == []


def test_neither_another_lane_nor_the_other_way():
    assert events(drive(10.0, 100), lane=(1, -2)) == []
    back = [moment(tick, 60.0 - 0.5 * tick, yaw=180.0, speed=10.0) for tick in range(100)]
    assert events(back) == []


def test_beside_the_line():
    assert len(events(drive(10.0, 100, y=0.6 * 3.5 - 0.01))) == 1
    assert events(drive(10.0, 100, y=0.6 * 3.5 + 0.01)) == []


def test_two_lights_count_both_and_the_first_again_after_the_other():
    there_and_back = [*drive(10.0, 150), *drive(10.0, 150)]
    both = (light(30.0, number=5), light(55.0, number=6))
    assert [event.message.split()[5] for event in events(there_and_back, *both)] == ["5", "6", "5", "6"]
    assert len(events(there_and_back)) == 1


@pytest.mark.parametrize(("away_m", "count"), [(14.5, 1), (15.0, 0)])
def test_a_light_further_than_fifteen_metres_is_not_looked_at(away_m, count):
    """The tail crosses the line when the ego is 2 m beyond it."""
    far = Light(5, (30.0, 4.0, 0.0), (30.0, away_m, 0.0), light().lines)
    assert len(events(drive(10.0, 100), far)) == count


def test_lights_are_numbered_from_the_first_of_the_town():
    assert light(number=105).numbered(100) == light(number=5)
