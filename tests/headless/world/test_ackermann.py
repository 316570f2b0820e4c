"""The Ackermann controller reaches and holds what it is asked for."""

import math
from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.ackermann import AckermannDriver, DriveLimits, Pid
from bestrand_drive.headless.world.controls import AckermannControl, AckermannSettings, VehicleControl
from tests.headless.world.reading import record

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World


LIMITS = DriveLimits(1.0, 5.0, 9.0)


def car(world: "World") -> int:
    return world.spawn("vehicle.tesla.model3", {}, Transform((20.0, 1.75, 0.0))).id


def test_pid_sums_its_three_parts() -> None:
    pid = Pid(0.5, 0.1, 0.2)
    assert pid.run(1.0, 0.0, 0.1) == pytest.approx(0.5 + 0.01)
    assert pid.run(1.0, 0.5, 0.1) == pytest.approx(0.25 + 0.015 - 0.2 * 5.0)


@pytest.mark.parametrize("target", [5.0, 12.0])
def test_it_reaches_and_holds_a_speed(world: "World", target: float) -> None:
    actor = car(world)
    world.apply_ackermann(actor, AckermannControl(speed=target))
    speeds = []
    for _ in range(500):
        world.tick()
        speeds.append(math.hypot(*world.actor(actor).velocity[:2]))
        if world.actor(actor).transform.location[0] > 180.0:
            world.set_transform(actor, Transform((20.0, 1.75, 0.0)))
    assert speeds[-1] == pytest.approx(target, abs=0.4)
    assert max(speeds) < 1.35 * target


def test_it_stops_and_then_goes_backwards(world: "World") -> None:
    actor = car(world)
    world.set_target_velocity(actor, (6.0, 0.0, 0.0))
    world.apply_ackermann(actor, AckermannControl(speed=-3.0))
    for _ in range(400):
        world.tick()
    assert world.actor(actor).velocity[0] == pytest.approx(-3.0, abs=0.5)
    assert record(world, actor, "vehicle")["reverse"]


def test_a_stop_holds_the_brake(world: "World") -> None:
    actor = car(world)
    world.apply_ackermann(actor, AckermannControl(speed=0.0))
    for _ in range(20):
        world.tick()
    assert record(world, actor, "vehicle")["brake"] == 1.0
    assert world.actor(actor).velocity[0] == 0.0


def test_the_wheels_turn_no_faster_than_asked() -> None:
    driver = AckermannDriver(target=AckermannControl(steer=0.5, steer_speed=0.2))
    angles = [driver.control(5.0, LIMITS, 0.05).steer for _ in range(60)]
    assert angles[:3] == pytest.approx([0.01, 0.02, 0.03])
    assert angles[-1] == pytest.approx(0.5)
    driver.target = AckermannControl(steer=-3.0)
    assert driver.control(5.0, LIMITS, 0.05).steer == -1.0


def test_a_vehicle_control_takes_over(world: "World") -> None:
    actor = car(world)
    world.apply_ackermann(actor, AckermannControl(speed=9.0))
    world.tick()
    world.apply_vehicle_control(actor, VehicleControl(brake=1.0))
    for _ in range(60):
        world.tick()
    assert record(world, actor, "vehicle")["brake"] == 1.0
    assert world.actor(actor).velocity[0] == 0.0


def test_gains_can_be_read_and_changed(world: "World") -> None:
    actor = car(world)
    assert world.ackermann_settings(actor) == AckermannSettings()
    gains = AckermannSettings(speed_kp=0.3)
    world.apply_ackermann(actor, AckermannControl(speed=3.0))
    world.apply_ackermann_settings(actor, gains)
    assert world.ackermann_settings(actor) == gains
    assert world.fleet.ackermann[actor].settings == gains
