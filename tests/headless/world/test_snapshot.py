"""The packed records, read back with the struct formats of the wire format."""

import struct
from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Kind, Transform
from bestrand_drive.headless.records import ACTOR_RECORD, LIGHT_RECORD, VEHICLE_RECORD, WALKER_RECORD
from bestrand_drive.headless.world.controls import VehicleControl

if TYPE_CHECKING:
    from collections.abc import Callable

    from bestrand_drive.headless.world.world import World

ACTOR = struct.Struct("<IB6f3f3f3f54s")
VEHICLE = struct.Struct("<fff???ifB?IB")
LIGHT = struct.Struct("<32sffffI?B")
WALKER = struct.Struct("<3ff?")


def test_sizes_are_the_wires() -> None:
    assert [ACTOR_RECORD.itemsize, VEHICLE_RECORD.itemsize, LIGHT_RECORD.itemsize, WALKER_RECORD.itemsize] == [
        ACTOR.size, VEHICLE.size, LIGHT.size, WALKER.size,
    ]  # fmt: skip


def read(world: "World") -> dict[int, tuple]:
    data = world.snapshot_rows().tobytes()
    return {record[0]: record for record in ACTOR.iter_unpack(data)}


def test_every_actor_is_there_once_by_ascending_id(world: "World") -> None:
    cars = [world.spawn("vehicle.tesla.model3", {}, Transform((20.0 * k + 20.0, 1.75, 0.0))).id for k in range(4)]
    world.destroy(cars[1])
    world.spawn("static.prop.trafficcone01", {}, Transform((5.0, 1.0, 0.0)))
    world.tick()
    ids = [record[0] for record in ACTOR.iter_unpack(world.snapshot_rows().tobytes())]
    assert ids == sorted(world.actors)
    assert all(record[1] == 1 for record in read(world).values())


def test_a_vehicles_record(world: "World") -> None:
    car = world.spawn("vehicle.tesla.model3", {}, Transform((147.0, 1.75, 0.0)))
    world.apply_vehicle_control(car.id, VehicleControl(0.5, -0.25, 0.125, False, False))
    world.tick()
    record = read(world)[car.id]
    assert record[2:5] == pytest.approx(car.transform.location)
    assert record[5:8] == pytest.approx(car.transform.rotation, abs=1e-5)
    assert record[8:11] == pytest.approx(car.velocity)
    assert record[11:14] == pytest.approx(car.angular_velocity, abs=1e-5)
    assert record[14:17] == pytest.approx(car.acceleration)
    union = VEHICLE.unpack(record[17][: VEHICLE.size])
    assert union[:6] == (0.5, -0.25, 0.125, False, False, False)
    assert union[7] == pytest.approx(48.28, abs=0.01)
    assert union[8:] == (2, True, world.lights.ids[0], 0)
    assert not any(record[17][VEHICLE.size :])


def test_lights_signs_and_walkers(world: "World") -> None:
    walker = world.spawn("walker.pedestrian.0001", {}, Transform((50.0, 1.75, 1.0)))
    world.apply_walker_control(walker.id, (0.0, 1.0, 0.0), 1.25, True)
    world.lights.set_times(world.lights.ids[0], green=7.0)
    world.tick()
    records = read(world)
    light = LIGHT.unpack(records[world.lights.ids[0]][17])
    assert light[0].rstrip(b"\0") == b"11"
    assert light[1:] == pytest.approx((7.0, 3.0, 2.0, 0.05, 0, False, 2), abs=1e-6)
    (sign,) = [actor for actor in world.actors.values() if actor.kind is Kind.SIGN]
    assert records[sign.id][17][:32].rstrip(b"\0") == b"12"
    assert WALKER.unpack(records[walker.id][17][: WALKER.size]) == (0.0, 1.0, 0.0, 1.25, True)


def test_a_slot_taken_over_by_another_kind_leaves_nothing_behind(world: "World") -> None:
    car = world.spawn("vehicle.tesla.model3", {}, Transform((50.0, 1.75, 0.0)))
    world.apply_vehicle_control(car.id, VehicleControl(0.5))
    world.tick()
    world.snapshot_rows()
    world.destroy(car.id)
    prop = world.spawn("static.prop.trafficcone01", {}, Transform((1.0, 2.0, 3.0)))
    record = read(world)[prop.id]
    assert record[2:5] == (1.0, 2.0, 3.0)
    assert not any(record[8:17])
    assert not any(record[17])


def test_the_table_grows_with_many_actors(make_mini: "Callable[[int], World]") -> None:
    world = make_mini(0)
    ids = [world.spawn("static.prop.trafficcone01", {}, Transform((float(k), 2.0, 0.0))).id for k in range(200)]
    records = read(world)
    assert [records[actor_id][2] for actor_id in ids] == [float(k) for k in range(200)]
    assert world.actor(ids[150]).transform.location[0] == 150.0
