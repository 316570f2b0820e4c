"""One moment for one sensor, and what it makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.scene import Scene
from bestrand_drive.headless.sensors.schedule import Span
from bestrand_drive.headless.sensors.trail import Trail
from bestrand_drive.headless.sensors.world_view import SensedWorld

Body = Sequence[bytes]
"""What follows a frame's 48-byte header, in pieces; equal pieces may be one object."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a sensor measures from.

    Attributes:
        world: After the tick.
        sensor: The sensor's actor.
        parent: What it is attached to, or none.
        span: The time that this measurement covers, since the sensor was spawned.
        age: Ticks that the sensor has seen before this one.
        scene: The boxes of the world at this frame, shared by all sensors.
        trail: Where everything was at the last ticks.
    """

    world: SensedWorld
    sensor: Actor
    parent: Actor | None
    span: Span
    age: int
    scene: Scene
    trail: Trail


class Model(Protocol):
    """How one kind of sensor measures. It remembers nothing, so that it does not matter who listened before."""

    def measure(self, moment: Moment) -> list[Body]:
        """The bodies of the frames to send now: none, one, or several."""
