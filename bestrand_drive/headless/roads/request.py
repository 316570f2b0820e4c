"""What a road network is built from: one route's waypoints and scenarios, in CARLA's coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field

Place = tuple[float, float, float]
"""x, y, z in metres; CARLA's axes (x east, y south, z up)."""


@dataclass(frozen=True)
class Scenario:
    """One scenario of a route.

    Attributes:
        type: Name of its class in scenario_runner.
        trigger: Where it begins.
        yaw: Heading there, degrees, clockwise from x as in CARLA.
        direction: The scenario's own parameter "direction", or empty.
        places: Its other places by name, such as ``start_actor_flow``.
    """

    type: str
    trigger: Place
    yaw: float
    direction: str = ""
    places: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True)
class Route:
    """A route of a town: waypoints in driving order and its scenarios; ``where`` it stands, for messages."""

    id: str
    town: str
    waypoints: tuple[Place, ...]
    scenarios: tuple[Scenario, ...] = ()
    where: str = ""
