"""Walkers: direction, speed, ground, jumps, teleports."""

from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.errors import WorldError

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

WALKER = "walker.pedestrian.0001"


def walker(world: "World", x: float = 50.0, z: float = 1.5) -> int:
    return world.spawn(WALKER, {}, Transform((x, 1.75, z), (0.0, 0.0, 0.0))).id


def feet(world: "World", actor_id: int) -> float:
    actor = world.actor(actor_id)
    return actor.transform.location[2] + actor.box_centre[2] - actor.extent[2]


def run(world: "World", ticks: int) -> None:
    for _ in range(ticks):
        world.tick()


def test_it_falls_onto_its_feet(world: "World") -> None:
    actor = walker(world)
    run(world, 30)
    assert feet(world, actor) == pytest.approx(0.0, abs=1e-9)


def test_it_walks_along_the_direction_at_the_speed_and_faces_it(world: "World") -> None:
    actor = walker(world)
    world.apply_walker_control(actor, (0.0, -2.0, 0.0), 1.5)
    run(world, 20)
    place = world.actor(actor).transform
    assert place.location[:2] == pytest.approx((50.0, 1.75 - 1.5))
    assert place.rotation[1] == pytest.approx(-90.0)
    assert world.actor(actor).velocity[1] == pytest.approx(-1.5)
    world.apply_walker_control(actor, (0.0, -1.0, 0.0), 0.0)
    run(world, 2)
    assert world.actor(actor).velocity == (0.0, 0.0, 0.0)


def test_it_walks_uphill(world: "World") -> None:
    actor = walker(world, 290.0, 6.0)
    world.apply_walker_control(actor, (1.0, 0.0, 0.0), 2.0)
    run(world, 100)
    x = world.actor(actor).transform.location[0]
    assert x == pytest.approx(300.0)
    assert feet(world, actor) == pytest.approx(0.05 * (x - 200.0), abs=0.02)


def test_a_jump_leaves_the_ground_and_lands(world: "World") -> None:
    actor = walker(world)
    run(world, 30)
    world.apply_walker_control(actor, (1.0, 0.0, 0.0), 0.0, True)
    run(world, 1)
    world.apply_walker_control(actor, (1.0, 0.0, 0.0), 0.0, False)
    heights = []
    for _ in range(30):
        world.tick()
        heights.append(feet(world, actor))
    assert max(heights) > 0.3
    assert heights[-1] == pytest.approx(0.0, abs=1e-9)


def test_without_physics_it_stays_where_it_is_put(world: "World") -> None:
    actor = walker(world, z=-200.0)
    world.set_simulate_physics(actor, False)
    world.apply_walker_control(actor, (1.0, 0.0, 0.0), 3.0)
    run(world, 5)
    assert world.actor(actor).transform.location == (50.0, 1.75, -200.0)
    world.set_transform(actor, Transform((60.0, 1.0, 0.9), (0.0, 45.0, 0.0)))
    run(world, 5)
    assert world.actor(actor).transform == Transform((60.0, 1.0, 0.9), (0.0, 45.0, 0.0))


def test_a_walker_state_places_it_and_it_walks_on(world: "World") -> None:
    actor = walker(world)
    world.apply_walker_state(actor, Transform((70.0, 1.75, 1.0), (0.0, 0.0, 0.0)), 1.0)
    run(world, 20)
    assert world.actor(actor).transform.location[0] == pytest.approx(71.0)


def test_a_target_velocity_moves_it_until_the_next_control(world: "World") -> None:
    actor = walker(world)
    run(world, 30)
    world.set_target_velocity(actor, (2.0, 1.0, 0.0))
    run(world, 10)
    place = world.actor(actor).transform
    assert place.location[:2] == pytest.approx((51.0, 2.25))
    assert place.rotation[1] == 0.0
    assert world.actor(actor).velocity == pytest.approx((2.0, 1.0, 0.0))
    world.apply_walker_control(actor, (1.0, 0.0, 0.0), 0.0)
    run(world, 2)
    assert world.actor(actor).transform.location == place.location


def test_a_zero_target_velocity_ends_a_drift_but_not_a_walk(world: "World") -> None:
    actor = walker(world)
    world.set_target_velocity(actor, (2.0, 0.0, 0.0))
    world.set_target_velocity(actor, (0.0, 0.0, 0.0))
    run(world, 10)
    assert world.actor(actor).transform.location[0] == 50.0
    world.apply_walker_control(actor, (1.0, 0.0, 0.0), 1.0)
    world.set_target_velocity(actor, (0.0, 0.0, 0.0))
    run(world, 20)
    assert world.actor(actor).transform.location[0] == pytest.approx(51.0)


def test_a_target_velocity_upwards_is_a_jump(world: "World") -> None:
    actor = walker(world)
    run(world, 30)
    world.set_target_velocity(actor, (0.0, 0.0, 3.0))
    heights = []
    for _ in range(30):
        world.tick()
        heights.append(feet(world, actor))
    assert max(heights) == pytest.approx(3.0**2 / (2 * 9.81), abs=0.1)
    assert heights[-1] == 0.0


def test_without_physics_neither_a_target_velocity_nor_an_impulse_moves_it(world: "World") -> None:
    actor = walker(world)
    world.set_target_velocity(actor, (2.0, 0.0, 0.0))
    world.set_simulate_physics(actor, False)
    world.set_target_velocity(actor, (0.0, 2.0, 0.0))
    world.add_impulse(actor, (100.0, 0.0, 0.0))
    run(world, 5)
    world.set_simulate_physics(actor, True)
    run(world, 5)
    assert world.actor(actor).transform.location[:2] == (50.0, 1.75)
    assert world.actor(actor).velocity[:2] == (0.0, 0.0)


def test_neither_a_landing_nor_a_teleport_is_an_acceleration(world: "World") -> None:
    actor = walker(world, z=3.0)
    highest = 0.0
    for number in range(60):
        world.tick()
        highest = max(highest, world.actor(actor).acceleration[2])
        if number == 30:
            world.set_transform(actor, Transform((80.0, 1.75, 2.0)))
    assert feet(world, actor) == 0.0
    assert highest < 0.1


def test_only_walkers_take_walker_controls(world: "World") -> None:
    car = world.spawn("vehicle.tesla.model3", {}, Transform((50.0, 1.75, 0.0)))
    with pytest.raises(WorldError, match="not a walker"):
        world.apply_walker_control(car.id, (1.0, 0.0, 0.0), 1.0)
