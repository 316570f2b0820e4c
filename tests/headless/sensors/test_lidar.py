"""Lidars against a brute-force ray caster that knows nothing of windows, grids and slabs."""

from __future__ import annotations

import math
from struct import unpack_from
from typing import Any

import numpy as np
import pytest

from bestrand_drive.headless.actor import Actor
from tests.headless.sensors.stage import Stage

SEMANTIC = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("cosine", "<f4"), ("id", "<u4"), ("tag", "<u4")])
PLAIN = {"dropoff_general_rate": "0.0", "dropoff_intensity_limit": "0.0"}


def decode(body: bytes, row: Any) -> tuple[float, list[int], np.ndarray]:
    """Horizontal angle, points of each channel, points."""
    angle, channels = unpack_from("<fI", body)
    counts = list(unpack_from(f"<{channels}I", body, 8))
    points = np.frombuffer(body, dtype=row, offset=8 + 4 * channels)
    assert len(points) == sum(counts)
    return angle, counts, points


def turn(rotation: tuple[float, float, float]) -> np.ndarray:
    """The rotation built from three elementary ones, yaw after pitch after roll."""
    (cp, sp), (cy, sy), (cr, sr) = ((math.cos(a), math.sin(a)) for a in map(math.radians, rotation))
    yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    pitch = np.array([[cp, 0, -sp], [0, 1, 0], [sp, 0, cp]])
    roll = np.array([[1, 0, 0], [0, cr, sr], [0, -sr, cr]])
    return yaw @ pitch @ roll


def face_hits(start: np.ndarray, ray: np.ndarray, actor: Actor) -> list[tuple[float, float]]:
    """Distance and cosine of each face of the actor's box that a ray crosses, from plane equations in the world."""
    axes = turn(actor.transform.rotation)
    centre = np.array(actor.transform.location) + axes @ np.array(actor.box_centre)
    hits = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = sign * axes[:, axis]
            face = centre + normal * actor.extent[axis]
            slope = float(ray @ normal)
            if abs(slope) < 1e-12:
                continue
            distance = float((face - start) @ normal) / slope
            inside = axes.T @ (start + distance * ray - centre)
            if distance > 0 and all(abs(inside[k]) <= actor.extent[k] + 1e-9 for k in range(3) if k != axis):
                hits.append((distance, abs(slope)))
    return hits


def brute(stage: Stage, sensor: Actor, elevation: float, azimuth: float) -> tuple[float, float, int, int] | None:
    """Distance, cosine, id and tag of what one ray (radians) meets first."""
    start = np.array(sensor.transform.location)
    local = [math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation)]
    ray = turn(sensor.transform.rotation) @ np.array(local)
    found = []
    for actor in stage.actors.values():
        if actor is sensor:
            continue
        hits = face_hits(start, ray, actor)
        if len(hits) == 2:  # one face in, one out: the sensor is outside
            distance, cosine = min(hits)
            found.append((distance, cosine, actor.id, actor.semantic_tag))
    if stage.ground is not None and ray[2] < 0:
        found.append(((stage.ground - start[2]) / ray[2], -float(ray[2]), 0, 1))
    return min(found, default=None)


def crowd(stage: Stage, seed: int, count: int, half_m: float) -> None:
    random = np.random.default_rng(seed)
    kinds = ["vehicle.tesla.model3", "walker.pedestrian.0001", "static.prop.streetbarrier", "static.prop.brickwall",
             "vehicle.carlamotors.firetruck", "vehicle.bh.crossbike"]  # fmt: skip
    for k in range(count):
        x, y = random.uniform(-half_m, half_m, 2).tolist()
        rotation = (random.uniform(-20, 20), random.uniform(-180, 180), 90.0 if k % 6 == 3 else random.uniform(-9, 9))
        stage.add(kinds[k % len(kinds)], (x, y, float(random.uniform(0, 1))), rotation)


@pytest.mark.parametrize(
    ("seed", "rotation", "height", "fov"),
    [
        (0, (0.0, 0.0, 0.0), 2.5, "360.0"),
        (1, (3.0, 140.0, -4.0), 1.7, "360.0"),
        (2, (-60.0, 20.0, 70.0), 6.0, "360.0"),
        (3, (0.0, -90.0, 0.0), 2.0, "120.0"),
        (4, (89.0, 10.0, 0.0), 4.0, "360.0"),
    ],
)
def test_semantic_points_are_what_brute_force_finds(seed: int, rotation: Any, height: float, fov: str) -> None:
    stage = Stage()
    crowd(stage, seed, 24, 25.0)
    lidar = stage.add("sensor.lidar.ray_cast_semantic", (0.3, -0.2, height), rotation, channels="16", range="60.0",
                      points_per_second="12800", rotation_frequency="20.0", upper_fov="15.0", lower_fov="-25.0",
                      horizontal_fov=fov)  # fmt: skip
    _, counts, points = decode(stage.body(stage.suite()), SEMANTIC)
    expected, per_channel = [], []
    for channel in range(16):
        elevation = math.radians(15.0 - channel * 40.0 / 15.0)
        before = len(expected)
        for step in range(40):
            azimuth = math.radians(float(fov) / 40 * step - float(fov) / 2)
            hit = brute(stage, lidar, elevation, azimuth)
            if hit is not None and hit[0] <= 60.0:
                expected.append((elevation, azimuth, *hit))
        per_channel.append(len(expected) - before)
    assert counts == per_channel
    assert len({row[4] for row in expected}) > 4  # the scene is worth testing
    for point, (elevation, azimuth, distance, cosine, owner, tag) in zip(points, expected, strict=True):
        flat = distance * math.cos(elevation)
        place = (flat * math.cos(azimuth), flat * math.sin(azimuth), distance * math.sin(elevation))
        assert (point["x"], point["y"], point["z"]) == pytest.approx(place, abs=1e-4)
        assert (point["id"], point["tag"]) == (owner, tag)
        assert point["cosine"] == pytest.approx(cosine, abs=1e-5)


def test_a_whole_spin_of_points_and_their_intensity() -> None:
    stage = Stage()
    stage.add("sensor.lidar.ray_cast", (0.0, 0.0, 2.0), channels="4", range="50.0", points_per_second="4000",
              rotation_frequency="10.0", upper_fov="-10.0", lower_fov="-40.0", **PLAIN)  # fmt: skip
    suite = stage.suite()
    angles = []
    for step_s in (0.05, 0.05, 0.02, 0.03, 0.05):
        angle, counts, points = decode(stage.body(suite, step_s), np.dtype(("<f4", 4)))
        angles.append(angle)
        assert counts == [1000 * step_s] * 4
        np.testing.assert_allclose(points[:, 2], -2.0, atol=1e-5)
        distances = np.linalg.norm(points[:, :3], axis=1)
        np.testing.assert_allclose(points[:, 3], np.exp(-0.004 * distances), rtol=1e-5)
    assert angles == pytest.approx([math.pi * turns for turns in (1.0, 0.0, 0.4, 1.0, 0.0)], abs=1e-6)


@pytest.mark.parametrize("step_s", [0.02, 0.05, 0.08])
def test_the_first_spin_starts_behind_whatever_the_step(step_s: float) -> None:
    stage = Stage()
    stage.add("sensor.lidar.ray_cast_semantic", (0.0, 0.0, 2.0), channels="1", upper_fov="-30", range="20")
    point = decode(stage.body(stage.suite(), step_s), SEMANTIC)[2][0]
    assert (point["x"], point["y"]) == pytest.approx((-2.0 / math.tan(math.radians(30.0)), 0.0), abs=1e-5)


def test_half_a_turn_a_tick_sees_one_side() -> None:
    stage = Stage()
    stage.add("sensor.lidar.ray_cast", (0.0, 0.0, 2.0), **PLAIN)
    suite = stage.suite()
    sides = [decode(stage.body(suite), np.dtype(("<f4", 4)))[2][:, 1] for _ in range(2)]
    assert min(map(len, sides)) > 100
    assert (sides[0] <= 1e-3).all()
    assert (sides[1] >= -1e-3).all()


def test_dropoff_keeps_the_share_that_it_says() -> None:
    stage = Stage()
    for general, zero in (("0.45", "0.0"), ("0.0", "0.4"), ("0.45", "0.4")):
        stage.add("sensor.lidar.ray_cast", (0.0, 0.0, 2.0), upper_fov="-30.0", lower_fov="-30.0", channels="1",
                  range="100.0", points_per_second="400000", dropoff_general_rate=general,
                  dropoff_zero_intensity=zero, dropoff_intensity_limit="1.1")  # fmt: skip
    shares = [decode(body, np.dtype(("<f4", 4)))[1][0] / 20000 for _, _, body in stage.step(stage.suite())]
    kept = 1 - 0.4 + 0.4 * math.exp(-0.004 * 4.0) / 1.1
    assert shares == pytest.approx([0.55, kept, 0.55 * kept], abs=0.015)


def test_noise_runs_along_the_ray_and_repeats() -> None:
    def points(seed: str) -> list[np.ndarray]:
        stage = Stage()
        stage.add("sensor.lidar.ray_cast", (0.0, 0.0, 2.0), noise_stddev="0.1", noise_seed=seed, range="60.0",
                  dropoff_intensity_limit="0.0", dropoff_general_rate="0.0", upper_fov="-20.0",
                  lower_fov="-30.0")  # fmt: skip
        suite = stage.suite()
        return [decode(stage.body(suite), np.dtype(("<f4", 4)))[2] for _ in range(2)]

    first, again, other = points("3"), points("3"), points("4")
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert not (first[0] == other[0]).all()
    lengths = np.linalg.norm(first[0][:, :3], axis=1)
    directions = first[0][:, :3] / lengths[:, None]
    error = lengths - -2.0 / directions[:, 2]
    assert error.std() == pytest.approx(0.1, rel=0.1)
    assert abs(error.mean()) < 0.01


def test_noise_does_not_depend_on_who_listened_to_other_sensors() -> None:
    def last(listen_to_both: bool) -> bytes:
        stage = Stage()
        stage.add("sensor.lidar.ray_cast", (0.0, 0.0, 2.0))
        wanted = stage.add("sensor.lidar.ray_cast", (5.0, 0.0, 2.0))
        suite = stage.suite(listened=lambda stream: listen_to_both or stream == wanted.stream_id)
        return [body for _ in range(3) for stream, _, body in stage.step(suite) if stream == wanted.stream_id][-1]

    assert last(True) == last(False)


def test_its_own_vehicle_is_transparent_from_inside_only() -> None:
    inside, above = Stage(), Stage()
    for stage, height in ((inside, 0.7), (above, 2.0)):
        car = stage.add("vehicle.tesla.model3")
        stage.add("sensor.lidar.ray_cast_semantic", (0.0, 0.0, height), parent=car.id)
    seen = [set(decode(stage.body(stage.suite()), SEMANTIC)[2]["id"].tolist()) for stage in (inside, above)]
    assert seen == [{0}, {0, 1}]


def test_the_ground_tilts_with_the_vehicle() -> None:
    stage = Stage(ground=0.0)
    car = stage.add("vehicle.tesla.model3", rotation=(10.0, 0.0, 0.0))
    stage.add("sensor.lidar.ray_cast_semantic", (0.0, 0.0, 5.0), (10.0, 0.0, 0.0), parent=car.id, range="100.0",
              upper_fov="-20.0", lower_fov="-20.0", channels="1", rotation_frequency="20.0")  # fmt: skip
    points = decode(stage.body(stage.suite()), SEMANTIC)[2]
    road = points[points["id"] == 0]
    assert len(road) > 1000
    np.testing.assert_allclose(road["z"], -5.0 * math.cos(math.radians(10.0)), atol=1e-4)


@pytest.mark.parametrize("where", ["no ground, no parent", "no ground, a parent", "under the ground"])
def test_places_without_ground(where: str) -> None:
    stage = Stage(ground=10.0 if where == "under the ground" else None)
    car = stage.add("vehicle.tesla.model3", (0.0, 0.0, 1.0)) if where == "no ground, a parent" else None
    stage.add("sensor.lidar.ray_cast", (0.0, 0.0, 4.0), parent=car.id if car else 0, range="50.0", **PLAIN)
    points = decode(stage.body(stage.suite()), np.dtype(("<f4", 4)))[2]
    if car is None:
        assert len(points) == 0
    else:
        assert points[:, 2].min() == pytest.approx(-3.0, abs=1e-5)  # the plane on which the parent stands


@pytest.mark.parametrize(
    ("attributes", "rays"),
    [
        ({"points_per_second": "0"}, 0),
        ({"range": "0"}, 0),
        ({"channels": "1", "upper_fov": "-20"}, 2800),
        ({"horizontal_fov": "0", "upper_fov": "-20"}, 2800),
        ({"rotation_frequency": "0", "upper_fov": "-20"}, 2800),
        ({"points_per_second": "1e7", "sensor_tick": "100", "upper_fov": "-20"}, 1_000_000),
    ],
)
def test_the_ends_of_the_limits_give_frames(attributes: dict[str, str], rays: int) -> None:
    """Rays that look down all hit the ground, so that points count rays; of one span there are never over a million."""
    stage = Stage()
    stage.add("sensor.lidar.ray_cast_semantic", (0.0, 0.0, 2.0), **attributes)
    assert len(decode(stage.body(stage.suite()), SEMANTIC)[2]) == pytest.approx(rays, rel=0.01)
