"""From the sparse plan that an evaluator hands out to a dense line along the lanes, with the map alone.

The leaderboard gives a point every 50 m, at the ends of junctions and at lane changes; what lies between is searched
by following the lanes.
"""

from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import carla

_STEP_M = 2.0
_AT_GOAL_M = 1.4
_NEAR_M = 3.0
_CHANGE_M = 10.0
"""Before and after a lane change, metres."""
_A_LANE_M = 6.0
"""The same for each lane of a change over several."""
_BEYOND_M = 80.0


class Node(NamedTuple):
    """A point of the line: place in metres (CARLA's axes), lane, and whether a lane change begins here."""

    x: float
    y: float
    z: float
    lane: carla.Waypoint
    changes: bool = False


def trace(road_map: carla.Map, plan: Sequence[Tuple[carla.Transform, Any]]) -> List[Node]:
    """The line through all points of a plan, and on along the last lane so that the route's end is driven over.

    Args:
        road_map: Of the world.
        plan: Transforms with road options, as ``_global_plan_world_coord`` has them.
    """
    lanes = [road_map.get_waypoint(transform.location) for transform, _ in plan]
    line = [_node(lanes[0])]
    for (_, option), goal in zip(plan, lanes[1:]):
        if line[-1].lane.transform.location.distance(goal.transform.location) < 0.5:
            continue
        if getattr(option, "name", str(option)).startswith("CHANGELANE"):
            line[-1] = line[-1]._replace(changes=True)
            line.append(_node(goal))
        else:
            _lead(line, goal)
    _go_on(line)
    return soften_changes(line)


def _node(lane: carla.Waypoint) -> Node:
    place = lane.transform.location
    return Node(place.x, place.y, place.z, lane)


def _lead(line: List[Node], goal: carla.Waypoint) -> None:
    """Append the way from the line's end to a goal."""
    found = _search(line[-1].lane, goal)
    if found is None:
        # The point lay where the lanes of a junction part, and the map chose another one: begin before the junction.
        back = len(line) - 1
        while back > 0 and (line[back].lane.is_junction or line[back - 1].changes):
            back -= 1
        found = _search(line[back].lane, goal)
        if found is not None:
            del line[back + 1 :]
    line.extend(_node(lane) for lane in found or [])
    last = line[-1]
    if found is None or math.hypot(last.x - goal.transform.location.x, last.y - goal.transform.location.y) > _NEAR_M:
        line.append(_node(goal))


def _search(start: carla.Waypoint, goal: carla.Waypoint) -> Optional[List[carla.Waypoint]]:
    """Lanes followed from one place to another, depth first, the branch nearest to the goal first."""
    end = goal.transform.location
    limit = 1.4 * start.transform.location.distance(end) + 16.0
    waiting: List[Tuple[carla.Waypoint, float, Tuple[Any, ...]]] = [(start, 0.0, ())]
    while waiting:
        lane, length, trail = waiting.pop()
        rest = lane.transform.location.distance(end)
        if rest < _AT_GOAL_M:
            return _unrolled((lane, trail))[1:]
        if length + rest > limit:
            continue
        branches = lane.next(_STEP_M)
        if len(branches) > 1:
            branches.sort(key=lambda branch: -branch.transform.location.distance(end))
        waiting.extend((branch, length + _STEP_M, (lane, trail)) for branch in branches)
    return None


def _unrolled(trail: Tuple[Any, ...]) -> List[carla.Waypoint]:
    """A chain of (lane, chain before it) as a list, first lane first."""
    lanes = []
    while trail:
        lane, trail = trail
        lanes.append(lane)
    return lanes[::-1]


def _go_on(line: List[Node]) -> None:
    """Append the way straight on past the end."""
    for _ in range(int(_BEYOND_M / _STEP_M)):
        lane = line[-1].lane
        branches = lane.next(_STEP_M)
        if not branches:
            return
        yaw = lane.transform.rotation.yaw
        line.append(_node(min(branches, key=lambda branch: _turn(yaw, branch.transform.rotation.yaw))))


def _turn(yaw: float, other: float) -> float:
    """Angle between two yaws in degrees, 0 to 180."""
    return abs((other - yaw + 180.0) % 360.0 - 180.0)


def soften_changes(line: Sequence[Node]) -> List[Node]:
    """The line without the nodes right before and after lane changes, so that the changes are drawn out."""
    along = [0.0]
    for one, two in zip(line, line[1:]):
        along.append(along[-1] + math.hypot(two.x - one.x, two.y - one.y))
    kept = list(enumerate(line))
    for first, last, count in _change_groups(line, along):
        reach = max(_CHANGE_M, _A_LANE_M * count)
        low, high = along[first] - reach, along[last] + reach
        inside = line[first].lane.is_junction
        kept = [
            (number, node)
            for number, node in kept
            if number in (0, len(line) - 1) or not low < along[number] < high or (node.lane.is_junction and not inside)
        ]
        before = max(place for place, (number, _) in enumerate(kept) if number <= first)
        number, node = kept[before]
        kept[before] = number, node._replace(changes=True)
    return [node for _, node in kept]


def _change_groups(line: Sequence[Node], along: Sequence[float]) -> List[Tuple[int, int, int]]:
    """Changes over several lanes at once: number of the first and last node, and how many lanes."""
    groups: List[Tuple[int, int, int]] = []
    for number, node in enumerate(line[:-1]):
        if not node.changes:
            continue
        if groups and along[number] - along[groups[-1][1]] < _CHANGE_M:
            groups[-1] = groups[-1][0], number + 1, groups[-1][2] + 1
        else:
            groups.append((number, number + 1, 1))
    return groups
