"""The real client and its sensors."""

import math
from itertools import pairwise

import pytest

pytestmark = pytest.mark.client

GAP_TICKS = 4  # 0.2 s at 20 Hz


@pytest.fixture
def readings(client, release, kept):
    if release.version not in kept:
        kept[release.version] = client("readings")
    return kept[release.version]


def test_every_sensor_speaks_at_its_tick(readings):
    expected = [readings["first"] + GAP_TICKS * number for number in range(11)]
    assert readings["frames"] == dict.fromkeys(readings["frames"], expected)
    assert len(readings["frames"]) == 9


def test_gnss_tells_where_it_is(readings):
    latitude, longitude, height = readings["last"]["other.gnss"]
    assert [latitude, longitude] == pytest.approx(readings["there"][:2], abs=1e-8)
    assert height == pytest.approx(readings["there"][2], abs=1e-3)


def test_a_standing_imu_feels_gravity_and_knows_north(readings):
    acceleration, turning, compass = readings["last"]["other.imu"]
    assert acceleration == pytest.approx([0, 0, 9.81], abs=0.05)
    assert turning == pytest.approx([0, 0, 0], abs=1e-3)
    assert math.cos(compass - math.radians(readings["heading_deg"] + 90)) == pytest.approx(1, abs=1e-4)


def test_an_imu_feels_speed_and_turns(client):
    rows = client("inertia")
    assert len(rows) == 40
    speeds = [row[0] for row in rows]
    gained = [(after - before) / 0.05 for before, after in pairwise(speeds[5:])]
    assert [row[2] for row in rows[6:]] == pytest.approx(gained, abs=0.3)  # forward
    assert [row[7] for row in rows] == pytest.approx([math.radians(row[1]) for row in rows], abs=1e-4)
    assert rows[-1][3] > 0.1  # to the right


def test_an_obstacle_sensor_sees_the_vehicle_ahead(readings):
    other, distance = readings["last"]["other.obstacle"]
    assert other == readings["other"]
    assert distance == pytest.approx(readings["gap_m"], abs=0.6)  # the sphere's radius


def test_a_radar_claims_nothing_though_a_vehicle_is_ahead(readings):
    radar = readings["last"]["other.radar"]
    assert radar["bytes"] == 16 * len(radar["echoes"])
    assert [echo for echo in radar["echoes"] if echo != [0, 0, 0, 0]] == []
    assert 5 < readings["gap_m"] < 20  # within the range of every radar


@pytest.mark.parametrize(("name", "size"), [("lidar.ray_cast", 16), ("lidar.ray_cast_semantic", 24)])
def test_lidars_see_the_ground_and_the_vehicle_ahead(readings, name, size):
    cloud = readings["last"][name]
    assert cloud["channels"] == 16
    assert cloud["counted"] == cloud["points"] > 200
    assert cloud["bytes"] == size * cloud["points"]
    nearest = readings["gap_m"] + 2.4  # from the roof, at the middle of the vehicle behind
    assert cloud["ahead"] == pytest.approx(nearest, abs=0.5)


def test_a_lidar_measures_within_its_range(readings):
    cloud = readings["last"]["lidar.ray_cast"]
    assert 5 < cloud["furthest"] <= 40.01
    low, high = cloud["intensity"]
    assert 0 < low <= high <= 1


def test_a_semantic_lidar_names_what_it_hits(readings):
    cloud = readings["last"]["lidar.ray_cast_semantic"]
    assert [readings["other"], 14] in cloud["seen"]
    assert any(actor == 0 for actor, _ in cloud["seen"])


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("camera.rgb", [320, 160, 100]),
        ("camera.depth", [64, 32, 90]),
        ("camera.semantic_segmentation", [64, 32, 90]),
    ],
)
def test_cameras_deliver_images_of_their_size(readings, name, size):
    image = readings["last"][name]
    assert image["size"] == size
    assert image["bytes"] == 4 * size[0] * size[1]


def test_a_camera_shows_words_on_a_dark_ground_only(readings):
    values = readings["last"]["camera.rgb"]["values"]
    assert len(values) == 3  # ground, words, alpha
    assert values[-1] == 255


def test_both_parties_of_a_crash_feel_it(client):
    found = client("crash")
    (frame, (other, impulse)), (frame2, (other2, impulse2)) = (said[0] for said in found["said"])
    assert [other2, other] == found["ids"]
    assert frame == frame2
    assert frame <= found["frame"]
    along = sum(a * b for a, b in zip(impulse, found["forward"], strict=True))
    assert along < -1000  # N s: what is behind is pushed back
    assert impulse2 == pytest.approx([-value for value in impulse])
    assert found["speed"] > 2


def test_lane_invasion_works_at_the_client(client):
    crossed = client("lane_marks")
    assert len(crossed) >= 1
    assert all(mark != "NONE" for marks in crossed for mark in marks)
