"""Where an actor is and how it moves, read once a tick."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import carla


@dataclass(frozen=True)
class State:
    """One actor at one tick, in CARLA's world (left-handed, metres, degrees, m/s).

    Attributes:
        location: Of the actor's origin.
        rotation: Of the actor.
        velocity: In the world.
        speed: Norm of the velocity, all three axes, m/s.
    """

    location: carla.Location
    rotation: carla.Rotation
    velocity: carla.Vector3D
    speed: float

    @staticmethod
    def of(snapshot: carla.ActorSnapshot) -> State:
        """From the actor's part of a world snapshot."""
        transform, velocity = snapshot.get_transform(), snapshot.get_velocity()
        return State(transform.location, transform.rotation, velocity, math.hypot(velocity.x, velocity.y, velocity.z))

    @property
    def forward(self) -> tuple[float, float]:
        """Unit vector of the heading on the ground."""
        yaw = math.radians(self.rotation.yaw)
        return math.cos(yaw), math.sin(yaw)
