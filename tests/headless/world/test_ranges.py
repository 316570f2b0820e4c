"""Numbers beyond any world: refused by one clear error, and nothing that is taken can put NaN into a snapshot."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.rpc import decoding
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.world.controls import AckermannControl, AckermannSettings, VehicleControl
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.settings import EpisodeSettings
from tests.headless.world.reading import record

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CAR, WALKER, CONE = "vehicle.tesla.model3", "walker.pedestrian.0001", "static.prop.trafficcone01"
HUGE = (3e38, -3e38, math.nan, math.inf, -math.inf)

Call = Callable[["World", dict[str, int], float], Any]
CALLS: dict[str, Call] = {
    "spawn": lambda w, _, n: w.spawn(CAR, {}, Transform((n, 0.0, 0.0))),
    "spawn turned": lambda w, _, n: w.spawn(CONE, {}, Transform((9.0, 0.0, 0.0), (0.0, n, 0.0))),
    "spawn attached": lambda w, ids, n: w.spawn("sensor.other.imu", {}, Transform((0.0, n, 0.0)), parent=ids["car"]),
    "transform": lambda w, ids, n: w.set_transform(ids["car"], Transform((0.0, 0.0, n))),
    "rotation": lambda w, ids, n: w.set_transform(ids["cone"], Transform((0.0, 0.0, 0.0), (0.0, 0.0, n))),
    "location": lambda w, ids, n: w.set_location(ids["walker"], (0.0, n, 0.0)),
    "velocity of a vehicle": lambda w, ids, n: w.set_target_velocity(ids["car"], (n, 0.0, 0.0)),
    "velocity of a walker": lambda w, ids, n: w.set_target_velocity(ids["walker"], (0.0, n, 0.0)),
    "velocity of a prop": lambda w, ids, n: w.set_target_velocity(ids["cone"], (0.0, n, 0.0)),
    "spin": lambda w, ids, n: w.set_target_angular_velocity(ids["car"], (0.0, 0.0, n)),
    "constant velocity": lambda w, ids, n: w.enable_constant_velocity(ids["car"], (n, 0.0, 0.0)),
    "impulse": lambda w, ids, n: w.add_impulse(ids["car"], (n, 0.0, 0.0)),
    "impulse on a prop": lambda w, ids, n: w.add_impulse(ids["cone"], (n, 0.0, 0.0)),
    "impulse aside": lambda w, ids, n: w.add_impulse_at_location(ids["car"], (0.0, 9.0, 0.0), (n, 0.0, 0.0)),
    "force": lambda w, ids, n: w.add_force(ids["car"], (0.0, n, 0.0)),
    "force on a prop": lambda w, ids, n: w.add_force(ids["cone"], (0.0, n, 0.0)),
    "force aside": lambda w, ids, n: w.add_force_at_location(ids["car"], (0.0, n, 0.0), (60.0, 0.0, 0.0)),
    "angular impulse": lambda w, ids, n: w.add_angular_impulse(ids["car"], (0.0, 0.0, n)),
    "torque": lambda w, ids, n: w.add_torque(ids["car"], (0.0, 0.0, n)),
    "walker's speed": lambda w, ids, n: w.apply_walker_control(ids["walker"], (1.0, 0.0, 0.0), n),
    "walker state": lambda w, ids, n: w.apply_walker_state(ids["walker"], Transform(), n),
    "walker's place": lambda w, ids, n: w.apply_walker_state(ids["walker"], Transform((n, 0.0, 0.0)), 1.0),
    "mass": lambda w, ids, n: w.apply_physics_control(ids["car"], replace(w.physics_control(ids["car"]), mass=n)),
    "drag": lambda w, ids, n: w.apply_physics_control(
        ids["car"], replace(w.physics_control(ids["car"]), drag_coefficient=n)
    ),
    "wheel": lambda w, ids, n: tyres(w, ids["car"], max_steer_angle=n),
    "friction": lambda w, ids, n: tyres(w, ids["car"], tire_friction=n),
}


def tyres(world: "World", actor_id: int, **changed: float) -> None:
    physics = world.physics_control(actor_id)
    wheels = tuple(replace(wheel, **changed) for wheel in physics.wheels)  # type: ignore[arg-type]
    world.apply_physics_control(actor_id, replace(physics, wheels=wheels))


@pytest.fixture
def ids(world: "World") -> dict[str, int]:
    found = {
        name: world.spawn(kind, {}, Transform((x, 1.75, 1.0))).id
        for name, kind, x in (("car", CAR, 50.0), ("walker", WALKER, 60.0), ("cone", CONE, 70.0))
    }
    world.set_simulate_physics(found["cone"], True)
    for _ in range(20):
        world.tick()
    return found


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("name", CALLS)
def test_a_number_beyond_any_world_is_refused_and_changes_nothing(
    world: "World", ids: dict[str, int], name: str, number: float
) -> None:
    before = world.snapshot_rows().tobytes()
    with pytest.raises(WorldError, match=r"this server takes -?[\de.+]+ to [\de.+]+"):
        CALLS[name](world, ids, number)
    assert world.snapshot_rows().tobytes() == before
    world.tick()
    assert np.isfinite(world.snapshot_rows()["state"]).all()


@pytest.mark.parametrize("name", CALLS)
def test_plain_numbers_are_taken(world: "World", ids: dict[str, int], name: str) -> None:
    CALLS[name](world, ids, 30.0)


def test_pushes_add_up_to_no_more_than_the_fastest(world: "World", ids: dict[str, int]) -> None:
    mass = world.physics_control(ids["car"]).mass
    world.add_impulse(ids["car"], (700.0 * mass, 0.0, 0.0))
    world.add_force(ids["car"], (700.0 * mass / 0.05, 0.0, 0.0))
    with pytest.raises(WorldError, match="velocity"):
        world.add_impulse(ids["car"], (700.0 * mass, 0.0, 0.0))
    with pytest.raises(WorldError, match="velocity"):
        world.add_force(ids["car"], (700.0 * mass / 0.05, 0.0, 0.0))


def test_the_largest_numbers_that_are_taken_leave_every_snapshot_finite(world: "World", ids: dict[str, int]) -> None:
    car, walker, cone = ids["car"], ids["walker"], ids["cone"]
    far = Transform((1e6, -1e6, 1e6), (1e6, -1e6, 1e6))
    for actor in (car, walker, cone):
        world.set_transform(actor, far)
        world.set_target_velocity(actor, (1e3, -1e3, 1e3))
    world.set_target_angular_velocity(car, (1e5, 1e5, 1e5))
    world.apply_walker_control(walker, (3e38, -3e38, 3e38), 1e3, True)
    largest = 3e38
    world.apply_ackermann_settings(car, AckermannSettings(*[largest] * 6))
    world.apply_ackermann(car, AckermannControl(*[largest] * 5))
    world.lights.set_times(world.lights.ids[0], green=largest, yellow=largest, red=largest)
    mesh = {"mesh_path": (3, ""), "scale": (2, "1e300")}
    world.spawn("static.prop.mesh", mesh, far)
    world.spawn("sensor.other.imu", {}, far, parent=car)
    for step in (10.0, 1e-4, 0.05):
        world.settings = EpisodeSettings(fixed_delta_seconds=step)
        for _ in range(5):
            world.tick()
            rows = world.snapshot_rows()
            assert np.isfinite(rows["state"]).all()
            assert all(np.isfinite(rows["light"][name]).all() for name in ("green", "yellow", "red", "elapsed"))
        world.apply_vehicle_control(car, VehicleControl(1.0, 1.0))


@pytest.mark.parametrize("changed", [{"fixed_delta_seconds": number} for number in (1e6, -0.05, 1e-9, math.nan, 3e38)])
def test_a_step_that_is_none_is_refused(changed: dict[str, float]) -> None:
    with pytest.raises(WorldError, match="a step of"):
        EpisodeSettings(**changed)


@pytest.mark.parametrize("number", [-1, 2**31, 10**9])
def test_a_number_of_substeps_that_no_client_could_read_back_is_refused(number: int) -> None:
    with pytest.raises(WorldError, match="substeps"):
        EpisodeSettings(max_substeps=number)


def test_a_step_of_zero_is_the_default(world: "World") -> None:
    world.settings = EpisodeSettings(fixed_delta_seconds=0.0)
    world.tick()
    assert world.elapsed_s == 0.05


@pytest.mark.parametrize("gear", [2**31, 2**32 - 1, -(2**31), 5])
def test_any_gear_that_the_wire_takes_fits_the_snapshot(world: "World", ids: dict[str, int], gear: int) -> None:
    control = decoding.vehicle_control(load_version("0.9.16"), [0.0, 0.0, 0.0, False, False, True, gear])
    world.apply_vehicle_control(ids["car"], control)
    world.tick()
    assert record(world, ids["car"], "vehicle")["gear"] == min(max(gear, -1), 32)


@pytest.mark.parametrize("value", [2**32, -(2**31) - 1, 1.5, True, "1", None])
def test_what_is_no_32_bit_number_is_refused_on_the_way_in(value: Any) -> None:
    with pytest.raises(TypeError, match="32 bits"):
        decoding.small(value)
