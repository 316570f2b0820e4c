"""Loose props: they take velocities and pushes and slide to a stop; the others stand still."""

from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.world.actor import Transform

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CONE, MASS_KG, FRICTION = "static.prop.trafficcone01", 20.0, 6.0


def cone(world: "World", loose: bool) -> int:
    actor = world.spawn(CONE, {}, Transform((50.0, 1.75, 0.0)))
    world.set_simulate_physics(actor.id, loose)
    return actor.id


def place(world: "World", actor_id: int) -> tuple[float, float]:
    x, y, _ = world.actor(actor_id).transform.location
    return x, y


def run(world: "World", ticks: int) -> None:
    for _ in range(ticks):
        world.tick()


def test_a_target_velocity_moves_it_until_friction_stops_it(world: "World") -> None:
    actor = cone(world, loose=True)
    world.set_target_velocity(actor, (3.0, 4.0, 2.0))
    run(world, 1)
    assert place(world, actor) == pytest.approx((50.15, 1.95))
    run(world, 30)
    assert world.actor(actor).velocity == (0.0, 0.0, 0.0)
    way = 5.0**2 / (2 * FRICTION)
    assert place(world, actor)[0] - 50.0 == pytest.approx(0.6 * way, abs=0.1)


def test_an_impulse_and_a_force_change_its_velocity_by_its_mass(world: "World") -> None:
    actor = cone(world, loose=True)
    world.add_impulse(actor, (2.0 * MASS_KG, 0.0, 0.0))
    assert world.actor(actor).velocity == pytest.approx((2.0, 0.0, 0.0))
    world.add_force_at_location(actor, (0.0, 40.0 * MASS_KG, 0.0), (51.0, 1.75, 0.0))
    assert world.actor(actor).velocity == pytest.approx((2.0, 2.0, 0.0))
    run(world, 1)
    assert place(world, actor) == pytest.approx((50.1, 1.85))


def test_without_physics_nothing_moves_it(world: "World") -> None:
    actor = cone(world, loose=False)
    world.set_target_velocity(actor, (3.0, 0.0, 0.0))
    world.set_target_angular_velocity(actor, (0.0, 0.0, 90.0))
    world.add_impulse(actor, (100.0, 0.0, 0.0))
    world.add_force(actor, (100.0, 0.0, 0.0))
    world.add_torque(actor, (0.0, 0.0, 100.0))
    run(world, 5)
    assert place(world, actor) == (50.0, 1.75)
    assert world.actor(actor).velocity == (0.0, 0.0, 0.0)
    assert world.actor(actor).angular_velocity == (0.0, 0.0, 0.0)
