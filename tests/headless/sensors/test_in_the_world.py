"""Sensors in the real world: the same drive says the same, to whoever listens from when on, and when it is repeated."""

from __future__ import annotations

import pytest

pytest.importorskip("carla")

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.blueprints.catalog import load_catalog
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.sensors.suite import SensorSuite
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.world.controls import VehicleControl
from bestrand_drive.headless.world.world import World
from tests.headless.world.mini import MINI_XODR

NOISY = {
    "sensor.lidar.ray_cast": {"noise_stddev": "0.05", "sensor_tick": "0.1"},
    "sensor.other.imu": {"noise_accel_stddev_x": "0.1", "noise_seed": "4"},
    "sensor.other.gnss": {"noise_alt_stddev": "0.1", "sensor_tick": "0.15"},
}
Frames = dict[tuple[str, int], bytes]


def drive(world: World, first: int, reseed: str = "0") -> Frames:
    """A new episode; body of each frame by sensor and tick, for a listener from tick ``first`` on."""
    world.load_opendrive(MINI_XODR)
    begin = world.frame
    suite = SensorSuite(world, load_version("0.9.16"), lambda _stream: world.frame - begin >= first)
    car = world.spawn("vehicle.tesla.model3", {}, Transform((20.0, 1.75, 0.5)))
    world.spawn("vehicle.audi.tt", {}, Transform((40.0, 1.75, 0.5)))
    world.apply_vehicle_control(car.id, VehicleControl(0.7, 0.1))
    names = {}
    for type_id, values in NOISY.items():
        given = {name: (3, value) for name, value in ({"noise_seed": reseed} | values).items()}
        names[world.spawn(type_id, given, Transform((0.0, 0.0, 2.0)), parent=car.id).stream_id] = type_id
    frames: Frames = {}
    for tick in range(1, 31):
        world.tick()
        frames |= {(names[stream], tick): b"".join(pieces)[48:] for stream, pieces in suite.frames()}
    return frames


@pytest.fixture(scope="module")
def worlds() -> list[World]:
    return [World(MapLibrary([]), load_catalog(), 0) for _ in range(2)]


def test_two_servers_one_heard_from_tick_1_one_from_tick_10(worlds: list[World]) -> None:
    early, late = drive(worlds[0], 1), drive(worlds[1], 10)
    assert {name for name, _ in late} == set(NOISY)
    assert late == {key: body for key, body in early.items() if key[1] >= 10}
    assert len(early) > len(late)
    other = drive(worlds[1], 10, reseed="9")
    assert late.keys() == other.keys()
    assert all(late[key] != other[key] for key in late if "imu" not in key[0])  # the noise is there


def test_a_second_episode_of_one_server_says_what_the_first_said(worlds: list[World]) -> None:
    assert drive(worlds[0], 1) == drive(worlds[0], 1)
