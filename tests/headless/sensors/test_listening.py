"""What a sensor says does not depend on who listened, or since when."""

from __future__ import annotations

import math
from typing import Any

import msgpack
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.contacts import CollisionEvent
from tests.headless.sensors.stage import Stage
from tests.headless.sensors.test_gnss import ROAD

TICKS = 40
LATE = 10
SENSORS: dict[str, dict[str, str]] = {
    "sensor.lidar.ray_cast": {"noise_stddev": "0.1", "noise_seed": "7", "rotation_frequency": "7", "range": "60"},
    "sensor.lidar.ray_cast_semantic": {"rotation_frequency": "7", "range": "60"},
    "sensor.other.imu": {"noise_seed": "3", "noise_accel_stddev_x": "0.2", "noise_gyro_stddev_z": "0.1"},
    "sensor.other.gnss": {"noise_seed": "5", "noise_lat_stddev": "0.5", "noise_alt_stddev": "0.1"},
    "sensor.other.collision": {},
    "sensor.other.obstacle": {"distance": "60", "hit_radius": "25"},
    "sensor.other.radar": {},
    "sensor.camera.rgb": {"image_size_x": "64", "image_size_y": "32"},
    "sensor.camera.dvs": {"image_size_x": "96", "image_size_y": "32"},
}
STILL = {"sensor.other.radar", "sensor.camera.rgb"}
Frames = dict[int, tuple[Any, bytes]]


def played(type_id: str, tick: str, first: int, *, last_id: int = 0, frame: int = 0) -> Frames:
    """A sensor on a car that speeds up in a curve behind another; what it says to a listener from tick ``first`` on.

    Args:
        type_id: Of the sensor.
        tick: Its ``sensor_tick``; empty for sensors without.
        first: Tick before which nobody listens.
        last_id: Of an earlier episode's actors.
        frame: At which that one ended.
    """
    stage = Stage(opendrive=ROAD.format("+lat_0=10 +lon_0=20"), last_id=last_id, frame=frame)
    suite = stage.suite(listened=lambda _stream: stage.frame >= first)
    car, other = stage.add("vehicle.tesla.model3"), stage.add("vehicle.audi.tt", (30.0, 1.0, 0.0))
    timed = {"sensor_tick": tick} if tick else {}
    mounting = Transform((1.0, 0.0, 1.8), (0.0, 20.0, 0.0))
    sensor = stage.add(type_id, parent=car.id, attachment=mounting, **SENSORS[type_id], **timed)
    frames: Frames = {}
    for k in range(TICKS):
        yaw, step_s = 2.0 * k, 0.05 if k % 3 else 0.04
        place = (0.02 * k * k, 0.01 * k, 0.5)
        car.transform = Transform(place, (0.0, yaw, 0.0))
        car.angular_velocity = (0.0, 0.0, 40.0 + k)
        sensor.transform = Transform((place[0] + math.cos(yaw), place[1], 2.3), (0.0, yaw + 20.0, 0.0))
        stage.events = [CollisionEvent(car, other, (float(k), 0.0, 0.0))]
        for stream, header, body in stage.step(suite, step_s):
            assert stream == sensor.stream_id
            frames[k + 1] = (header, body)
    return frames


@pytest.mark.parametrize(
    ("type_id", "tick"),
    [(type_id, tick) for type_id in SENSORS for tick in ("", "0.1", "0.12") if not (tick and "collision" in type_id)],
)
def test_a_late_listener_hears_what_an_early_one_hears(type_id: str, tick: str) -> None:
    early, late = played(type_id, tick, 1), played(type_id, tick, LATE)
    assert min(early) == 1  # the control: before that tick there was something to miss
    assert {frame: said for frame, said in early.items() if frame >= LATE} == late
    bodies = [body for _, body in late.values()]
    assert len(bodies) >= 10
    assert (len(set(bodies)) == 1) == (type_id in STILL)  # another: what is compared is not one frame for ever


@pytest.mark.parametrize("type_id", ["sensor.lidar.ray_cast", "sensor.other.imu", "sensor.other.gnss"])
def test_neither_ids_nor_frames_of_an_earlier_episode_matter(type_id: str) -> None:
    """Ids and frame numbers go on counting; the noise of a route that is driven again does not."""
    plain, again = played(type_id, "", 1), played(type_id, "", 1, last_id=500, frame=1000)
    assert [body for _, body in plain.values()] == [body for _, body in again.values()]


def test_an_imu_that_is_spawned_later_starts_anew_on_a_used_slot() -> None:
    stage = Stage()
    suite = stage.suite()
    keeper = stage.add("sensor.other.imu")
    old = stage.add("sensor.other.imu", (0.0, 0.0, 0.0))
    for k in range(4):
        old.transform = Transform((float(k * k), 0.0, 0.0))
        stage.step(suite)
    stage.remove(old)
    fresh = stage.add("sensor.other.imu", (500.0, 0.0, 0.0))
    assert stage.bodies.slots_of([fresh.id]) == [old.slot]
    for _ in range(4):
        said = {stream: msgpack.unpackb(body)[0] for stream, _, body in stage.step(suite)}
        assert said[fresh.stream_id] == said[keeper.stream_id] == pytest.approx([0.0, 0.0, 9.81])
