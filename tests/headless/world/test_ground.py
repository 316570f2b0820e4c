"""Falling, settling, slopes, and vehicles away from every road."""

import math
from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.controls import VehicleControl
from tests.headless.world.reading import record

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CAR = "vehicle.tesla.model3"


def car(world: "World", x: float, y: float, z: float, yaw: float = 0.0) -> int:
    return world.spawn(CAR, {}, Transform((x, y, z), (0.0, yaw, 0.0))).id


def test_a_vehicle_spawned_above_the_road_falls_onto_it(world: "World") -> None:
    actor = car(world, 50.0, 1.75, 1.0)
    heights = []
    for _ in range(20):
        world.tick()
        heights.append(world.actor(actor).transform.location[2])
    assert 0.9 < heights[0] < 1.0
    assert sorted(heights, reverse=True) == heights
    assert heights[-1] == 0.0
    assert world.actor(actor).velocity[2] == 0.0


def test_a_vehicle_spawned_a_little_too_low_is_lifted(world: "World") -> None:
    actor = car(world, 50.0, 1.75, -0.4)
    world.tick()
    assert world.actor(actor).transform.location[2] == 0.0


@pytest.mark.parametrize(("yaw", "y", "sign"), [(0.0, 1.75, 1.0), (180.0, -1.75, -1.0)])
def test_pitch_follows_the_slope_and_the_heading(world: "World", yaw: float, y: float, sign: float) -> None:
    actor = car(world, 300.0, y, 5.0, yaw)
    world.tick()
    place = world.actor(actor).transform
    assert place.rotation[0] == pytest.approx(sign * math.degrees(math.atan(0.05)), abs=0.02)
    assert place.rotation[2] == 0.0
    assert place.location[2] == pytest.approx(5.0, abs=0.01)


def test_height_is_smooth_while_driving_uphill(world: "World") -> None:
    actor = car(world, 190.0, 1.75, 0.0)
    world.set_target_velocity(actor, (12.0, 0.0, 0.0))
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.5))
    for _ in range(120):
        world.tick()
        x, _, z = world.actor(actor).transform.location
        assert z == pytest.approx(max(0.05 * (x - 200.0), 0.0), abs=0.06)
    assert x > 230.0


def test_a_parked_vehicle_does_not_roll_off_a_slope(world: "World") -> None:
    actor = car(world, 300.0, 1.75, 5.0)
    for _ in range(60):
        world.tick()
    assert world.actor(actor).transform.location[0] == pytest.approx(300.0, abs=0.01)


def test_off_every_road_a_vehicle_keeps_its_height(world: "World") -> None:
    actor = car(world, 50.0, 60.0, 4.0)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.5))
    for _ in range(40):
        world.tick()
    assert world.actor(actor).transform.location[2] == 4.0
    assert world.actor(actor).transform.location[0] > 51.0


def test_a_vehicle_hidden_far_below_the_road_stays_there(world: "World") -> None:
    actor = car(world, 50.0, 1.75, -500.0)
    for _ in range(10):
        world.tick()
    assert world.actor(actor).transform.location[2] == -500.0


def test_without_gravity_it_floats(world: "World") -> None:
    actor = car(world, 50.0, 1.75, 2.0)
    world.set_enable_gravity(actor, False)
    world.set_target_velocity(actor, (0.0, 0.0, 1.0))
    for _ in range(20):
        world.tick()
    assert world.actor(actor).transform.location[2] == pytest.approx(3.0)


def test_a_transform_puts_a_vehicle_into_the_air_and_it_falls_again(world: "World") -> None:
    actor = car(world, 50.0, 1.75, 0.0)
    world.tick()
    world.set_transform(actor, Transform((80.0, 1.75, 0.25), (0.0, 0.0, 0.0)))
    world.tick()
    assert 0.2 < world.actor(actor).transform.location[2] < 0.25
    for _ in range(10):
        world.tick()
    assert world.actor(actor).transform.location[2] == 0.0


def test_the_speed_limit_is_that_of_the_lane(world: "World") -> None:
    slow, fast = car(world, 100.0, 1.75, 0.0), car(world, 350.0, 1.75, 7.5)
    world.tick()
    limits = [record(world, actor, "vehicle")["speed_limit"] for actor in (slow, fast)]
    assert limits == pytest.approx([48.28, 72.0], abs=0.01)
