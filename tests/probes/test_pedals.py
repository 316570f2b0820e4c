"""Steering and pedals against a bicycle that is stepped here."""

from __future__ import annotations

import math
import statistics

import pytest
from probe_driving.pedals import Pedals, Wheel, lookahead, pursuit
from probe_driving.style import Style

from tests.probes.roads import circle

BASE_M, AXLE_M, DT = 2.86, 1.43, 0.05


def driven_sideways(radius: float, lock_deg: float, speed: float) -> list[float]:
    """Distances to the right of a circle's path, of a bicycle whose full lock the wheel does not know."""
    road, wheel = circle(radius), Wheel()
    x, y, yaw, rate, s, seen = 0.0, 0.0, 0.0, 0.0, 0.0, []
    for _ in range(4000):
        place = road.follow(x, y, s)
        s = place.s
        if s > road.length - 12.0:
            return seen
        seen.append(place.right)
        to_x, to_y = road.point(s + lookahead(speed, Style()), 0.0)
        dx, dy = to_x - x + 1.4 * math.cos(yaw), to_y - y + 1.4 * math.sin(yaw)
        angle = pursuit(dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw))
        steer = wheel.turn(angle, speed, rate)
        rate = speed * math.tan(steer * math.radians(lock_deg)) / BASE_M
        slip = math.atan2(AXLE_M * rate, speed)
        x += DT * speed * math.cos(yaw + slip)
        y += DT * speed * math.sin(yaw + slip)
        yaw += DT * rate
    raise AssertionError("it never came to the end")


@pytest.mark.parametrize("lock", [35.0, 50.0, 68.0])
@pytest.mark.parametrize(("radius", "speed"), [(7.0, 4.0), (25.0, 7.0), (100.0, 15.0)])
def test_it_keeps_to_the_path_whatever_the_lock(radius, speed, lock):
    seen = driven_sideways(radius, lock, speed)
    assert max(map(abs, seen)) < 0.9, "it leaves its lane"
    assert statistics.median(map(abs, seen[len(seen) // 2 :])) < 0.45


def test_it_keeps_speed_and_comes_to_stand():
    pedals, speed = Pedals(Style(), DT, "x"), 0.0
    speeds = []
    for tick in range(900):
        control = pedals.control(speed, 10.0 if tick < 500 else 0.0, 99.0, 0.0)
        assert not (control.throttle > 0.0 and control.brake > 0.0)
        speed = max(0.0, speed + DT * (5.0 * control.throttle - 8.0 * control.brake - 0.15 - 0.01 * speed))
        speeds.append(speed)
    assert speeds[300:500] == pytest.approx([10.0] * 200, abs=0.4)
    assert speeds[-100:] == [0.0] * 100
    assert control.brake > 0.3, "it holds the brake"


def test_the_leader_s_limit_goes_first():
    assert Pedals(Style(), DT, "x").control(10.0, 20.0, -6.0, 0.0).brake == pytest.approx(0.75)


def test_a_late_driver_does_now_what_was_right_then():
    late = Pedals(Style(reaction_s=0.5), DT, "x")
    free = [late.control(5.0, 20.0, 99.0, 0.0) for _ in range(20)]
    braked = [late.control(5.0, 20.0, -5.0, 0.0).brake > 0.0 for _ in range(15)]
    assert all(control.brake == 0.0 for control in free)
    assert braked == [False] * 10 + [True] * 5


def test_the_trembling_is_seeded_and_as_large_as_said():
    def steers(seed: str) -> list[float]:
        pedals = Pedals(Style(noise=0.05), DT, seed)
        return [pedals.control(5.0, 5.0, 99.0, 0.0).steer for _ in range(40000)]

    one = steers("a")
    assert one == steers("a")
    assert one != steers("b")
    assert statistics.pstdev(one) == pytest.approx(0.05, rel=0.1)
    assert statistics.correlation(one[:-1], one[1:]) == pytest.approx(math.exp(-DT), abs=0.01)
