"""The separating axis test against clipping polygons, and the sweeps against every pair."""

import carla
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.bodies import Bodies
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
    assert len(found) == len(owner)
    for i, place in enumerate(places):
        for j, other in enumerate(ordered):
            if abs(abs(place - other) - reach) > 1e-9:
                assert ((i, j) in found) == (abs(place - other) < reach)


def test_normals_point_from_the_first_to_the_second() -> None:
    found = overlap(boxes((0, 0, 0, 2, 1)), boxes((3.5, 0.2, 0, 2, 1)))
    assert (float(found.normal_x[0]), float(found.normal_y[0])) == (1.0, 0.0)
    assert float(found.depth[0]) == pytest.approx(0.5)


ANGLE = st.floats(-180.0, 180.0)
EXTENT = (2.0, 1.0, 0.25)
CENTRE = (0.5, -0.3, 0.4)


def of_body(pitch: float, yaw: float, roll: float) -> Boxes:
    bodies = Bodies()
    slot = bodies.add(1, Transform((10.0, -20.0, 3.0), (pitch, yaw, roll)), EXTENT, CENTRE)
    return Boxes.of(bodies, np.array([slot]))


def corners_of_body(pitch: float, yaw: float, roll: float) -> np.ndarray:
    """The eight corners as carla has them, seen along the box of ``of_body``: ahead, aside, above its centre."""
    place = carla.Transform(carla.Location(10.0, -20.0, 3.0), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))
    box = carla.BoundingBox(carla.Location(*CENTRE), carla.Vector3D(*EXTENT))
    found = of_body(pitch, yaw, roll)
    x, y, z = np.array([(v.x, v.y, v.z) for v in box.get_world_vertices(place)]).T
    dx, dy, cos, sin = x - found.x[0], y - found.y[0], found.cos[0], found.sin[0]
    return np.array([dx * cos + dy * sin, dy * cos - dx * sin, z - found.z[0]])


@given(st.floats(-89.0, 89.0), ANGLE, ANGLE)
def test_a_tilted_box_holds_all_its_corners_and_no_more(pitch: float, yaw: float, roll: float) -> None:
    if max(abs(pitch), abs(roll)) <= 20.0:
        return
    found, corners = of_body(pitch, yaw, roll), corners_of_body(pitch, yaw, roll)
    sizes = [found.length[0], found.width[0], found.height[0]]
    assert np.abs(corners).max(axis=1) == pytest.approx(sizes, abs=1e-4)
    assert np.hypot(found.cos[0], found.sin[0]) == pytest.approx(1.0)
    heading = np.radians(yaw)
    assert found.cos[0] * np.cos(heading) + found.sin[0] * np.sin(heading) > 0.7


@pytest.mark.parametrize(
    ("rotation", "sizes"),
    [
        ((0.0, 0.0, 90.0), (2.0, 0.25, 1.0)),  # length, width, height of a board put on its side
        ((0.0, 35.0, -90.0), (2.0, 0.25, 1.0)),
        ((90.0, 0.0, 0.0), (0.25, 1.0, 2.0)),
        ((0.0, 60.0, 180.0), (2.0, 1.0, 0.25)),
    ],
)
def test_a_box_on_its_side_keeps_its_own_sizes(
    rotation: tuple[float, float, float], sizes: tuple[float, float, float]
) -> None:
    found = of_body(*rotation)
    sizes_found = [found.length[0], found.width[0], found.height[0]]
    assert sorted(sizes_found[:2]) == pytest.approx(sorted(sizes[:2]), abs=1e-9)
    assert sizes_found[2] == pytest.approx(sizes[2])


@given(st.floats(-20.0, 20.0), ANGLE, st.floats(-20.0, 20.0))
def test_the_tilt_of_a_slope_changes_nothing(pitch: float, yaw: float, roll: float) -> None:
    found, level = of_body(pitch, yaw, roll), of_body(0.0, yaw, 0.0)
    assert all(getattr(found, name) == getattr(level, name) for name in Boxes.__dataclass_fields__)


def test_tilted_and_level_boxes_together_are_what_each_is_alone() -> None:
    bodies = Bodies()
    rotations = [(0.0, 10.0, 0.0), (0.0, 20.0, 90.0), (5.0, 30.0, 0.0), (60.0, 40.0, 10.0)]
    slots = [
        bodies.add(k, Transform((10.0, -20.0, 3.0), rotation), EXTENT, CENTRE) for k, rotation in enumerate(rotations)
    ]
    together = Boxes.of(bodies, np.array(slots))
    for k, rotation in enumerate(rotations):
        alone = of_body(*rotation)
        for name in Boxes.__dataclass_fields__:
            assert getattr(together, name)[k] == pytest.approx(getattr(alone, name)[0]), (rotation, name)
