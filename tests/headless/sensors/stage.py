"""A world made by hand: actors placed in the real table of bodies, time moved by the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from struct import Struct
from typing import Any

import msgpack

from bestrand_drive.headless.actor import Actor, Transform, Vector
from bestrand_drive.headless.blueprints.catalog import Catalog, load_catalog
from bestrand_drive.headless.sensors.suite import SensorSuite
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.world.bodies import Bodies, TableActor
from bestrand_drive.headless.world.contacts import CollisionEvent
from bestrand_drive.headless.world.settings import EpisodeSettings

ZERO = (0.0, 0.0, 0.0)
HEADER = Struct("<QQd6f")  # type, frame, timestamp, x y z pitch yaw roll
CATALOG: Catalog = load_catalog()


@dataclass
class Stage:
    """Fulfils ``SensedWorld``."""

    opendrive: str = ""
    ground: float | None = 0.0
    frame: int = 0
    elapsed_s: float = 0.0
    imu_gravity: float = 9.81
    settings: EpisodeSettings = field(default_factory=EpisodeSettings)
    actors: dict[int, Actor] = field(default_factory=dict)
    bodies: Bodies = field(default_factory=Bodies)
    events: list[CollisionEvent] = field(default_factory=list)
    last_id: int = 0

    def ground_height(self, x: float, y: float, z: float) -> float | None:
        return self.ground

    def add(
        self,
        type_id: str,
        location: Vector = ZERO,
        rotation: Vector = ZERO,
        parent: int = 0,
        attachment: Transform | None = None,
        **attributes: str,
    ) -> Actor:
        blueprint = CATALOG.find(type_id)
        assert blueprint is not None
        values = blueprint.defaults()
        values.update({name: (values[name][0], value) for name, value in attributes.items()})
        self.last_id += 1
        number = self.last_id
        stream = 100 + number if type_id.startswith("sensor.") else 0
        extent, centre = CATALOG.body(blueprint, values)
        plain = Actor(number, blueprint.kind, type_id, blueprint.uid, values, Transform(location, rotation), ZERO, ZERO,
                      ZERO, extent, centre, blueprint.semantic_tag, parent, attachment, stream)  # fmt: skip
        self.actors[number] = TableActor(plain, self.bodies)
        return self.actors[number]

    def remove(self, actor: Actor) -> None:
        self.bodies.remove(actor.id)
        del self.actors[actor.id]

    def suite(self, version: str = "0.9.16", listened: Callable[[int], bool] = lambda _stream: True) -> SensorSuite:
        return SensorSuite(self, load_version(version), listened)

    def step(self, suite: SensorSuite, delta_s: float = 0.05) -> list[tuple[int, tuple[Any, ...], bytes]]:
        """Move time and return stream, unpacked header and body of each frame."""
        self.frame += 1
        self.elapsed_s += delta_s
        self.settings.fixed_delta_seconds = delta_s
        frames = [(stream, b"".join(pieces)) for stream, pieces in suite.frames()]
        return [(stream, HEADER.unpack(data[:48]), data[48:]) for stream, data in frames]

    def body(self, suite: SensorSuite, delta_s: float = 0.05) -> bytes:
        """The body of the only frame of a step."""
        ((_, _, body),) = self.step(suite, delta_s)
        return body

    def message(self, suite: SensorSuite, delta_s: float = 0.05) -> Any:
        """The msgpack body of the only frame of a step."""
        return msgpack.unpackb(self.body(suite, delta_s))
