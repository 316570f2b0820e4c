"""The numbers that the world takes. What lies beyond is refused before it is stored, so that no later sum overflows.

All limits are far beyond what a scenario needs: Unreal's own worlds reach 10 km, or 100 km for large maps.
"""

from __future__ import annotations

from collections.abc import Iterable

from bestrand_drive.headless.actor import Transform, Vector
from bestrand_drive.headless.maps.soundness import FARTHEST_M
from bestrand_drive.headless.world.controls import PhysicsControl
from bestrand_drive.headless.world.errors import WorldError

MOST_DEG = 1e6
FASTEST_MPS = 1e3
FASTEST_DPS = 1e5
SHORTEST_STEP_S, LONGEST_STEP_S = 1e-4, 10.0
MOST_SUBSTEPS = 1000
MOST_ACTORS = 10_000
"""The map's own included."""
LONGEST_CHAIN = 32
"""Actors on actors on actors."""

_GRAVITY_MPS2 = -1e3, 1e3
_MASS_KG = 1.0, 1e6
_WHEEL_DEG = 0.0, 89.0
_FRICTION = 0.0, 100.0
_DRAG = 0.0, 1e3


def check(what: str, unit: str, values: Iterable[float], low: float, high: float) -> None:
    """Refuse numbers outside ``low`` to ``high``, and NaN.

    Raises:
        WorldError: One is; it says what, and the range.
    """
    for value in values:
        if not low <= value <= high:
            raise WorldError(f"{what} {value:g} {unit}: this server takes {low:g} to {high:g} {unit}")


def check_location(location: Vector) -> None:
    """Refuse places outside any world, metres."""
    check("a place at", "m", location, -FARTHEST_M, FARTHEST_M)


def check_transform(transform: Transform) -> None:
    """Refuse places outside any world and angles that are none."""
    check_location(transform.location)
    check("a rotation of", "degrees", transform.rotation, -MOST_DEG, MOST_DEG)


def check_velocity(velocity: Iterable[float]) -> None:
    """Refuse what is faster than anything here, m/s."""
    check("a velocity of", "m/s", velocity, -FASTEST_MPS, FASTEST_MPS)


def check_spin(spin: Iterable[float]) -> None:
    """Refuse what turns faster than anything here, deg/s."""
    check("an angular velocity of", "degrees/s", spin, -FASTEST_DPS, FASTEST_DPS)


def check_gravity(gravity: float) -> None:
    """Refuse what no planet has, m/s^2."""
    check("a gravity of", "m/s^2", (gravity,), *_GRAVITY_MPS2)


def check_physics(physics: PhysicsControl) -> None:
    """Refuse a vehicle that could not move as one; only what acts on the motion is looked at."""
    check("a vehicle's mass of", "kg", (physics.mass,), *_MASS_KG)
    check("a drag coefficient of", "", (physics.drag_coefficient,), *_DRAG)
    check("a wheel's angle of", "degrees", (wheel.max_steer_angle for wheel in physics.wheels), *_WHEEL_DEG)
    check("a tyre's friction of", "", (wheel.tire_friction for wheel in physics.wheels), *_FRICTION)
