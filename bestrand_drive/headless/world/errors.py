"""What the world refuses; the text travels to the client as a CARLA error response."""

from __future__ import annotations

from bestrand_drive.errors import BestrandError

SPAWN_COLLISION = "Spawn failed because of collision at spawn position"
SPAWN_INVALID = "Spawn failed because of invalid actor description"
ACTOR_NOT_FOUND = "unable to find actor"


class WorldError(BestrandError):
    """A call asks for something that the world does not have or cannot do."""
