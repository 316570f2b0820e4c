"""What sensors read of the world: the narrow waist between measuring and simulating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.world.bodies import Bodies
from bestrand_drive.headless.world.contacts import CollisionEvent
from bestrand_drive.headless.world.settings import EpisodeSettings


class SensedWorld(Protocol):
    """The part of the world that sensors read."""

    @property
    def frame(self) -> int:
        """Number of the last tick."""

    @property
    def elapsed_s(self) -> float:
        """Simulated time, seconds."""

    @property
    def settings(self) -> EpisodeSettings:
        """The length of the last tick is in force until the next."""

    @property
    def actors(self) -> dict[int, Actor]:
        """Every actor by id, ids ascending and never reused."""

    @property
    def bodies(self) -> Bodies:
        """Where all actors are, as one table."""

    @property
    def events(self) -> Sequence[CollisionEvent]:
        """Contacts of the last tick."""

    @property
    def opendrive(self) -> str:
        """The map."""

    @property
    def imu_gravity(self) -> float:
        """Gravity that inertial sensors feel, m/s^2."""

    def ground_height(self, x: float, y: float, z: float) -> float | None:
        """Height of the ground near a point, metres."""
