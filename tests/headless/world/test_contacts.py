"""Collisions between vehicles, walkers and props."""

import math
from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.world.actor import Transform
from bestrand_drive.headless.world.controls import VehicleControl
from bestrand_drive.headless.world.errors import WorldError

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CAR, TRUCK, WALKER = "vehicle.tesla.model3", "vehicle.carlamotors.firetruck", "walker.pedestrian.0001"
WALL = "static.prop.streetbarrier"


def put(world: "World", type_id: str, x: float, y: float = 1.75, yaw: float = 0.0, z: float = 0.0) -> int:
    return world.spawn(type_id, {}, Transform((x, y, z), (0.0, yaw, 0.0))).id


def drive_until_hit(world: "World", ticks: int = 60) -> int:
    for number in range(ticks):
        world.tick()
        if world.events:
            return number
    return -1


def test_a_rear_end_hit_conserves_momentum_and_ends_the_approach(world: "World") -> None:
    back, front = put(world, CAR, 50.0), put(world, TRUCK, 60.0)
    world.set_target_velocity(back, (10.0, 0.0, 0.0))
    assert drive_until_hit(world) >= 0
    first, second = world.events
    assert (first.actor.id, first.other.id, second.actor.id, second.other.id) == (back, front, front, back)
    assert first.impulse == tuple(-part for part in second.impulse)
    assert first.impulse[0] < 0.0
    masses = [world.physics_control(actor).mass for actor in (back, front)]
    speeds = [world.actor(actor).velocity[0] for actor in (back, front)]
    assert speeds[0] == pytest.approx(speeds[1])
    closing = second.impulse[0] * (1 / masses[0] + 1 / masses[1])
    assert closing == pytest.approx(speeds[1] * masses[1] * (1 / masses[0] + 1 / masses[1]), rel=1e-6)


def test_boxes_no_longer_overlap_after_the_hit(world: "World") -> None:
    back, front = put(world, CAR, 50.0), put(world, CAR, 60.0)
    world.set_target_velocity(back, (15.0, 0.0, 0.0))
    assert drive_until_hit(world) >= 0
    gap = world.actor(front).transform.location[0] - world.actor(back).transform.location[0]
    assert gap >= 2 * world.actor(back).extent[0]


def test_pushing_against_a_wall_gives_an_event_every_tick(world: "World") -> None:
    actor = put(world, CAR, 50.0)
    wall = put(world, WALL, 56.0, yaw=90.0)
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.6))
    assert drive_until_hit(world) >= 0
    place = world.actor(wall).transform
    for _ in range(5):
        world.tick()
        assert {event.actor.id for event in world.events} == {actor, wall}
    assert world.actor(wall).transform == place
    assert world.actor(actor).velocity[0] == pytest.approx(0.0, abs=1e-6)


def test_a_walker_is_hit_and_pushed_aside(world: "World") -> None:
    actor, walker = put(world, CAR, 50.0), put(world, WALKER, 58.0, 1.9, z=1.0)
    world.set_target_velocity(actor, (8.0, 0.0, 0.0))
    world.apply_vehicle_control(actor, VehicleControl(throttle=0.5))
    assert drive_until_hit(world) >= 0
    assert world.events[0].actor.id == actor
    assert math.hypot(*world.events[0].impulse) > 100.0
    assert world.actor(walker).transform.location[1] > 1.9
    assert world.actor(actor).velocity[0] > 7.0


def test_a_cone_with_physics_is_pushed_along(world: "World") -> None:
    actor, cone = put(world, CAR, 50.0), put(world, "static.prop.trafficcone01", 56.0)
    world.set_simulate_physics(cone, True)
    world.set_target_velocity(actor, (8.0, 0.0, 0.0))
    assert drive_until_hit(world) >= 0
    assert world.actor(cone).transform.location[0] > 56.0
    assert world.actor(actor).velocity[0] > 7.0


def test_without_collisions_everything_passes(world: "World") -> None:
    back, front = put(world, CAR, 50.0), put(world, CAR, 60.0)
    world.set_collisions(front, False)
    world.set_target_velocity(back, (15.0, 0.0, 0.0))
    assert drive_until_hit(world, 20) == -1
    world.set_collisions(front, True)
    world.set_target_velocity(back, (-15.0, 0.0, 0.0))
    assert drive_until_hit(world, 20) >= 0


def test_what_lies_above_or_below_is_not_hit(world: "World") -> None:
    actor = put(world, CAR, 50.0)
    put(world, WALL, 56.0, yaw=90.0, z=6.0)
    world.set_target_velocity(actor, (10.0, 0.0, 0.0))
    assert drive_until_hit(world, 30) == -1


def test_a_vehicle_without_physics_is_an_immovable_obstacle(world: "World") -> None:
    back, front = put(world, CAR, 50.0), put(world, CAR, 60.0)
    world.set_simulate_physics(front, False)
    world.set_target_velocity(back, (10.0, 0.0, 0.0))
    assert drive_until_hit(world) >= 0
    assert world.actor(front).transform.location == (60.0, 1.75, 0.0)
    assert world.actor(back).velocity[0] == pytest.approx(0.0, abs=1e-6)


def test_two_at_rest_give_no_events(world: "World") -> None:
    put(world, CAR, 50.0)
    put(world, CAR, 55.0)
    assert drive_until_hit(world, 5) == -1


@pytest.mark.parametrize("type_id", [CAR, WALKER])
def test_spawning_into_another_is_refused_with_carlas_message(world: "World", type_id: str) -> None:
    put(world, CAR, 50.0)
    with pytest.raises(WorldError, match=r"^Spawn failed because of collision at spawn position$"):
        put(world, type_id, 51.0)
    assert put(world, type_id, 60.0)
    assert put(world, "static.prop.trafficcone01", 50.0)
