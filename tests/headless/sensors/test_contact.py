"""Collision events reach the sensors of both parties, in the layout of each version."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.world.contacts import CollisionEvent
from tests.headless.sensors.stage import CATALOG, Stage


def staged() -> Stage:
    """Two cars (1, 2) and a walker (3); sensors on both cars and on the walker, and one on nothing (4 to 7)."""
    stage = Stage()
    stage.add("vehicle.tesla.model3", role_name="hero")
    stage.add("vehicle.kawasaki.ninja")
    stage.add("walker.pedestrian.0012")
    for parent in (1, 2, 3, 0):
        stage.add("sensor.other.collision", parent=parent)
    return stage


def told(stage: Stage, *events: CollisionEvent, version: str = "0.9.16") -> list[tuple[int, Any]]:
    stage.events = list(events)
    return [(stream, msgpack.unpackb(body)) for stream, _, body in stage.step(stage.suite(version))]


def test_nothing_touched_nothing_sent() -> None:
    assert told(staged()) == []


def both(one: Actor, two: Actor, x: float) -> list[CollisionEvent]:
    """A contact as the world tells it: to each side its own part."""
    return [CollisionEvent(one, two, (x, 4.0, 0.5)), CollisionEvent(two, one, (-x, -4.0, -0.5))]


def test_each_party_hears_its_own_part_once() -> None:
    stage = staged()
    events = both(stage.actors[1], stage.actors[3], -30.0)
    heard = [(stream, one[0], other[0], impulse) for stream, (one, other, impulse) in told(stage, *events)]
    assert heard == [(104, 1, 3, [-30.0, 4.0, 0.5]), (106, 3, 1, [30.0, -4.0, -0.5])]


def test_two_contacts_are_two_frames() -> None:
    stage = staged()
    events = [event for k in (2, 3) for event in both(stage.actors[1], stage.actors[k], float(k))]
    heard = [(other[0], impulse[0]) for stream, (_, other, impulse) in told(stage, *events) if stream == 104]
    assert heard == [(2, 2.0), (3, 3.0)]


@pytest.mark.parametrize(("version", "base", "box_fields"), [("0.9.15", 0, 3), ("0.9.16", 1, 4)])
def test_parties_are_described_as_the_version_has_them(version: str, base: int, box_fields: int) -> None:
    stage = staged()
    event = CollisionEvent(stage.actors[1], stage.actors[2], (1.0, 0.0, 0.0))
    one, other, _ = told(stage, event, version=version)[0][1]
    blueprint = CATALOG.find("vehicle.tesla.model3")
    assert blueprint is not None
    number, parent, (uid, type_id, attributes), box, tags, token = one
    assert (number, parent, uid, type_id) == (1, 0, blueprint.uid, "vehicle.tesla.model3")
    assert ["role_name", 3 + base, "hero"] in attributes
    assert ["number_of_wheels", 1 + base, "4"] in attributes
    assert len(attributes) == len(blueprint.attributes)
    assert box[:2] == [list(blueprint.box_centre), list(blueprint.extent)]
    assert len(box) == box_fields
    assert (tags, token) == (bytes([14]), b"")
    assert other[2][1] == "vehicle.kawasaki.ninja"


def test_a_sensor_whose_parent_is_gone_is_silent() -> None:
    stage = staged()
    car, other = stage.actors[1], stage.actors[2]
    stage.remove(car)
    assert [stream for stream, _ in told(stage, *both(car, other, 1.0))] == [105]


def test_text_that_is_no_utf8_leaves_as_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    stage = staged()
    raw = b"caf\xe9"
    stage.actors[1].attributes["role_name"] = (3, raw.decode("utf-8", "surrogateescape"))
    stage.events = both(stage.actors[1], stage.actors[2], 1.0)
    (_, _, body), *_ = stage.step(stage.suite())
    (_, _, (_, _, attributes), *_), _, _ = msgpack.unpackb(body, raw=True)
    assert [b"role_name", 4, raw] in attributes
    assert capsys.readouterr().err == ""
