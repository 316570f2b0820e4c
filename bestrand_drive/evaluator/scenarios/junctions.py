"""The junction ahead of the ego: ways through it, from where others come, and its lights."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios.lanes import straightest, turn_deg, walk
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible

if TYPE_CHECKING:
    from bestrand_drive.evaluator.plan import Plan, PlanPoint

_SIDES = {"right": (225.0, 330.0), "opposite": (135.0, 225.0), "left": (30.0, 135.0)}
"""Heading of who comes from a side, minus the ego's, in [0, 360): CARLA's scenarios sort them so."""


@dataclass(frozen=True)
class Way:
    """One lane through a junction: its first and its last waypoint."""

    entry: carla.Waypoint
    exit: carla.Waypoint

    @property
    def turn_deg(self) -> float:
        """By how much it turns; positive to the right."""
        return turn_deg(self.entry.transform.rotation.yaw, self.exit.transform.rotation.yaw)


def ways(junction: carla.Junction) -> list[Way]:
    """All lanes for vehicles through a junction, in an order that does not depend on the client."""
    found = [Way(entry, leaving) for entry, leaving in junction.get_waypoints(carla.LaneType.Driving)]
    return sorted(found, key=lambda way: (way.entry.road_id, way.entry.lane_id))


def comes_from(ego_yaw_deg: float, way: Way) -> str:
    """From which side, seen by the ego at its entry: ``left``, ``right``, ``opposite`` or ``own``."""
    heading = (way.entry.transform.rotation.yaw - ego_yaw_deg) % 360.0
    return next((side for side, (low, high) in _SIDES.items() if low < heading <= high), "own")


def approach(way: Way, distance_m: float) -> list[carla.Waypoint]:
    """The lane that leads to a way, from up to a distance before it; it begins after the junction before."""
    back = walk(way.entry, distance_m, ahead=False)
    lane: list[carla.Waypoint] = []
    for waypoint in back:
        if waypoint.is_junction and lane:
            break
        if not waypoint.is_junction:
            lane.append(waypoint)
    return lane[::-1]


def inside(way: Way) -> list[carla.Waypoint]:
    """The way itself, about every metre."""
    return [way.entry, *way.entry.next_until_lane_end(1.0)]


def departure(way: Way, distance_m: float) -> list[carla.Waypoint]:
    """The lane after a way, up to a distance, straight on at later junctions."""
    options = way.exit.next(1.0)
    if not options:
        return []
    first = straightest(way.exit, options)
    return [first, *walk(first, distance_m)]


def course(way: Way, before_m: float, after_m: float) -> list[carla.Waypoint]:
    """Lane, way and lane: the whole path of somebody who passes the junction."""
    return [*approach(way, before_m), *inside(way), *departure(way, after_m)]


def meets(path: Iterable[carla.Location], others: Iterable[carla.Location], within_m: float) -> carla.Location | None:
    """The first place of a path that comes so near to another path, both given about every metre."""
    others = list(others)
    for place in path:
        if any(
            abs(place.x - other.x) < within_m and abs(place.y - other.y) < within_m and place.distance(other) < within_m
            for other in others
        ):
            return place
    return None


def after_junction(plan: Plan, from_m: float) -> tuple[PlanPoint, PlanPoint]:
    """The last point before the next junction along the plan and the first one after it.

    Raises:
        ScenarioNotPossible: There is none, or the plan ends in it.
    """
    points = plan.points
    first = next((index for index in range(plan.index_at(from_m), len(points)) if points[index].is_junction), None)
    if first is None:
        raise ScenarioNotPossible("no junction ahead on the route")
    after = next((index for index in range(first, len(points)) if not points[index].is_junction), None)
    if after is None:
        raise ScenarioNotPossible("the route ends in the junction ahead")
    return points[max(first - 1, 0)], points[after]
