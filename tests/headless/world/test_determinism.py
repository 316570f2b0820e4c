"""Same seed and same calls, same bytes; another seed, the same motion."""

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.controls import AckermannControl, VehicleControl

if TYPE_CHECKING:
    from collections.abc import Callable

    from bestrand_drive.headless.world.world import World


def play(world: "World", ticks: int = 200) -> tuple[str, np.ndarray]:
    """A crowded drive with crashes, walkers, loose props, spawns and deaths; hash of all snapshots, last places."""
    points = world.spawn_points[:60:2]
    cars = [world.spawn("vehicle.tesla.model3", {}, point).id for point in points]
    x, y, z = points[0].location
    walker = world.spawn("walker.pedestrian.0001", {}, Transform((x + 9.0, y + 4.0, z + 1.0)))
    cone = world.spawn("static.prop.trafficcone01", {}, Transform((x + 12.0, y, z - 0.5)))
    world.set_simulate_physics(cone.id, True)
    world.spawn("sensor.other.imu", {}, Transform((0.0, 0.0, 1.0)), parent=cars[0])
    world.apply_ackermann(cars[1], AckermannControl(speed=6.0))
    seen = hashlib.sha256()
    for tick in range(ticks):
        for number, car in enumerate(cars[2:]):
            if car in world.actors:
                world.apply_vehicle_control(
                    car, VehicleControl(0.3 + 0.01 * (number % 5), 0.05 * np.sin(tick / 9 + number))
                )
        world.apply_walker_control(walker.id, (0.0, -1.0, 0.0), 1.0)
        if tick == 60:
            world.destroy(cars[5])
        world.tick()
        seen.update(world.snapshot_rows().tobytes())
        for event in world.events:
            seen.update(repr((event.actor.id, event.other.id, event.impulse)).encode())
    return seen.hexdigest(), world.bodies.state[:, world.fleet.slots].copy()


@pytest.fixture(scope="module")
def played(make_town: "Callable[..., World]") -> dict[int, tuple[str, np.ndarray]]:
    """Seed -> what a new server shows."""
    return {seed: play(make_town("Town01", seed)) for seed in (0, 4)}


@pytest.mark.parametrize("seed", [0, 4])
def test_same_seed_and_calls_give_the_same_bytes(
    make_town: "Callable[..., World]", played: dict[int, tuple[str, np.ndarray]], seed: int
) -> None:
    assert play(make_town("Town01", seed))[0] == played[seed][0]


def test_another_seed_changes_the_lights_but_not_the_motion(played: dict[int, tuple[str, np.ndarray]]) -> None:
    first, second = played.values()
    assert first[0] != second[0]
    assert np.array_equal(first[1], second[1])


def test_a_second_episode_in_one_server_moves_as_the_first_did(make_town: "Callable[..., World]") -> None:
    world = make_town("Town01")
    first = play(world)[1]
    world.load_map("Town01", True)
    assert np.array_equal(first, play(world)[1])
