"""The bicycle: against a scalar reference written from the formulas, and against what a car must do."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.controls import PhysicsControl, VehicleControl, Wheel
from bestrand_drive.headless.world.errors import WorldError
from tests.headless.world.reading import record

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CAR = "vehicle.tesla.model3"
DT = 0.05


def car(world: "World", x: float = 50.0, y: float = 1.75, yaw: float = 0.0) -> int:
    return world.spawn(CAR, {}, Transform((x, y, 0.0), (0.0, yaw, 0.0))).id


def speed(world: "World", actor_id: int) -> float:
    return math.hypot(*world.actor(actor_id).velocity[:2])


def run(world: "World", seconds: float) -> None:
    for _ in range(round(seconds / DT)):
        world.tick()


def reference(steps: int, control: VehicleControl, limits: "object") -> tuple[float, float, float, float]:
    """x, y, yaw (rad), speed of a bicycle from rest on flat ground, one scalar at a time."""
    x = y = yaw = u = slip = 0.0
    curve = ([0, 20, 60, 120], [1.0, 0.9, 0.8, 0.7])
    lim = limits
    for _ in range(steps):
        drive = control.throttle * lim.max_accel * min(max(1 - u / lim.max_speed, 0), 1)  # type: ignore[attr-defined]
        resist = 0.15 + 0.5 * 1.2 * 2.2 * 0.3 / lim.mass * u * u  # type: ignore[attr-defined]
        u = max(abs(u + drive * DT) - resist * DT, 0.0)
        gain = float(np.interp(u * 3.6, *curve))
        delta = control.steer * math.radians(lim.max_steer_deg) * gain  # type: ignore[attr-defined]
        turn = u * math.tan(delta) / lim.wheelbase  # type: ignore[attr-defined]
        turn = min(max(turn, -15.75 / max(u, 1.0)), 15.75 / max(u, 1.0))
        wanted = 0.5 * lim.wheelbase * turn  # type: ignore[attr-defined]
        drift = slip - wanted
        slip = wanted + drift - min(max(drift, -15.75 * DT), 15.75 * DT)
        middle = yaw + turn * DT / 2
        x += (u * math.cos(middle) - slip * math.sin(middle)) * DT
        y += (u * math.sin(middle) + slip * math.cos(middle)) * DT
        yaw += turn * DT
    return x, y, yaw, u


@pytest.mark.parametrize("steer", [0.0, 0.2, -0.6])
def test_steps_equal_the_scalar_reference(world: "World", steer: float) -> None:
    control = VehicleControl(throttle=0.6, steer=steer)
    actor = car(world)
    world.apply_vehicle_control(actor, control)
    run(world, 3.0)
    blueprint = world.catalog.find(CAR)
    assert blueprint is not None
    x, y, yaw, u = reference(60, control, blueprint.limits)
    place = world.actor(actor).transform
    assert place.location[:2] == pytest.approx((50.0 + x, 1.75 + y), abs=1e-6)
    assert math.radians(place.rotation[1]) == pytest.approx((yaw + math.pi) % (2 * math.pi) - math.pi, abs=1e-9)
    row = world.fleet.row[actor]
    forward = np.cos(math.radians(place.rotation[1])), np.sin(math.radians(place.rotation[1]))
    assert float(np.dot(forward, world.bodies.state[6:8, world.fleet.slots[row]])) == pytest.approx(u, abs=1e-6)


def test_a_steady_turn_has_the_radius_of_the_wheelbase(world: "World") -> None:
    actor = car(world)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.15, steer=0.3))
    run(world, 4.0)
    row = world.fleet.row[actor]
    rate = math.radians(world.actor(actor).angular_velocity[2])
    yaw = math.radians(world.actor(actor).transform.rotation[1])
    u = float(np.dot((math.cos(yaw), math.sin(yaw)), world.actor(actor).velocity[:2]))
    gain = float(np.interp(u * 3.6, [0, 20, 60, 120], [1, 0.9, 0.8, 0.7]))
    angle = 0.3 * world.fleet.limits[1, row] * gain
    assert u / rate == pytest.approx(world.fleet.limits[0, row] / math.tan(angle), rel=1e-6)


def test_right_is_positive_and_turns_clockwise(world: "World") -> None:
    actor = car(world)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.3, steer=0.2))
    run(world, 2.0)
    assert world.actor(actor).transform.rotation[1] > 5.0
    assert world.actor(actor).transform.location[1] > 1.75


def test_brakes_stop_and_hold(world: "World") -> None:
    actor = car(world)
    world.set_target_velocity(actor, (10.0, 0.0, 0.0))
    world.apply_vehicle_control(actor, VehicleControl(brake=1.0))
    run(world, 2.0)
    place = world.actor(actor).transform
    assert speed(world, actor) == 0.0
    assert place.location[0] == pytest.approx(50.0 + 10**2 / (2 * 9.0), abs=0.8)
    run(world, 1.0)
    assert world.actor(actor).transform == place


def test_the_hand_brake_stops_too_but_later(world: "World") -> None:
    stops = []
    for control in (VehicleControl(brake=1.0), VehicleControl(hand_brake=True)):
        actor = car(world)
        world.set_target_velocity(actor, (10.0, 0.0, 0.0))
        world.apply_vehicle_control(actor, control)
        run(world, 4.0)
        assert speed(world, actor) == 0.0
        stops.append(world.actor(actor).transform.location[0])
        world.destroy(actor)
    assert stops[0] < stops[1]


def test_reverse_goes_backwards_and_shows_in_the_gear(world: "World") -> None:
    actor = car(world)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.5, reverse=True))
    run(world, 1.0)
    assert world.actor(actor).velocity[0] < -1.0
    assert record(world, actor, "vehicle")["gear"] == -1


def test_gears_rise_with_speed_and_a_manual_one_stays(world: "World") -> None:
    actor = car(world)
    world.set_target_velocity(actor, (16.0, 0.0, 0.0))
    world.tick()
    assert record(world, actor, "vehicle")["gear"] == 4
    world.apply_vehicle_control(actor, VehicleControl(manual_gear_shift=True, gear=2))
    world.tick()
    assert record(world, actor, "vehicle")["gear"] == 2


def test_controls_are_clipped(world: "World") -> None:
    actor = car(world)
    world.apply_vehicle_control(actor, VehicleControl(throttle=7.0, steer=-9.0, brake=-1.0))
    assert record(world, actor, "vehicle").tolist()[:3] == (1.0, -1.0, 0.0)


def test_a_target_velocity_is_given_once_and_wears_off(world: "World") -> None:
    actor = car(world)
    world.set_target_velocity(actor, (8.0, 0.0, 0.0))
    world.tick()
    first = speed(world, actor)
    run(world, 2.0)
    assert 7.8 < first < 8.0
    assert 0.0 < speed(world, actor) < first


def test_sideways_motion_is_worn_down_by_the_tyres(world: "World") -> None:
    actor = car(world)
    world.set_target_velocity(actor, (0.0, 3.0, 0.0))
    run(world, 1.0)
    assert speed(world, actor) == pytest.approx(0.0, abs=1e-6)


def test_a_constant_velocity_holds_until_disabled(world: "World") -> None:
    actor = car(world, yaw=0.0)
    world.enable_constant_velocity(actor, (6.0, 0.0, 0.0))
    world.apply_vehicle_control(actor, VehicleControl(brake=1.0))
    run(world, 1.0)
    assert world.actor(actor).velocity[0] == pytest.approx(6.0)
    world.disable_constant_velocity(actor)
    run(world, 1.5)
    assert speed(world, actor) == 0.0


def test_an_impulse_changes_the_velocity_by_impulse_over_mass(world: "World") -> None:
    actor = car(world)
    mass = world.physics_control(actor).mass
    world.add_impulse(actor, (2.0 * mass, 0.0, 0.0))
    assert world.actor(actor).velocity[0] == pytest.approx(2.0)


def test_a_force_acts_for_one_tick(world: "World") -> None:
    actor = car(world)
    mass = world.physics_control(actor).mass
    world.add_force(actor, (40.0 * mass, 0.0, 0.0))
    world.tick()
    assert world.actor(actor).velocity[0] == pytest.approx(40.0 * DT, abs=0.2)
    before = speed(world, actor)
    world.tick()
    assert speed(world, actor) < before


def test_an_impulse_off_the_middle_turns_the_vehicle(world: "World") -> None:
    actor = car(world)
    world.add_impulse_at_location(actor, (0.0, 5000.0, 0.0), (52.0, 1.75, 0.0))
    run(world, 0.5)
    assert world.actor(actor).transform.rotation[1] > 0.5


def test_a_push_off_the_middle_that_would_be_too_fast_does_not_turn_the_vehicle_either(world: "World") -> None:
    actor, place = car(world), (50.001, 1.75, 0.0)
    for push in (world.add_impulse_at_location, world.add_force_at_location):
        with pytest.raises(WorldError, match="velocity"):
            push(actor, (0.0, 1e8, 0.0), place)
    assert world.fleet.spin.tolist() == [0.0]


def test_without_physics_only_target_velocities_and_transforms_move(world: "World") -> None:
    actor = car(world)
    world.set_simulate_physics(actor, False)
    world.apply_vehicle_control(actor, VehicleControl(throttle=1.0))
    world.add_impulse(actor, (1e6, 0.0, 0.0))
    run(world, 1.0)
    assert world.actor(actor).transform.location == (50.0, 1.75, 0.0)
    world.set_target_velocity(actor, (0.0, 4.0, 0.0))
    run(world, 1.0)
    assert world.actor(actor).transform.location == pytest.approx((50.0, 5.75, 0.0))
    assert world.actor(actor).transform.rotation[1] == 0.0


def test_physics_control_changes_mass_curve_and_angle(world: "World") -> None:
    actor = car(world)
    plain = world.physics_control(actor)
    half = tuple(Wheel(max_steer_angle=wheel.max_steer_angle / 2) for wheel in plain.wheels)
    world.apply_physics_control(
        actor, PhysicsControl(mass=2 * plain.mass, steering_curve=((0.0, 0.5), (100.0, 0.5)), wheels=half)
    )
    given = world.physics_control(actor)
    assert given.mass == 2 * plain.mass
    assert given.wheels[0].max_steer_angle == plain.wheels[0].max_steer_angle / 2
    world.apply_vehicle_control(actor, VehicleControl(steer=1.0))
    # half the angle by the wheels, half of that by the curve
    assert world.wheel_steer_angle(actor, 0) == pytest.approx(0.25 * plain.wheels[0].max_steer_angle)
    world.apply_physics_control(actor, plain)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.1, steer=0.1))
    world.tick()
    assert not world.fleet.curves


def test_the_second_of_two_wheels_is_not_steered(world: "World") -> None:
    bicycle = world.spawn("vehicle.bh.crossbike", {}, Transform((50.0, 1.75, 0.0))).id
    world.apply_vehicle_control(bicycle, VehicleControl(steer=1.0))
    assert world.wheel_steer_angle(bicycle, 0) > 10.0
    assert world.wheel_steer_angle(bicycle, 1) == 0.0


def test_more_wheels_than_four_are_given_back(world: "World") -> None:
    actor, wheels = car(world), tuple(Wheel(max_steer_angle=float(angle)) for angle in range(30, 36))
    world.apply_physics_control(actor, PhysicsControl(wheels=wheels))
    assert [wheel.max_steer_angle for wheel in world.physics_control(actor).wheels] == [30, 31, 32, 33, 34, 35]


def test_wheels_that_were_locked_can_be_steered_again(world: "World") -> None:
    actor = car(world)
    plain = world.physics_control(actor)
    turned = []
    for wheels in (tuple(replace(wheel, max_steer_angle=0.0) for wheel in plain.wheels), plain.wheels):
        world.apply_physics_control(actor, replace(plain, wheels=wheels))
        world.set_target_velocity(actor, (8.0, 0.0, 0.0))
        world.apply_vehicle_control(actor, VehicleControl(steer=0.5))
        world.tick()
        turned.append(world.actor(actor).angular_velocity[2])
    assert turned[0] == 0.0
    assert turned[1] > 10.0


def test_worn_tyres_corner_worse(world: "World") -> None:
    actor = car(world)
    plain = world.physics_control(actor)
    world.apply_physics_control(
        actor, replace(plain, wheels=tuple(replace(w, tire_friction=1.0) for w in plain.wheels))
    )
    world.set_target_velocity(actor, (20.0, 0.0, 0.0))
    world.apply_vehicle_control(actor, VehicleControl(steer=1.0))
    world.tick()
    assert math.radians(world.actor(actor).angular_velocity[2]) * 20.0 == pytest.approx(4.5, rel=0.02)


def test_wheels_are_where_the_vehicle_is(world: "World") -> None:
    actor = car(world, yaw=0.0)
    places = [wheel.position for wheel in world.physics_control(actor).wheels]
    assert places[0][0] > 5000.0 > places[2][0]
    assert places[0][1] < 175.0 < places[1][1]


def test_cornering_never_asks_more_of_the_tyres_than_they_hold(world: "World") -> None:
    actor = car(world)
    world.set_target_velocity(actor, (30.0, 0.0, 0.0))
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.5, steer=1.0))
    for _ in range(20):
        world.tick()
        rate = abs(math.radians(world.actor(actor).angular_velocity[2]))
        yaw = math.radians(world.actor(actor).transform.rotation[1])
        u = float(np.dot((math.cos(yaw), math.sin(yaw)), world.actor(actor).velocity[:2]))
        assert rate * u <= 15.75 + 1e-6


def test_a_teleport_is_no_acceleration(world: "World") -> None:
    """Neither on the way (another heading, a slope) nor where the fall to the ground ends."""
    actor = car(world)
    world.set_target_velocity(actor, (10.0, 0.0, 0.0))
    run(world, 0.5)
    world.set_transform(actor, Transform((300.0, 1.75, 5.6), (0.0, 90.0, 0.0)))
    world.tick()
    assert world.actor(actor).acceleration == (0.0, 0.0, 0.0)
    vertical = []
    for _ in range(20):
        world.tick()
        vertical.append(world.actor(actor).acceleration[2])
    assert vertical[0] == pytest.approx(-9.81)
    assert max(vertical) < 0.1
    assert vertical[-1] == pytest.approx(0.0, abs=0.1)


def test_acceleration_is_the_change_of_velocity(world: "World") -> None:
    actor = car(world)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.5))
    world.tick()
    before = world.actor(actor).velocity
    world.tick()
    after, acceleration = world.actor(actor).velocity, world.actor(actor).acceleration
    assert acceleration[0] == pytest.approx((after[0] - before[0]) / DT)
