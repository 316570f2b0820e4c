"""The swept sphere: distances to boxes whose places are known."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from bestrand_drive.headless.actor import Actor, Vector
from tests.headless.sensors.stage import CATALOG, Stage

CONE = CATALOG.find("static.prop.constructioncone")
assert CONE is not None


def sensed(stage: Stage, **attributes: str) -> Any:
    """The sensor on the first actor, which looks along +x from its origin."""
    car = stage.actors[1]
    stage.add("sensor.other.obstacle", (car.transform.location[0] + 2.0, 0.0, 0.3), parent=1, **attributes)
    return [msgpack.unpackb(body) for _, _, body in stage.step(stage.suite())]


def staged(*others: tuple[str, Vector]) -> tuple[Stage, list[Actor]]:
    stage = Stage()
    stage.add("vehicle.tesla.model3")
    return stage, [stage.add(type_id, place) for type_id, place in others]


@pytest.mark.parametrize("radius", [0.0, 0.5])
def test_distance_is_the_way_of_the_sphere(radius: float) -> None:
    stage, (cone,) = staged(("static.prop.constructioncone", (8.0, 0.0, 0.0)))
    ((one, other, distance),) = sensed(stage, distance="30.0", hit_radius=str(radius))
    assert (one[0], other[0]) == (1, cone.id)
    assert distance == pytest.approx(8.0 - 2.0 - CONE.extent[0] - radius)


def test_nothing_ahead_nothing_sent() -> None:
    assert sensed(staged()[0]) == []
    assert sensed(staged(("vehicle.audi.tt", (-9.0, 0.0, 0.0)))[0], distance="30.0") == []  # behind
    assert sensed(staged(("vehicle.audi.tt", (12.0, 4.0, 0.0)))[0], distance="30.0") == []  # aside
    assert sensed(staged(("vehicle.audi.tt", (12.0, 0.0, 0.0)))[0], distance="5.0") == []  # too far


def test_the_radius_widens_the_way() -> None:
    place = (9.0, CONE.extent[1] + 0.4, 0.0)
    assert sensed(staged(("static.prop.constructioncone", place))[0], distance="30.0", hit_radius="0.3") == []
    assert sensed(staged(("static.prop.constructioncone", place))[0], distance="30.0", hit_radius="0.45") != []


def test_the_nearest_is_named() -> None:
    stage, (_, near) = staged(("vehicle.audi.tt", (25.0, 0.0, 0.0)), ("walker.pedestrian.0001", (10.0, 0.0, 0.9)))
    ((_, other, _),) = sensed(stage, distance="50.0")
    assert other[0] == near.id


@pytest.mark.parametrize("word", ["True", "true", "1"])
def test_only_dynamics_looks_through_props(word: str) -> None:
    stage, (_, car) = staged(("static.prop.streetbarrier", (6.0, 0.0, 0.0)), ("vehicle.audi.tt", (15.0, 0.0, 0.0)))
    ((_, other, _),) = sensed(stage, distance="50.0", only_dynamics=word)
    assert other[0] == car.id


def test_an_overlap_at_the_start_is_at_distance_zero() -> None:
    stage, _ = staged(("static.prop.trafficwarning", (2.0, 0.0, 0.0)))
    assert sensed(stage)[0][2] == 0.0


def test_without_a_parent_it_speaks_for_itself() -> None:
    stage = Stage()
    stage.add("static.prop.container", (3.0, 0.0, 0.0))
    sensor = stage.add("sensor.other.obstacle", (0.0, 0.0, 0.5))
    one, other, distance = stage.message(stage.suite())
    assert (one[0], other[0]) == (sensor.id, 1)
    assert distance == pytest.approx(3.0 - 0.97 - 0.5)


def test_text_that_is_no_utf8_leaves_as_it_came() -> None:
    stage, _ = staged(("vehicle.audi.tt", (12.0, 0.0, 0.0)))
    stage.actors[1].attributes["role_name"] = (3, b"\xff\xfe".decode("utf-8", "surrogateescape"))
    stage.add("sensor.other.obstacle", (2.0, 0.0, 0.3), parent=1, distance="30.0")
    (_, _, (_, _, attributes), *_), _, _ = msgpack.unpackb(stage.body(stage.suite()), raw=True)
    assert [b"role_name", 4, b"\xff\xfe"] in attributes
