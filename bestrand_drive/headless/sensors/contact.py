"""Collision sensor: one frame a contact of its parent. Body: msgpack [actor, other actor, impulse]."""

from __future__ import annotations

from collections.abc import Sequence

import msgpack

from bestrand_drive.headless.sensors.parties import actor_value
from bestrand_drive.headless.sensors.reading import Moment
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.world.actor import Actor, Vector
from bestrand_drive.headless.world.contacts import CollisionEvent


class CollisionSensor:
    """``sensor.other.collision``: told by the world, to the sensors of either party."""

    def __init__(self, version: ProtocolVersion) -> None:
        self._version = version

    def measure(self, moment: Moment) -> list[bytes]:
        """A frame for each actor that the parent touched in this tick."""
        if moment.parent is None:
            return []
        itself = actor_value(moment.parent, self._version)
        return [
            msgpack.packb([itself, actor_value(other, self._version), list(impulse)])
            for other, impulse in _contacts(moment.world.events, moment.parent.id)
        ]


def _contacts(events: Sequence[CollisionEvent], party: int) -> list[tuple[Actor, Vector]]:
    """Whom ``party`` touched in this tick, once each, and the impulse on it in N s.

    The world may tell a contact from one side only; the other side feels the opposite impulse.
    """
    contacts: dict[int, tuple[Actor, Vector]] = {}
    for event in events:
        if event.actor.id == party:
            contacts.setdefault(event.other.id, (event.other, event.impulse))
    for event in events:
        if event.other.id == party:
            x, y, z = event.impulse
            contacts.setdefault(event.actor.id, (event.actor, (-x, -y, -z)))
    return list(contacts.values())
