"""The way that a route asks for: points about a metre apart on lane centres, and where a place lies along them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import carla

_REACH = 30
"""Points before and after one that are looked at."""


class RoadOption(IntEnum):
    """What the plan does at a point, numbered as CARLA's ``agents.navigation.local_planner`` numbers it."""

    VOID = -1
    LEFT = 1
    RIGHT = 2
    STRAIGHT = 3
    LANEFOLLOW = 4
    CHANGELANELEFT = 5
    CHANGELANERIGHT = 6


@dataclass(frozen=True)
class PlanPoint:
    """One point of the plan.

    Attributes:
        transform: On the lane's centre, heading along the lane.
        road_id: OpenDRIVE road.
        lane_id: OpenDRIVE lane.
        lane_width_m: Width of the lane here.
        is_junction: It lies in a junction.
        option: What to do here.
        distance_m: Along the plan from its first point.
    """

    transform: carla.Transform
    road_id: int
    lane_id: int
    lane_width_m: float
    is_junction: bool
    option: RoadOption
    distance_m: float

    @property
    def location(self) -> carla.Location:
        """Place on the lane's centre."""
        return self.transform.location

    @property
    def yaw(self) -> float:
        """Heading in degrees."""
        return float(self.transform.rotation.yaw)


class Plan:
    """The points of a route, and look-ups that cost no call of the map."""

    def __init__(self, points: Sequence[PlanPoint]) -> None:
        self.points = tuple(points)
        self.distances = [point.distance_m for point in self.points]
        self.xs = [float(point.location.x) for point in self.points]
        self.ys = [float(point.location.y) for point in self.points]
        self.length_m = self.distances[-1]

    def index_at(self, distance_m: float) -> int:
        """Index of the last point not beyond a distance; the ends for what lies outside."""
        return min(max(bisect_right(self.distances, distance_m) - 1, 0), len(self.points) - 1)

    def point_at(self, distance_m: float) -> PlanPoint:
        """The last point not beyond a distance."""
        return self.points[self.index_at(distance_m)]

    def metres_at(self, location: carla.Location) -> float:
        """Distance along the plan of its point that is nearest to a place."""
        return self.distances[self.project(location)[0]]

    def project(self, location: carla.Location, near: int | None = None) -> tuple[int, float]:
        """Nearest point of the plan and the lateral offset from it.

        Args:
            location: The place.
            near: Index to search around; the whole plan without.

        Returns:
            Index, and metres to the right (positive) or left of the plan's heading there.
        """
        x, y = float(location.x), float(location.y)
        low, high = (0, len(self.points)) if near is None else (max(near - _REACH, 0), near + _REACH + 1)
        squares = [(px - x) ** 2 + (py - y) ** 2 for px, py in zip(self.xs[low:high], self.ys[low:high], strict=True)]
        index = low + squares.index(min(squares))
        yaw = math.radians(self.points[index].yaw)
        lateral = (y - self.ys[index]) * math.cos(yaw) - (x - self.xs[index]) * math.sin(yaw)
        return index, lateral
