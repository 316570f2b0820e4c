"""How driven vehicles choose speed and heading, simulated alone and behind others."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from bestrand_drive.evaluator.following import Body, Lead, acceleration, crossing_lead, lead_on_path, nearer, yaw_rate
from bestrand_drive.evaluator.path import Path

STEP_S = 0.05


class Place:
    """What has a place."""

    def __init__(self, x, y):
        self.x, self.y, self.z = x, y, 0.0


def path_of(places):
    return Path([Place(x, y) for x, y in places])


STRAIGHT = path_of([(float(x), 0.0) for x in range(0, 201, 2)])


def car(number, x, y, vx=0.0, vy=0.0):
    return Body(number, x, y, vx, vy, 2.3, 1.0)


def test_alone_it_reaches_its_speed_and_keeps_it():
    speed = 0.0
    for _ in range(1200):
        speed = max(speed + acceleration(speed, 12.0, None, 3.0) * STEP_S, 0.0)
    assert speed == pytest.approx(12.0, abs=0.05)


@pytest.mark.parametrize("start_speed", [3.0, 10.0, 20.0])
def test_it_stops_behind_what_stands_without_touching(start_speed):
    speed, gap = start_speed, 15.0 + start_speed**2 / 4.0
    for _ in range(1600):
        speed = max(speed + acceleration(speed, 15.0, Lead(gap, 0.0), 3.0) * STEP_S, 0.0)
        gap -= speed * STEP_S
        assert gap > 0.3
    assert speed < 0.05
    assert gap < 4.0


def test_behind_a_slower_one_it_keeps_the_models_distance():
    """Equilibrium: gap = (2.5 + 1.2 v) / sqrt(1 - (v / v0)^4)."""
    speed, gap = 10.0, 60.0
    for _ in range(4000):
        speed = max(speed + acceleration(speed, 15.0, Lead(gap, 8.0), 3.0) * STEP_S, 0.0)
        gap += (8.0 - speed) * STEP_S
    assert speed == pytest.approx(8.0, abs=0.02)
    assert gap == pytest.approx((2.5 + 1.2 * 8.0) / math.sqrt(1 - (8.0 / 15.0) ** 4), rel=0.02)


def test_braking_has_a_limit():
    assert acceleration(20.0, 15.0, Lead(0.0, 0.0), 3.0) == -8.0


@pytest.mark.parametrize("seed", range(50))
def test_the_lead_is_the_nearest_on_the_path(seed):
    rng = random.Random(seed)
    own = car(1, 50.0, 0.0, 8.0)
    others = [car(number, rng.uniform(0, 120), rng.choice((-3.5, -1.5, 0.0, 1.0, 3.5)), 3.0) for number in range(2, 8)]
    found = lead_on_path(STRAIGHT, 25, own, [own, *others])
    ahead = [one.x - 50.0 for one in others if 1.1 < one.x - 50.0 < 44.0 and abs(one.y) < 2.0]
    if ahead:
        assert found.gap_m == pytest.approx(max(min(ahead) - 4.6, 0.0), abs=1.01)  # places lie 2 m apart
        assert found.speed == pytest.approx(3.0)
    elif all(not (abs(one.y) < 2.31 and 0.9 < one.x - 50.0 < 46.0) for one in others):
        assert found is None


def test_who_crosses_first_is_let_pass():
    own = car(1, 20.0, 0.0, 8.0)
    crossing = car(2, 36.0, -8.0, 0.0, 6.0)
    found = crossing_lead(STRAIGHT, 10, own, 8.0, [own, crossing])
    assert found is not None
    assert 0.0 < found.gap_m < 16.0
    for harmless in (
        car(2, 36.0, -8.0, 0.0, -6.0),  # away
        car(2, 36.0, -8.0),  # standing
        car(2, 36.0, -30.0, 0.0, 6.0),  # far too late
        car(2, 36.0, 0.0, 6.0, 0.0),  # along the path: that is following
    ):
        assert crossing_lead(STRAIGHT, 10, own, 8.0, [own, harmless]) is None


def test_an_oncoming_car_that_will_turn_across_is_let_pass():
    """What matters is where it goes, not where it heads now."""
    own, oncoming = car(1, 20.0, 0.0, 8.0), car(2, 50.0, -3.5, -8.0)
    assert crossing_lead(STRAIGHT, 10, own, 8.0, [own, oncoming]) is None
    track = ((46.0, -3.5), (42.0, -2.5), (39.0, 0.0), (39.0, 4.0), (39.0, 8.0))
    turning = replace(oncoming, track=track)
    found = crossing_lead(STRAIGHT, 10, own, 8.0, [own, turning])
    assert found is not None
    assert found.gap_m < 19.0


def test_the_nearer_lead_wins():
    one, other = Lead(5.0, 0.0), Lead(4.0, 9.0)
    assert nearer(one, other) is other
    assert nearer(None, one) is one
    assert nearer(None, None) is None


def simulate(path, speed, ticks, x=0.0, y=0.0, yaw=0.0):
    """As the server moves it: velocity along the heading, yaw rate for one step. The largest distance to the path."""
    index, worst = 0, 0.0
    for tick in range(ticks):
        index = path.advance(index, x, y)
        speed_now = min(speed, path.limits[index])
        rate = yaw_rate(path, index, x, y, yaw, speed_now)
        middle = math.radians(yaw + 0.5 * rate * STEP_S)
        x, y = x + speed_now * STEP_S * math.cos(middle), y + speed_now * STEP_S * math.sin(middle)
        yaw += rate * STEP_S
        if tick > 60 and index < len(path) - 2:
            worst = max(worst, path.nearest(x, y, 0, math.inf)[1])
    return worst, index


@pytest.mark.parametrize("radius", [8.0, 20.0, 60.0])
def test_it_stays_on_bends(radius):
    straight = [(float(x), 0.0) for x in range(30)]
    bend = [
        (30.0 + radius * math.sin(a / radius), radius * (1 - math.cos(a / radius))) for a in range(int(radius * 1.5))
    ]
    path = path_of(straight + bend)
    worst, index = simulate(path, 15.0, 1200)
    assert worst < 0.9  # the places of the path lie 1 m apart
    assert index >= len(path) - 3


def test_it_comes_back_to_its_path():
    worst, _ = simulate(STRAIGHT, 8.0, 400, y=1.5, yaw=20.0)
    assert worst < 1.3


def test_bends_are_taken_at_what_the_tyres_like_and_braked_for_in_time():
    radius = 10.0
    bend = [(60.0 + radius * math.sin(a / radius), radius * (1 - math.cos(a / radius))) for a in range(15)]
    path = path_of([(float(x), 0.0) for x in range(60)] + bend)
    slowest = min(path.limits)
    assert slowest == pytest.approx(math.sqrt(2.5 * radius), rel=0.1)
    where = path.limits.index(slowest)
    for index in range(where):
        away = path.metres[where] - path.metres[index]
        assert path.limits[index] <= math.sqrt(slowest**2 + 2 * 2.0 * away) + 1e-9
