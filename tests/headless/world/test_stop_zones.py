"""When a vehicle is at a traffic light, and what its snapshot then says."""

from typing import TYPE_CHECKING

import pytest

from bestrand_drive.headless.actor import Kind, Transform
from bestrand_drive.headless.world.lights import LightState
from tests.headless.world.reading import record

if TYPE_CHECKING:
    from collections.abc import Callable

    from bestrand_drive.headless.world.world import World

CAR = "vehicle.tesla.model3"


def at_light(world: "World", x: float, y: float = 1.75, yaw: float = 0.0) -> tuple[int, bool, int]:
    car = world.spawn(CAR, {}, Transform((x, y, 0.0), (0.0, yaw, 0.0)))
    world.tick()
    found = record(world, car.id, "vehicle")
    world.destroy(car.id)
    return int(found["light_state"]), bool(found["has_light"]), int(found["light_id"])


@pytest.mark.parametrize(("x", "there"), [(130.0, False), (145.0, True), (149.0, True), (156.0, False)])
def test_it_is_at_the_light_while_its_box_touches_the_volume(world: "World", x: float, there: bool) -> None:
    light = world.lights.ids[0]
    assert at_light(world, x) == ((LightState.GREEN, True, light) if there else (LightState.GREEN, False, 0))


def test_the_state_is_the_lights(world: "World") -> None:
    light = world.lights.ids[0]
    world.lights.freeze(light, True)
    world.lights.set_state(light, LightState.RED)
    assert at_light(world, 147.0) == (LightState.RED, True, light)


def test_neither_the_other_lane_nor_the_other_way_is_stopped(world: "World") -> None:
    assert at_light(world, 147.0, y=-1.75, yaw=180.0)[1] is False
    assert at_light(world, 147.0, y=1.75, yaw=180.0)[1] is False


def test_signals_are_actors_with_their_volumes(world: "World") -> None:
    light = world.actor(world.lights.ids[0])
    assert (light.kind, light.type_id) == (Kind.TRAFFIC_LIGHT, "traffic.traffic_light")
    assert light.extent == world.road_map.lights[0].extent
    (sign,) = [actor for actor in world.actors.values() if actor.kind is Kind.SIGN]
    assert (sign.type_id, record(world, sign.id, "sign_id")) == ("traffic.stop", b"12")
    assert record(world, light.id, "light").tolist() == (b"11", 10.0, 3.0, 2.0, 0.0, 0, False, 2)


@pytest.mark.parametrize(("name", "numbers"), [("Town01", {30, 60, 90}), ("Town07", {30, 40})])
def test_speed_signs_are_named_as_carlas_are(make_town: "Callable[..., World]", name: str, numbers: set[int]) -> None:
    """``traffic.speed_limit.30``: the sign's number, though these towns' files call it mph and CARLA means km/h."""
    names = [actor.type_id for actor in make_town(name).actors.values() if actor.kind is Kind.SIGN]
    assert {name for name in names if "speed" in name} == {f"traffic.speed_limit.{number}" for number in numbers}


@pytest.mark.parametrize("name", ["Town01", "Town10HD"])
def test_a_vehicle_on_every_stop_line_is_at_its_light(make_town: "Callable[..., World]", name: str) -> None:
    world = make_town(name)
    for light, site in zip(world.lights.ids, world.road_map.lights, strict=True):
        assert site.lanes
        for lane in site.lanes:
            car = world.spawn(CAR, {}, Transform(lane.location, (0.0, lane.yaw, 0.0)))
            world.tick()
            assert record(world, car.id, "vehicle")[["has_light", "light_id"]].tolist() == (True, light)
            world.destroy(car.id)
