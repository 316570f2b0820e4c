"""Loose props: they take velocities and pushes and slide to a stop; the others stand still."""

from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Transform

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


def bottom(world: "World", actor_id: int) -> float:
    actor = world.actor(actor_id)
    return actor.transform.location[2] + actor.box_centre[2] - actor.extent[2]


def test_it_falls_to_the_ground_and_fixed_ones_do_not(world: "World") -> None:
    """A construction's debris is put a metre above the road."""
    loose, fixed = (world.spawn(CONE, {}, Transform((x, 1.75, 1.0))).id for x in (50.0, 60.0))
    world.set_simulate_physics(loose, True)
    heights, vertical = [], []
    for _ in range(20):
        world.tick()
        heights.append(bottom(world, loose))
        vertical.append(world.actor(loose).acceleration[2])
    assert heights == sorted(heights, reverse=True)
    assert heights[3] > 0.4
    assert heights[-1] == pytest.approx(0.0, abs=1e-9)
    assert vertical[0] == pytest.approx(-9.81)
    assert max(vertical) < 0.1
    assert bottom(world, fixed) == pytest.approx(1.0)
    world.set_location(loose, (50.0, 1.75, 3.0))
    run(world, 3)
    assert 1.0 < bottom(world, loose) < 3.0
    world.set_enable_gravity(loose, False)
    before = bottom(world, loose)
    run(world, 30)
    assert bottom(world, loose) == before
    assert world.actor(loose).velocity == (0.0, 0.0, 0.0)
    world.set_enable_gravity(loose, True)
    run(world, 30)
    assert bottom(world, loose) == pytest.approx(0.0, abs=1e-9)


def test_a_board_on_its_side_comes_to_stand_on_its_edge(world: "World") -> None:
    board = world.spawn("static.prop.brickwall", {}, Transform((50.0, 1.75, 2.0), (0.0, 90.0, 90.0)))
    world.set_simulate_physics(board.id, True)
    run(world, 40)
    assert board.transform.location[2] == pytest.approx(board.extent[1])


def test_it_slides_along_a_slope_and_stays_where_there_is_no_road(world: "World") -> None:
    sliding, away, below = (
        world.spawn(CONE, {}, Transform(place)).id
        for place in ((300.0, 1.75, 5.0), (300.0, 90.0, 4.0), (50.0, 1.75, -200.0))
    )
    for actor in (sliding, away, below):
        world.set_simulate_physics(actor, True)
    world.set_target_velocity(sliding, (8.0, 0.0, 0.0))
    run(world, 60)
    x = place(world, sliding)[0]
    assert x > 304.0
    assert bottom(world, sliding) == pytest.approx(0.05 * (x - 200.0), abs=0.01)
    assert (bottom(world, away), bottom(world, below)) == (4.0, -200.0)


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
