"""One moment for one sensor, and its attributes as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bestrand_drive.headless.sensors.scene import Scene
from bestrand_drive.headless.sensors.world_view import SensedWorld
from bestrand_drive.headless.world.actor import Actor


@dataclass(frozen=True, slots=True)
class Moment:
    """What a sensor measures from.

    Attributes:
        world: After the tick.
        sensor: The sensor's actor.
        parent: What it is attached to, or none.
        delta_s: Time since its last measurement, seconds.
        count: Number of its measurements before this one.
        scene: The boxes of the world at this frame, shared by all sensors.
    """

    world: SensedWorld
    sensor: Actor
    parent: Actor | None
    delta_s: float
    count: int
    scene: Scene


class Model(Protocol):
    """How one kind of sensor measures. One instance a sensor; it may remember earlier moments."""

    def measure(self, moment: Moment) -> list[bytes]:
        """The bodies of the frames to send now (without the 48-byte header): none, one, or several."""


def number(actor: Actor, name: str, default: float) -> float:
    """A numeric attribute; ``default`` where it is absent, no number, or not finite."""
    try:
        value = float(actor.attributes[name][1].rstrip("f"))
    except (KeyError, ValueError):
        return default
    return value if abs(value) < float("inf") else default


def whole(actor: Actor, name: str, default: int, *, low: int, high: int) -> int:
    """An integer attribute, held within bounds so that one attribute cannot exhaust the memory."""
    return min(max(int(number(actor, name, default)), low), high)


def switched_on(actor: Actor, name: str) -> bool:
    """A boolean attribute; false where it is absent."""
    return actor.attributes.get(name, (0, "false"))[1].lower() in {"true", "1"}
