"""Collisions between vehicles, walkers and props."""

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world import contacts
from bestrand_drive.headless.world.controls import VehicleControl
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.sweep import overlapping_pairs
from bestrand_drive.headless.world.walkers import MASS_KG

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


def speed_until_hit(world: "World", actor: int, ticks: int = 60) -> float:
    """Along x, before the tick of the hit."""
    for _ in range(ticks):
        before = world.actor(actor).velocity[0]
        world.tick()
        if world.events:
            return before
    raise AssertionError("nothing was hit")


def test_a_rear_end_hit_conserves_momentum_and_ends_the_approach(world: "World") -> None:
    back, front = put(world, CAR, 50.0), put(world, TRUCK, 60.0)
    world.set_target_velocity(back, (10.0, 0.0, 0.0))
    approach = speed_until_hit(world, back)
    first, second = world.events
    assert (first.actor.id, first.other.id, second.actor.id, second.other.id) == (back, front, front, back)
    assert first.impulse == tuple(-part for part in second.impulse)
    assert first.impulse[0] < 0.0
    masses = [world.physics_control(actor).mass for actor in (back, front)]
    speeds = [world.actor(actor).velocity[0] for actor in (back, front)]
    assert speeds[0] == pytest.approx(speeds[1])
    assert second.impulse[0] == pytest.approx(speeds[1] * masses[1], rel=1e-6)
    assert sum(masses) * speeds[0] == pytest.approx(masses[0] * approach, rel=0.005)  # less one tick's resistance


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


def test_a_vehicle_is_refused_inside_a_prop_but_not_over_a_flat_or_a_ghostly_one(world: "World") -> None:
    barrier, debris = put(world, WALL, 50.0), put(world, "static.prop.dirtdebris01", 80.0)
    with pytest.raises(WorldError, match="collision at spawn position"):
        put(world, CAR, 51.0, z=0.2)
    assert world.destroy(put(world, CAR, 51.0, z=2.0))
    assert put(world, CAR, 80.0)
    world.set_collisions(barrier, False)
    assert put(world, CAR, 51.0, z=0.2)
    assert debris in world.actors


def test_a_prop_parked_below_the_road_keeps_nothing_out(world: "World") -> None:
    barrier = put(world, WALL, 50.0)
    world.set_location(barrier, (50.0, 1.75, -200.0))
    assert put(world, CAR, 51.0, z=0.2)


def test_props_are_put_anywhere_and_keep_no_walker_out(world: "World") -> None:
    put(world, CAR, 50.0)
    put(world, "static.prop.foodcart", 80.0)
    assert put(world, WALL, 50.0)
    assert put(world, WALKER, 81.0, z=1.0)


def impulses(world: "World", ticks: int = 40) -> dict[tuple[int, int], float]:
    """Largest size of the impulse on the first actor of each pair that touched."""
    found: dict[tuple[int, int], float] = {}
    for _ in range(ticks):
        world.tick()
        for event in world.events:
            pair = event.actor.id, event.other.id
            found[pair] = max(found.get(pair, 0.0), math.hypot(*event.impulse))
    return found


def walk(world: "World", x: float, y: float, direction: tuple[float, float, float], speed: float = 2.0) -> int:
    actor = put(world, WALKER, x, y, z=0.9)
    world.apply_walker_control(actor, direction, speed)
    return actor


def test_two_walkers_that_meet_are_both_told_and_get_past_each_other(world: "World") -> None:
    """Exactly head on, which must not become a dance to the same side."""
    one, two = walk(world, 50.0, 1.75, (1.0, 0.0, 0.0)), walk(world, 52.0, 1.75, (-1.0, 0.0, 0.0))
    found = impulses(world, 100)
    assert set(found) == {(one, two), (two, one)}
    assert found[one, two] == pytest.approx(found[two, one])
    assert found[one, two] == pytest.approx(2.0 * 2.0 * MASS_KG / 2, rel=1e-6)
    assert world.actor(one).transform.location[0] > 52.0 > 50.0 > world.actor(two).transform.location[0]
    sides = [world.actor(actor).transform.location[1] - 1.75 for actor in (one, two)]
    assert sides[0] * sides[1] < 0.0


def test_a_walker_stops_at_a_prop_and_slides_along_it(world: "World") -> None:
    barrier = put(world, "static.prop.streetbarrier", 53.0, yaw=90.0)
    straight = walk(world, 50.0, 1.75, (1.0, 0.0, 0.0))
    found = impulses(world)
    place = world.actor(straight).transform.location
    front = 53.0 - world.actor(barrier).extent[1] - world.actor(straight).extent[0]
    assert found == {
        (straight, barrier): pytest.approx(2.0 * MASS_KG, rel=1e-6),
        (barrier, straight): pytest.approx(2.0 * MASS_KG, rel=1e-6),
    }
    assert place[0] == pytest.approx(front, abs=0.01)
    assert place[1] == pytest.approx(1.75, abs=1e-9)
    world.apply_walker_control(straight, (1.0, 1.0, 0.0), 1.0)
    for _ in range(10):
        world.tick()
    assert world.actor(straight).transform.location[1] == pytest.approx(1.75 + 0.5 * math.sqrt(0.5), abs=0.01)


def test_a_walker_that_was_put_inside_a_prop_walks_out_of_it_and_not_in_again(world: "World") -> None:
    """Fail2Drive's pedestrians start inside the box of a food cart."""
    put(world, "static.prop.foodcart", 50.0, yaw=90.0)
    walker = walk(world, 51.6, 1.75, (0.0, 1.0, 0.0), 1.0)
    assert impulses(world, 40) == {}
    assert world.actor(walker).transform.location[:2] == pytest.approx((51.6, 3.75))
    world.apply_walker_control(walker, (0.0, -1.0, 0.0), 1.0)
    assert impulses(world, 40)
    assert world.actor(walker).transform.location[1] == pytest.approx(1.75 + 1.14 + 0.19, abs=0.1)


def test_a_walker_pushes_a_loose_prop_along(world: "World") -> None:
    cone = put(world, "static.prop.trafficcone01", 52.0)
    world.set_simulate_physics(cone, True)
    walker = walk(world, 50.0, 1.75, (1.0, 0.0, 0.0))
    assert (walker, cone) in impulses(world)
    assert world.actor(cone).transform.location[0] > 52.2


def test_a_loose_prop_that_slides_hits_props_and_walkers(world: "World") -> None:
    cone, wall = put(world, "static.prop.trafficcone01", 50.0), put(world, WALL, 53.0, yaw=90.0)
    walker = put(world, WALKER, 47.0, z=0.9)
    for speed, other in ((8.0, wall), (-8.0, walker)):
        world.set_simulate_physics(cone, True)
        world.set_location(cone, (50.0, 1.75, 0.0))
        world.set_target_velocity(cone, (speed, 0.0, 0.0))
        assert set(impulses(world, 20)) == {(cone, other), (other, cone)}
    assert world.actor(wall).transform.location == (53.0, 1.75, 0.0)
    assert world.actor(walker).transform.location[0] < 47.0


def test_what_is_parked_in_one_place_with_physics_off_gives_no_events(world: "World") -> None:
    """scenario_runner keeps its walkers and props so, below the road, until they are needed."""
    parked = [put(world, kind, 50.0 + 5 * k, z=1.0) for k, kind in enumerate((WALKER, WALKER, WALL))]
    for actor in parked:
        world.set_simulate_physics(actor, False)
        world.set_location(actor, (50.0, 1.75, -100.0))
    assert impulses(world, 5) == {}


def test_a_board_on_its_side_is_as_tall_and_thin_as_it_stands(world: "World") -> None:
    """Fail2Drive's boards: thin along their own z, put upright by a roll of 90 degrees."""
    board = world.spawn("static.prop.brickwall", {}, Transform((60.0, 1.75, 1.0), (0.0, 90.0, 90.0))).id
    extent = world.actor(board).extent
    actor = put(world, CAR, 50.0)
    world.set_target_velocity(actor, (10.0, 0.0, 0.0))
    assert drive_until_hit(world) >= 0
    assert {event.actor.id for event in world.events} == {actor, board}
    nose = world.actor(actor).transform.location[0] + world.actor(actor).box_centre[0] + world.actor(actor).extent[0]
    assert nose == pytest.approx(60.0 - extent[2], abs=0.01)


def test_a_board_lying_flat_is_driven_over(world: "World") -> None:
    world.spawn("static.prop.walkingkidlarge", {}, Transform((60.0, 1.75, 0.02)))
    actor = put(world, CAR, 50.0)
    world.set_target_velocity(actor, (10.0, 0.0, 0.0))
    assert drive_until_hit(world, 40) == -1
    assert world.actor(actor).transform.location[0] > 65.0


def test_pairs_looked_at_grow_with_the_crowd_and_not_with_its_square(
    world: "World", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walkers in a row half a metre apart: each has two neighbours, however many there are."""
    counts: list[int] = []

    def spy(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = overlapping_pairs(low, high)
        counts.append(found[0].size)
        return found

    monkeypatch.setattr(contacts, "overlapping_pairs", spy)
    for size in (40, 80):
        while len(world.walkers.ids) < size:
            walk(world, 10.0 + 0.5 * len(world.walkers.ids), 1.75, (1.0, 0.0, 0.0))
        world.tick()
    assert 0 < counts[1] <= 2 * counts[0] + 2
