"""Speeds: equilibria of the car-following model, braking distances, bends."""

from __future__ import annotations

import itertools
import math

import pytest
from probe_driving.speeds import Speeds, before_stop, idm
from probe_driving.style import Style

from tests.probes.roads import circle, straight

STYLE = Style()


@pytest.mark.parametrize("speed", [0.0, 5.0, 15.0])
def test_the_gap_of_equilibrium_asks_for_nothing(speed):
    gap = STYLE.standstill_m + speed * STYLE.time_gap_s
    assert idm(speed, speed, gap, STYLE, STYLE.standstill_m) == pytest.approx(0.0)
    assert idm(speed, speed, 0.9 * gap, STYLE, STYLE.standstill_m) < 0.0
    assert idm(speed, speed, 1.1 * gap, STYLE, STYLE.standstill_m) > 0.0


@pytest.mark.parametrize("speed", [3.0, 8.0, 16.0])
def test_a_follower_stops_behind_what_stands_without_touching_it(speed):
    gap, v = 60.0, speed
    for _ in range(1200):
        v = max(0.0, v + 0.05 * min(STYLE.accel_m_s2, idm(v, 0.0, gap, STYLE, STYLE.standstill_m)))
        gap -= 0.05 * v
        assert gap > 0.8 * STYLE.standstill_m
    assert v < 0.01
    assert gap < STYLE.standstill_m + 0.2


@pytest.mark.parametrize("room", [0.5, 5.0, 40.0])
def test_one_stops_in_the_room_that_is_left(room):
    speed, left, hardest = before_stop(room, 3.0), room, 0.0
    while speed > 0.05:
        slower = before_stop(left, 3.0)
        hardest, speed = max(hardest, (speed - slower) / 0.002), slower
        left -= 0.002 * speed
    assert left > -0.05
    assert hardest < 3.0
    assert before_stop(-1.0, 3.0) == 0.0


def test_bends_are_taken_no_faster_than_is_comfortable_and_braked_for_in_time():
    bend = circle(20.0)
    speeds = [Speeds(bend, STYLE).wanted(float(s), 200.0) for s in range(len(bend.x))]
    limit = math.sqrt(STYLE.lateral_m_s2 * 20.0)
    assert max(speeds[8:-8]) < 1.06 * limit
    for one, two in itertools.pairwise(speeds):
        assert (one**2 - two**2) / 2.0 <= STYLE.brake_m_s2 + 1e-6


def test_limits_and_own_speeds():
    road = straight()
    assert Speeds(road, Style(speed_share=0.5)).wanted(10.0, 72.0) == pytest.approx(10.0)
    assert Speeds(road, Style(speed_m_s=7.0)).wanted(10.0, 30.0) == 7.0
    assert Speeds(road, Style(top_m_s=9.0)).wanted(10.0, 300.0) == 9.0
    blind = Speeds(circle(6.0), Style(slows_in_curves=False, speed_m_s=12.0))
    assert blind.wanted(10.0, 50.0) == 12.0
