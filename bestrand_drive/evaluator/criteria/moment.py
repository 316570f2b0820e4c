"""What the rules look at: the ego at one tick, the way it has to go, and what they find. Plain numbers, no client."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

Point = tuple[float, float, float]


class Kind(str, Enum):
    """What can be found, named as the result file names it."""

    LAYOUT = "collisions_layout"
    PEDESTRIAN = "collisions_pedestrian"
    VEHICLE = "collisions_vehicle"
    RED_LIGHT = "red_light"
    STOP = "stop_infraction"
    OUTSIDE = "outside_route_lanes"
    MIN_SPEED = "min_speed_infractions"
    YIELD = "yield_emergency_vehicle_infractions"
    SCENARIO_TIMEOUT = "scenario_timeouts"
    DEVIATION = "route_dev"
    BLOCKED = "vehicle_blocked"
    ROUTE_TIMEOUT = "route_timeout"


@dataclass(frozen=True)
class Event:
    """One infraction.

    Attributes:
        kind: Which.
        message: As the leaderboard words it; readers take numbers out of it.
        percent: For those that are scored by their size.
    """

    kind: Kind
    message: str
    percent: float = 0.0


@dataclass(frozen=True)
class Moment:
    """The ego at one tick; CARLA's world (left-handed), metres, degrees, m/s.

    Attributes:
        frame: Of the snapshot.
        time_s: Simulated seconds since the drive began.
        place: Of the actor's origin.
        yaw: Heading.
        pitch: Nose up is positive.
        velocity: In the world.
        speed: Norm of the velocity.
    """

    frame: int
    time_s: float
    place: Point
    yaw: float
    pitch: float
    velocity: Point
    speed: float


def forward(yaw: float, pitch: float = 0.0) -> Point:
    """Unit vector of a heading in degrees."""
    turn, rise = math.radians(yaw), math.radians(pitch)
    flat = math.cos(rise)
    return flat * math.cos(turn), flat * math.sin(turn), math.sin(rise)


def at(place: Point) -> str:
    """A place as the leaderboard's messages give it."""
    x, y, z = (round(value, 3) for value in place)
    return f"(x={x}, y={y}, z={z})"


class Way:
    """The points of a plan as the rules see them.

    Attributes:
        places: ``[point]`` of (x, y, z) in metres.
        ahead: ``[point]`` of unit vectors along the lane.
        metres: ``[point]``, along the way from the first point, over the chords.
    """

    def __init__(self, places: Sequence[Point], ahead: Sequence[Point]) -> None:
        self.places = tuple(places)
        self.ahead = tuple(ahead)
        metres = [0.0]
        for before, after in zip(self.places, self.places[1:], strict=False):
            metres.append(metres[-1] + math.dist(before, after))
        self.metres = metres
        self.length_m = metres[-1]

    def __len__(self) -> int:
        return len(self.places)

    def passed(self, index: int, place: Point) -> bool:
        """Whether a place lies beyond the plane through a point, across the lane."""
        x, y, z = self.places[index]
        along = self.ahead[index]
        return (place[0] - x) * along[0] + (place[1] - y) * along[1] + (place[2] - z) * along[2] > 0.0

    def advance(self, index: int, place: Point, window: int) -> int:
        """The furthest point that was passed, among ``index`` and the ``window`` points after it."""
        last = min(index + window, len(self.places) - 1)
        return next((i for i in range(last, index, -1) if self.passed(i, place)), index)
