"""The path's table against slow readings of the same line."""

from __future__ import annotations

import math
import random

import pytest

from tests.probes.roads import circle, lane, path, straight


@pytest.mark.parametrize("radius", [6.0, 20.0, 100.0])
def test_the_curvature_of_a_circle(radius):
    bend = circle(radius)
    middle = bend.curvature[5:-5]
    assert min(middle) == pytest.approx(1.0 / radius, rel=0.08)
    assert max(middle) == pytest.approx(1.0 / radius, rel=0.08)


def test_points_lie_a_metre_apart():
    bend = circle(15.0)
    gaps = [math.hypot(b - a, d - c) for a, b, c, d in zip(bend.x, bend.x[1:], bend.y, bend.y[1:], strict=False)]
    assert min(gaps) > 0.98
    assert max(gaps) < 1.0 + 1e-9


def test_places_are_those_of_the_nearest_point():
    bend, rng, compared = circle(25.0), random.Random(3), 0
    for _ in range(300):
        x, y = rng.uniform(-30, 30), rng.uniform(-5, 55)
        low, high = sorted((rng.uniform(0, bend.length), rng.uniform(0, bend.length)))
        near = min(
            (math.hypot(x - a, y - b), index)
            for index, (a, b) in enumerate(zip(bend.x, bend.y, strict=True))
            if low <= index <= high or index == 0
        )
        found = bend.place(x, y, low, high)
        inside = [index for index in range(len(bend.x)) if low <= index <= high]
        if inside and near[0] < 5.0 and near[1] in inside:
            assert found is not None
            assert found.point == near[1]
            compared += 1
        if found is not None:
            assert low <= found.point <= high
            assert math.hypot(x - bend.x[found.point], y - bend.y[found.point]) < 15.0
    assert compared > 30


def test_a_place_and_its_point_are_inverse():
    bend, rng = circle(30.0), random.Random(4)
    for _ in range(200):
        s, right = rng.uniform(2.0, bend.length - 2.0), rng.uniform(-3.0, 3.0)
        found = bend.place(*bend.point(s, right), 0.0, bend.length)
        assert found is not None
        assert found.s == pytest.approx(s, abs=0.15)
        assert found.right == pytest.approx(right, abs=0.05)


def test_following_stays_on_its_own_branch_where_the_path_crosses_itself():
    eight = path([(20.0 * math.sin(2 * t), 40.0 * math.sin(t)) for t in (0.02 * k for k in range(314))])
    s = 0.0
    for index in range(len(eight.x)):
        s = eight.follow(eight.x[index], eight.y[index], s).s
        assert s == pytest.approx(index, abs=0.6)


def test_past_the_end_it_goes_on_straight():
    road, s = straight(100), 90.0
    for x in range(90, 140):
        s = road.follow(float(x), 0.5, s).s
        assert s == pytest.approx(float(x))


def test_junctions_are_the_stretches_of_their_lanes():
    road = straight(100, lambda number: lane(junction=10 <= number < 15 or number >= 40))
    assert road.junctions == [(20.0, 30.0), (80.0, 100.0)]
