"""Asks ``carla.Map`` what a driver would: where a place is, what lies ahead, whether a way leads there."""

import math
from collections import deque
from typing import Any

import carla

from bestrand_drive.headless.roads.building import build
from bestrand_drive.headless.roads.network import Network
from bestrand_drive.headless.roads.request import Place, Route
from bestrand_drive.headless.roads.xodr import write


def town_of(route: Route) -> Any:
    """The map made of one route alone."""
    network = Network()
    build(network, route)
    return carla.Map(route.town, write(network, route.town))


def at(town: Any, place: Place) -> Any:
    """The driving lane nearest to a place."""
    return town.get_waypoint(carla.Location(*place))


def off(waypoint: Any, place: Place) -> float:
    """Metres on the ground from a lane's centre to a place."""
    centre = waypoint.transform.location
    return math.hypot(centre.x - place[0], centre.y - place[1])


def junction_ahead(waypoint: Any, metres: int = 120) -> Any:
    """The first junction within a distance along the lane, or none."""
    for _ in range(metres):
        if waypoint.is_junction:
            return waypoint.get_junction()
        onward = waypoint.next(1.0)
        if not onward:
            return None
        waypoint = onward[0]
    return None


def leads_to(start: Any, goal: Any, metres: float = 600.0) -> bool:
    """Whether lanes lead from one place to another's lane, without a lane change (breadth first, 2 m a step)."""
    seen, queue = set(), deque([(start, 0.0)])
    while queue:
        waypoint, gone = queue.popleft()
        same = (waypoint.road_id, waypoint.lane_id) == (goal.road_id, goal.lane_id)
        if same and waypoint.transform.location.distance(goal.transform.location) < 2.5:
            return True
        key = (waypoint.road_id, waypoint.lane_id, int(waypoint.s))
        if key not in seen and gone < metres:
            seen.add(key)
            queue.extend((onward, gone + 2.0) for onward in waypoint.next(2.0))
    return False


def lanes_beside(waypoint: Any) -> tuple[list[str], list[str]]:
    """Types of the lanes on the left (an oncoming lane is "oncoming" and ends the list) and on the right."""
    left, right = [], []
    other = waypoint.get_left_lane()
    while other is not None:
        if other.lane_id * waypoint.lane_id < 0:
            left.append("oncoming" if str(other.lane_type) == "Driving" else str(other.lane_type))
            break
        left.append(str(other.lane_type))
        other = other.get_left_lane()
    other = waypoint.get_right_lane()
    while other is not None:
        right.append(str(other.lane_type))
        other = other.get_right_lane()
    return left, right
