"""Collision sensor: one frame a contact of its parent. Body: msgpack [actor, other actor, impulse]."""

from __future__ import annotations

from bestrand_drive.headless.sensors.reading import Body, Moment
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire.descriptions import actor_value, pack


class CollisionSensor:
    """``sensor.other.collision``: told by the world, which tells each party of its own part."""

    def __init__(self, version: ProtocolVersion) -> None:
        self._version = version

    def measure(self, moment: Moment) -> list[Body]:
        """A frame for each actor that the parent touched in this tick, with the impulse on the parent in N s."""
        parent = moment.parent
        if parent is None:
            return []
        itself = actor_value(parent, self._version)
        return [
            (pack([itself, actor_value(event.other, self._version), event.impulse]),)
            for event in moment.world.events
            if event.actor.id == parent.id
        ]
