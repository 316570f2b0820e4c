"""Leaving a stop sign's box with and without having stood in it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bestrand_drive.evaluator.criteria.moment import Kind
from bestrand_drive.evaluator.criteria.stop_sign import StopSign, StopSigns
from tests.evaluator.criteria.trajectories import drive, moment

SIGN = StopSign(9, (30.0, 5.0, 0.0), (30.0, 0.0, 0.0), (1.0, 1.5))
AT_M = (30.0 - 4.0, 30.0 + 1.2)
"""The box counts while the ego's lane point is within 4 m before it and until it has left it, 1.2 times as large."""


def lane_ahead(place):
    """A lane along x."""
    return [(place[0] + 0.5 * step, 0.0, 0.0) for step in range(9)], 0.0


def events(moments, *signs):
    rule = StopSigns(signs or (SIGN,), lane_ahead)
    for one in moments:
        rule.update(one)
    return rule.events


def stopping(where_m: float, ticks: int = 1):
    """Drive up, stand there, drive on."""
    before = [one for one in drive(5.0, 400) if one.place[0] < where_m]
    start = len(before)
    standing = [moment(start + tick, where_m, speed=0.0) for tick in range(1, ticks + 1)]
    after = [moment(start + ticks + tick, where_m + 0.25 * tick) for tick in range(1, 200)]
    return [*before, *standing, *after]


@pytest.mark.parametrize("speed", [0.2, 2.0, 8.0, 15.0])
def test_driving_through_counts_once(speed):
    found = events(drive(speed, int(60 / speed / 0.05)))
    assert [(event.kind, event.message) for event in found] == [
        (Kind.STOP, "Agent ran a stop with id=9 at (x=30.0, y=5.0, z=0.0)")
    ]


@pytest.mark.parametrize("seed", range(30))
def test_standing_anywhere_in_the_box_is_enough(seed):
    rng = random.Random(seed)
    inside = rng.uniform(AT_M[0] + 0.3, AT_M[1] - 0.3)
    outside = rng.choice((rng.uniform(10.0, AT_M[0] - 0.3), rng.uniform(AT_M[1] + 0.3, 50.0)))
    assert events(stopping(inside, ticks=2)) == []
    assert len(events(stopping(outside, ticks=2))) == 1


def test_creeping_is_not_standing():
    slow = [moment(tick, 20.0 + 0.0055 * tick, speed=0.11) for tick in range(2500)]
    assert len(events(slow)) == 1


def test_beside_the_lane_and_far_away():
    for beyond_m, count in ((-0.01, 1), (0.01, 0)):
        aside = StopSign(9, (30.0, 5.0, 0.0), (30.0, 1.2 * 1.5 + beyond_m, 0.0), (1.0, 1.5))
        assert len(events(drive(8.0, 150), aside)) == count
    beyond = StopSign(9, (30.0, 5.0, 0.0), (30.0, 4.1, 0.0), (5.0, 5.0))
    assert events(drive(8.0, 150), beyond) == []


def test_backwards_and_against_the_lane():
    backwards = [moment(tick, 50.0 - 0.2 * tick, speed=-4.0) for tick in range(200)]
    assert events(backwards) == []
    against = [moment(tick, 50.0 - 0.2 * tick, yaw=180.0, speed=4.0) for tick in range(200)]
    assert events(against) == []


def test_a_sign_is_charged_again_only_after_another():
    other = StopSign(10, (60.0, 5.0, 0.0), (60.0, 0.0, 0.0), (1.0, 1.5))
    twice = [*drive(8.0, 200), *drive(8.0, 200)]
    assert len(events(twice)) == 1
    assert [event.message.split("id=")[1].split()[0] for event in events(twice, SIGN, other)] == ["9", "10", "9", "10"]


def test_signs_are_numbered_from_the_first_of_the_town():
    assert replace(SIGN, number=109).numbered(100) == SIGN


def test_the_map_is_asked_only_near_a_sign():
    asked = []

    def counted(place):
        asked.append(place[0])
        return lane_ahead(place)

    rule = StopSigns((SIGN,), counted)
    for one in drive(8.0, 200):
        rule.update(one)
    assert asked
    assert all(abs(x - 30.0) < 15.0 for x in asked)
