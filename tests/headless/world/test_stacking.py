"""What falls on something else stays on top of it, says so, and falls on when that is gone."""

import itertools
from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.world.contacts import CLEARANCE_M
from bestrand_drive.headless.world.controls import VehicleControl
from bestrand_drive.headless.world.dynamics import GRAVITY

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

CAR, WALKER, BOX = "vehicle.tesla.model3", "walker.pedestrian.0001", "static.prop.box01"
STEP_S = 0.05


def put(world: "World", type_id: str, z: float = 0.0, x: float = 50.0, y: float = 1.75) -> int:
    return world.spawn(type_id, {}, Transform((x, y, z), (0.0, 0.0, 0.0))).id


def seen(world: "World", ticks: int) -> list[tuple[int, int, float]]:
    """Every event of some ticks: who, by whom, the upward impulse."""
    found = []
    for _ in range(ticks):
        world.tick()
        found += [(event.actor.id, event.other.id, event.impulse[2]) for event in world.events]
    return found


def under(world: "World", actor: int) -> float:
    """Height of the lower face of an actor's box, metres."""
    one = world.actor(actor)
    return one.transform.location[2] + one.box_centre[2] - one.extent[2]


def over(world: "World", actor: int) -> float:
    """Height of the upper face."""
    return under(world, actor) + 2 * world.actor(actor).extent[2]


@pytest.mark.parametrize("height", [2.0, 5.0, 50.0, 300.0])
def test_a_car_that_falls_on_another_stays_on_its_roof_with_events_for_both(world: "World", height: float) -> None:
    low, high = put(world, CAR), put(world, CAR, height)
    before = world.actor(low).transform.location
    events = seen(world, 200)
    assert under(world, high) == pytest.approx(over(world, low) - CLEARANCE_M, abs=1e-6)
    assert world.actor(high).transform.location[:2] == pytest.approx(before[:2])
    assert world.actor(low).transform.location == pytest.approx(before, abs=1e-6)
    assert {pair[:2] for pair in events} == {(low, high), (high, low)}
    assert all((upward > 0.0) == (actor == high) for actor, _, upward in events)


def test_the_first_impulse_takes_the_whole_fall_and_the_next_ones_carry_the_weight(world: "World") -> None:
    low, high = put(world, CAR), put(world, CAR, 5.0)
    drop = 5.0 + world.actor(high).box_centre[2] - world.actor(high).extent[2] - (over(world, low) - CLEARANCE_M)
    impulses = [upward for actor, _, upward in seen(world, 60) if actor == high]
    mass = world.physics_control(high).mass
    assert impulses[0] / mass == pytest.approx((2.0 * GRAVITY * drop) ** 0.5, abs=GRAVITY * STEP_S)
    assert impulses[-1] / mass == pytest.approx(GRAVITY * STEP_S)


def test_a_snapshot_shows_one_that_rests_at_rest(world: "World") -> None:
    put(world, CAR)
    high = put(world, CAR, 3.0)
    seen(world, 60)
    places = []
    for _ in range(20):
        world.tick()
        one = world.actor(high)
        places.append(one.transform.location)
        assert one.velocity == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
        assert one.acceleration == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert max(place[2] for place in places) - min(place[2] for place in places) < 1e-9


def test_of_three_above_each_other_none_ends_inside_another(world: "World") -> None:
    cars = [put(world, CAR, 4.0 * level) for level in range(3)]
    seen(world, 200)
    half = world.actor(cars[0]).extent
    for one, other in itertools.combinations([world.actor(car).transform.location for car in cars], 2):
        away = [abs(a - b) for a, b in zip(one, other, strict=True)]
        assert away[0] > 2 * half[0] or away[1] > 2 * half[1] or away[2] > 2 * half[2] - CLEARANCE_M - 0.03, away


@pytest.mark.parametrize("go", ["destroyed", "driven off"])
def test_when_the_lower_one_is_gone_the_upper_one_falls_to_the_road(world: "World", go: str) -> None:
    low, high = put(world, CAR), put(world, CAR, 5.0)
    seen(world, 60)
    if go == "destroyed":
        world.destroy(low)
    else:
        world.apply_vehicle_control(low, VehicleControl(throttle=1.0))
    seen(world, 120)
    assert world.actor(high).transform.location[2] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("upper", [WALKER, BOX])
def test_walkers_and_loose_props_come_to_rest_on_a_car(world: "World", upper: str) -> None:
    low, high = put(world, CAR), put(world, upper, 4.0)
    if upper == BOX:
        world.set_simulate_physics(high, True)
    assert {pair[:2] for pair in seen(world, 100)} == {(low, high), (high, low)}
    assert under(world, high) == pytest.approx(over(world, low) - CLEARANCE_M, abs=1e-6)


def test_what_has_no_physics_is_neither_lifted_nor_dropped(world: "World") -> None:
    low, high = put(world, CAR), put(world, CAR, 5.0)
    world.set_simulate_physics(high, False)
    assert seen(world, 60) == []
    assert world.actor(high).transform.location[2] == 5.0
    assert world.actor(low).transform.location[2] == pytest.approx(0.0, abs=1e-6)


def test_one_that_a_client_puts_into_another_from_below_lifts_nobody(world: "World") -> None:
    """Scenarios keep actors far underground until they need them."""
    low, hidden = put(world, CAR), put(world, CAR, -500.0)
    seen(world, 5)
    world.set_transform(hidden, Transform((51.0, 1.75, 0.0), (0.0, 0.0, 0.0)))
    events = seen(world, 1)
    assert {pair[:2] for pair in events} == {(low, hidden), (hidden, low)}
    assert world.actor(low).transform.location[2] == pytest.approx(0.0, abs=1e-6)
    assert world.actor(hidden).transform.location[2] == pytest.approx(0.0, abs=1e-6)
    assert abs(world.actor(hidden).transform.location[1] - world.actor(low).transform.location[1]) > 1.8
