"""The separating axis test against clipping polygons, and the sweeps against every pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.headless.world.boxes import Boxes, overlap
from bestrand_drive.headless.world.sweep import near_pairs, overlapping_pairs

COORDINATE = st.floats(-4.0, 4.0)
SIZE = st.floats(0.2, 3.0)
BOX = st.tuples(COORDINATE, COORDINATE, st.floats(-180.0, 180.0), SIZE, SIZE)


def boxes(*rows: tuple[float, float, float, float, float]) -> Boxes:
    x, y, yaw, length, width = np.array(rows, dtype=np.float64).T
    flat = np.zeros_like(x)
    return Boxes(x, y, flat, np.cos(np.radians(yaw)), np.sin(np.radians(yaw)), length, width, flat + 1.0)


def corners(row: tuple[float, float, float, float, float]) -> np.ndarray:
    x, y, yaw, length, width = row
    c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    local = np.array([(length, width), (length, -width), (-length, -width), (-length, width)])
    return local @ np.array([(c, s), (-s, c)]) + (x, y)


def gap_on_axes(first: np.ndarray, second: np.ndarray) -> float:
    """Smallest overlap of the projections over all edge normals of both polygons."""
    best = np.inf
    for polygon in (first, second):
        for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            normal = np.array([-(b - a)[1], (b - a)[0]]) / np.linalg.norm(b - a)
            p, q = first @ normal, second @ normal
            best = min(best, max(p.max() - q.min(), 0) and p.max() - q.min(), q.max() - p.min())
            if p.max() < q.min() or q.max() < p.min():
                return min(best, -max(q.min() - p.max(), p.min() - q.max()))
    return float(best)


@given(BOX, BOX)
def test_boxes_touch_when_no_edge_separates_them(one: tuple, two: tuple) -> None:
    found = float(overlap(boxes(one), boxes(two)).depth[0])
    expected = gap_on_axes(corners(one), corners(two))
    if abs(expected) > 1e-6:
        assert (found > 0.0) == (expected > 0.0)


@given(BOX, BOX)
def test_moving_apart_by_depth_along_the_normal_separates(one: tuple, two: tuple) -> None:
    found = overlap(boxes(one), boxes(two))
    depth = float(found.depth[0])
    if depth <= 0.0:
        return
    shift = (depth + 1e-6) * np.array([found.normal_x[0], found.normal_y[0]])
    moved = (two[0] + shift[0], two[1] + shift[1], *two[2:])
    assert float(overlap(boxes(one), boxes(moved)).depth[0]) <= 1e-9
    assert np.hypot(found.normal_x[0], found.normal_y[0]) == pytest.approx(1.0)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0, 9)), max_size=40))
def test_the_sweep_finds_every_overlapping_pair_once(intervals: list[tuple[float, float]]) -> None:
    low = np.array([start for start, _ in intervals])
    high = np.array([start + size for start, size in intervals])
    first, second = overlapping_pairs(low, high)
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    count = len(intervals)
    expected = {(i, j) for i in range(count) for j in range(i + 1, count) if low[i] <= high[j] and low[j] <= high[i]}
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(st.lists(st.floats(-50, 50), max_size=20), st.lists(st.floats(-50, 50), max_size=20), st.floats(0, 20))
def test_near_pairs_are_those_within_reach(places: list[float], targets: list[float], reach: float) -> None:
    ordered = np.sort(np.array(targets, dtype=np.float64))
    owner, target = near_pairs(np.array(places, dtype=np.float64), ordered, reach)
    found = set(zip(owner.tolist(), target.tolist(), strict=True))
    for i, place in enumerate(places):
        for j, other in enumerate(ordered):
            if abs(abs(place - other) - reach) > 1e-9:
                assert ((i, j) in found) == (abs(place - other) < reach)


def test_normals_point_from_the_first_to_the_second() -> None:
    found = overlap(boxes((0, 0, 0, 2, 1)), boxes((3.5, 0.2, 0, 2, 1)))
    assert (float(found.normal_x[0]), float(found.normal_y[0])) == (1.0, 0.0)
    assert float(found.depth[0]) == pytest.approx(0.5)
