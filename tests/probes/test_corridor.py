"""Who is in the way, against drives that are played out in small steps."""

from __future__ import annotations

import math
import random

import pytest
from probe_driving.corridor import Motion, crossing, neighbours, sees
from probe_driving.style import Style

from tests.probes.roads import circle, straight, thing

EXACT = Style(gap_s=0.0, side_m=0.0, horizon_s=4.0)


def motion(s: float = 20.0, speed: float = 8.0, wanted: float = 8.0) -> Motion:
    return Motion(s, 2.4, 1.0, speed, wanted, 2.5)


def test_the_time_to_a_distance_is_that_of_the_played_drive():
    for speed, wanted in ((0.0, 8.0), (4.0, 12.0), (8.0, 8.0), (12.0, 6.0)):
        one, gone, now, time = motion(0.0, speed, wanted), 0.0, min(speed, wanted), 0.0
        compared = set()
        while gone < 60.0:
            now = min(wanted, now + 0.001 * 2.5)
            gone, time = gone + 0.001 * now, time + 0.001
            if abs(gone - round(gone / 10.0) * 10.0) < 0.0005 * now:
                assert one.reaches(gone) == pytest.approx(time, abs=0.02)
                compared.add(round(gone))
        assert {10, 20, 30, 40, 50} <= compared


def meets(walker, me: Motion) -> tuple[bool, bool]:
    """Whether boxes overlap surely, or surely do not, while a walker crosses and we go on."""
    nearest = math.inf
    for tick in range(int(4.0 / 0.01)):
        x, y = walker.x + walker.vx * 0.01 * tick, walker.y + walker.vy * 0.01 * tick
        s = me.s + me.speed * 0.01 * tick
        nearest = min(nearest, max(abs(x - s) - me.half_length, abs(y) - me.half_width))
    return nearest < -0.6, nearest > 2.6  # foreseen in steps, in which a walker goes up to a metre


def test_walkers_who_will_be_hit_are_seen_and_others_are_not():
    road, rng, hit, missed = straight(), random.Random(5), 0, 0
    for _ in range(3000):
        walker = thing("walker", rng.uniform(25, 70), rng.choice((-1, 1)) * rng.uniform(2.0, 9.0))
        angle, pace = rng.uniform(0, 2 * math.pi), rng.uniform(0.6, 4.0)
        walker.vx, walker.vy, walker.speed = pace * math.cos(angle), pace * math.sin(angle), pace
        if abs(walker.vx) > 0.85 * pace:
            continue
        surely, never = meets(walker, motion())
        found = crossing(road, walker, motion(), EXACT)
        if surely and abs(walker.y) < 4.5:
            hit += 1
            assert found is not None
        elif never:
            missed += 1
            assert found is None
    assert min(hit, missed) > 30


def test_patience_shortens_gaps():
    road = straight()
    car = thing("vehicle", 45.0, -24.0, vy=9.0)
    wary = Style(gap_s=2.0)
    assert crossing(road, car, motion(), wary) is not None
    me = motion(20.0, 0.0, 8.0)
    late = thing("vehicle", 26.0, -30.0, vy=9.0)
    assert crossing(road, late, me, wary) is not None
    assert crossing(road, late, me, wary, patience=0.0) is None


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_traffic_beside_us_is_not_in_the_way(direction):
    road = circle(40.0)
    for s in (25.0, 40.0, 60.0):
        x, y = road.point(s, -3.6)
        index = road.index(s)
        car = thing("vehicle", x, y, vx=8 * direction * road.tx[index], vy=8 * direction * road.ty[index])
        car.turn = direction * 8.0 / 43.6
        assert crossing(road, car, motion(15.0), Style(gap_s=0.0, side_m=0.3)) is None


def test_boxes_are_seen_along_the_path():
    road = straight()
    across = thing("vehicle", 50.0, 1.0, cos=0.0, sin=1.0)
    (one,) = neighbours(road, [across], 20.0, Style())
    assert (one.s, one.right) == (50.0, 1.0)
    assert (one.rear, one.front) == pytest.approx((49.0, 51.0))
    assert one.half_across == pytest.approx(2.4)
    assert one.overlaps(0.0, 1.0)
    assert not one.overlaps(-2.5, 1.0)


def test_what_a_style_does_not_see_is_not_there():
    blind = Style(sees_props=False, sees_walkers=False)
    things = [thing("static", 40, 0), thing("walker", 42, 0), thing("vehicle", 44, 0)]
    assert [sees(blind, one) for one in things] == [False, False, True]
    assert [one.thing for one in neighbours(straight(), things, 20.0, blind)] == [things[2]]
