"""What a driver takes note of, and how it moves, in a world of made-up actors."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import carla
import pytest
from probe_driving.surroundings import Surroundings, Thing

EGO_M = (200.0, -80.0, 30.0)
"""Where the ego is; all other places are told from there."""


class World:
    """Actors that are where they were put; ``asked`` holds the ids of actors that were asked for."""

    def __init__(self) -> None:
        self.actors: dict[int, Any] = {}
        self.states: dict[int, Any] = {}
        self.asked: list[int] = []

    def put(self, number: int, kind: str, *place: float, velocity=(0.0, 0.0, 0.0), yaw=0.0, turn=0.0, **more: str):
        """An actor, there or elsewhere before; its box is 4 m by 2 m."""
        box = SimpleNamespace(extent=SimpleNamespace(x=2.0, y=1.0))
        actor = SimpleNamespace(id=number, type_id=kind, attributes=more, bounding_box=box)
        there = [here + ahead for here, ahead in zip(EGO_M, place, strict=True)]
        self.actors[number] = actor
        self.states[number] = SimpleNamespace(
            id=number,
            get_transform=lambda: carla.Transform(carla.Location(*there), carla.Rotation(yaw=yaw)),
            get_velocity=lambda: carla.Vector3D(*velocity),
            get_angular_velocity=lambda: carla.Vector3D(0.0, 0.0, turn),
        )
        return actor

    def get_snapshot(self) -> list[Any]:
        return list(self.states.values())

    def get_actors(self, numbers: list[int]) -> list[Any]:
        self.asked += numbers
        return [self.actors[number] for number in numbers]


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def around(world: World) -> Surroundings:
    return Surroundings(world, world.put(1, "vehicle.lincoln.mkz_2020", 0.0, 0.0, 0.0))


def seen(around: Surroundings) -> list[int]:
    around.update()
    return [thing.number for thing in around.things]


def test_vehicles_people_and_props_near_by_are_seen_and_nothing_else(world, around):
    for number, kind in enumerate(("vehicle.audi.tt", "walker.pedestrian.0001", "static.prop.box01"), start=2):
        world.put(number, kind, 10.0 * number, 0.0, 0.0)
    for number, kind in enumerate(("spectator", "static.prop.dirtdebris02", "sensor.other.imu", "traffic.stop"), 5):
        world.put(number, kind, 10.0, 0.0, 0.0)
    for number, x, y in ((9, 89.0, -89.0), (10, 91.0, 0.0), (11, -91.0, 0.0), (12, 0.0, 91.0), (13, 0.0, -91.0)):
        world.put(number, "vehicle.audi.tt", x, y, 0.0)
    assert seen(around) == [2, 3, 4, 9]
    assert (around.hero.x, around.hero.y, around.hero.z) == EGO_M


@pytest.mark.parametrize(
    ("x", "z", "there"), [(10.0, 4.0, True), (10.0, -5.0, False), (10.0, 5.0, False), (60.0, 9.0, True)]
)
def test_what_is_on_another_level_does_not_matter_but_hills_do(world, around, x, z, there):
    world.put(2, "vehicle.audi.tt", x, 0.0, z)
    assert seen(around) == [2] * there


def test_each_actor_is_asked_for_once_and_forgotten_when_it_is_gone(world, around):
    world.put(2, "vehicle.audi.tt", 10.0, 0.0, 0.0)
    world.put(3, "spectator", 10.0, 0.0, 0.0)
    assert [seen(around) for _ in range(2)] == [[2], [2]]
    world.put(4, "walker.pedestrian.0001", 10.0, 0.0, 0.0)
    del world.states[2]
    assert seen(around) == [4]
    assert sorted(world.asked) == [1, 2, 3, 4]


def test_what_has_driven_is_not_parked_and_props_are_taken_to_stand(world, around):
    for speed, moved in ((0.9, False), (2.0, True), (0.0, True)):
        world.put(2, "vehicle.audi.tt", 10.0, 0.0, 0.0, velocity=(0.0, speed, 1.0), yaw=90.0, turn=10.0)
        world.put(3, "static.prop.box01", 10.0, 0.0, 0.0, velocity=(0.0, speed, 0.0))
        world.put(4, "walker.pedestrian.0001", 10.0, 0.0, 0.0, velocity=(speed, 0.0, 0.0), turn=10.0)
        around.update()
        car, prop, walker = around.things
        assert (car.vx, car.vy, car.speed, car.moved) == pytest.approx((0.0, speed, speed, moved))
        assert (car.cos, car.sin) == pytest.approx((0.0, 1.0), abs=1e-6)
        assert car.turn == pytest.approx(math.radians(10.0) if speed > 1.0 else 0.0), "who stands may be turned about"
        assert (prop.speed, prop.moved) == (0.0, False)
        assert (walker.vx, walker.turn) == pytest.approx((speed, 0.0)), "people turn as they like"


@pytest.mark.parametrize(("side", "half"), [(0.0, 0.3), (math.inf, 0.3), (math.nan, 0.3), (1.5, 1.5)])
def test_props_without_a_box_have_some_size(world, side, half):
    prop = world.put(2, "static.prop.box01", 10.0, 0.0, 0.0)
    prop.bounding_box.extent.x = side
    assert (Thing(prop).half_length, Thing(prop).half_width) == (half, 1.0)
    prop.bounding_box.extent.y = side
    assert Thing(prop).half_width == half


def test_blue_lights_are_told_by_the_blueprint(world):
    for kind, emergency in (("vehicle.ford.ambulance", True), ("walker.pedestrian.0001", False)):
        assert Thing(world.put(2, kind, 0.0, 0.0, 0.0, special_type="emergency")).emergency is emergency
    assert not Thing(world.put(2, "vehicle.audi.tt", 0.0, 0.0, 0.0)).emergency
