"""Vehicles and walkers that the evaluator drives: car following on a path, one batch of commands a tick for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import carla


class Driven:
    """A vehicle on a path.

    Attributes:
        actor: The vehicle.
        speed_m_s: What it wants to drive; may be changed at any time.
        done: It reached the end of its path, or stopped for good.
    """

    actor: carla.Actor
    speed_m_s: float
    done: bool
    path: Sequence[Any]
    """Anything with a ``transform`` or a ``location``, or transforms or locations; may be replaced at any time."""

    def stop(self) -> None:
        """Brake to a halt and stay; driving on is a matter of a new ``drive``."""


class Walk:
    """A walker on its way to a place.

    Attributes:
        done: It is there.
    """

    actor: carla.Actor
    speed_m_s: float
    done: bool


class Traffic:
    """Everything that moves beside the ego."""

    def drive(  # noqa: PLR0913  one keyword a trait
        self,
        actor: carla.Actor,
        path: Sequence[Any],
        speed_m_s: float,
        *,
        respects_lights: bool = True,
        yields: bool = True,
        keeps_distance: bool = True,
        deceleration_m_s2: float = 3.0,
    ) -> Driven:
        """Drive a vehicle along a path; replaces what it was told before.

        Args:
            actor: The vehicle.
            path: Places about 1 or 2 m apart: transforms, locations, waypoints or plan points.
            speed_m_s: Wanted speed.
            respects_lights: Stops at red lights and stop lines on its path.
            yields: Gives way at junctions to whoever is in them on another path.
            keeps_distance: Follows whatever is on its path, the ego too; without, it hits it.
            deceleration_m_s2: Comfortable braking.
        """
        raise NotImplementedError

    def walk(self, walker: carla.Actor, target: carla.Location, speed_m_s: float) -> Walk:
        """Walk straight to a place and stop there; replaces what it was told before."""
        raise NotImplementedError

    def release(self, actor: carla.Actor) -> None:
        """Drive it no more; it keeps the last command."""
        raise NotImplementedError

    def clear(self, around: carla.Location, radius_m: float) -> None:
        """Remove background vehicles there."""
        raise NotImplementedError

    def keep_away(self, around: carla.Location, radius_m: float) -> None:
        """Spawn no background vehicle there from now on, and turn none into it."""
        raise NotImplementedError

    def background(self, count: int) -> None:
        """How many ambient vehicles there are around the ego from now on."""
        raise NotImplementedError
