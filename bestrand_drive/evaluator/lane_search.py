"""The shortest way between two places on the lanes of a map."""

from __future__ import annotations

import heapq
import math
from functools import cached_property

import carla

from bestrand_drive.errors import DataRefused

Key = tuple[int, int, int]
"""Road, section, lane."""
_CHANGE_COST_M = 1.0
_CHANGE_STEPS = 5
_MOST_STEPS = 100_000
_SCAN_M = 5.0
_MOST_TURN_DEG = 170.0


def key_of(waypoint: carla.Waypoint) -> Key:
    """The lane that a waypoint lies on."""
    return int(waypoint.road_id), int(waypoint.section_id), int(waypoint.lane_id)


class LaneSearch:
    """Dijkstra's search over lanes; the graph is made from the map's topology when it is first needed."""

    def __init__(self, map_: carla.Map) -> None:
        self._map = map_

    @cached_property
    def _graph(self) -> dict[Key, dict[Key, float]]:
        """Lane -> neighbour -> metres from the lane's start to the neighbour's."""
        graph: dict[Key, dict[Key, float]] = {}
        starts: dict[Key, carla.Waypoint] = {}
        for entry, after in self._map.get_topology():
            length_m = _arc_m(entry.transform, after.transform)
            graph.setdefault(key_of(entry), {})[key_of(after)] = length_m
            starts.setdefault(key_of(entry), entry)
        for key, entry in starts.items():
            for beside in _beside(entry):
                if beside in starts:
                    graph[key].setdefault(beside, _CHANGE_COST_M)
        return graph

    def way(self, start: carla.Waypoint, end: carla.Waypoint, step_m: float) -> list[carla.Waypoint]:
        """Waypoints from after ``start`` to ``end``, about ``step_m`` apart but where lanes are changed.

        Raises:
            DataRefused: No way leads there.
        """
        if key_of(start) == key_of(end) and _metres(start, end) > 0.0:
            lanes = [key_of(start)]
        else:
            lanes = self._lanes(key_of(start), key_of(end))
        return _walk(start, end, lanes, step_m)

    def _lanes(self, start: Key, end: Key) -> list[Key]:
        """Lanes from the one to the other; if they are the same, round and back to it."""
        queue: list[tuple[float, Key, Key | None]] = [
            (cost, after, start) for after, cost in self._graph.get(start, {}).items()
        ]
        heapq.heapify(queue)
        came: dict[Key, Key | None] = {}
        while queue:
            cost, lane, before = heapq.heappop(queue)
            if lane in came:
                continue
            came[lane] = before
            if lane == end:
                return _back(came, start, end)
            for after, more in self._graph.get(lane, {}).items():
                if after not in came:
                    heapq.heappush(queue, (cost + more, after, lane))
        raise DataRefused(f"no way leads from lane {start} to lane {end} of the town. Check the route file.")


def _arc_m(start: carla.Transform, end: carla.Transform) -> float:
    """Length of a lane, as if it were an arc: the chord and the change of heading tell it."""
    turn = abs((end.rotation.yaw - start.rotation.yaw + 180.0) % 360.0 - 180.0)
    half = math.radians(min(turn, _MOST_TURN_DEG)) / 2.0
    chord_m = float(start.location.distance(end.location))
    return chord_m if half < 1e-3 else chord_m * half / math.sin(half)


def _back(came: dict[Key, Key | None], start: Key, end: Key) -> list[Key]:
    lanes, lane = [end], came[end]
    while lane is not None and lane != start:
        lanes.append(lane)
        lane = came[lane]
    return [start, *reversed(lanes)]


def _metres(one: carla.Waypoint, other: carla.Waypoint) -> float:
    """How far the other lies ahead on the same lane; ``s`` runs against lanes of positive id."""
    return float((other.s - one.s) * (1.0 if one.lane_id < 0 else -1.0))


def _beside(entry: carla.Waypoint) -> list[Key]:
    """Lanes that the marking allows to change to, somewhere on a lane."""
    found: list[Key] = []
    here = [] if entry.is_junction else [entry]
    while here:
        found += [key_of(lane) for lane in _neighbours(here[0]) if key_of(lane) not in found]
        here = [after for after in here[0].next(_SCAN_M) if key_of(after) == key_of(entry)][:1]
    return found


def _neighbours(here: carla.Waypoint) -> list[carla.Waypoint]:
    """Driving lanes of the same direction beside a waypoint, where a change is allowed."""
    lanes = []
    if here.lane_change & carla.LaneChange.Right:
        lanes.append(here.get_right_lane())
    if here.lane_change & carla.LaneChange.Left:
        lanes.append(here.get_left_lane())
    driving = [lane for lane in lanes if lane is not None and lane.lane_type == carla.LaneType.Driving]
    return [lane for lane in driving if lane.lane_id * here.lane_id > 0]


def _walk(start: carla.Waypoint, end: carla.Waypoint, lanes: list[Key], step_m: float) -> list[carla.Waypoint]:
    """Follow the lanes to the end."""
    way, here, index = [], start, 0
    for _ in range(_MOST_STEPS):
        if index == len(lanes) - 1 and _metres(here, end) <= step_m:
            break
        beside = _changed(here, lanes[index + 1]) if index < len(lanes) - 1 else None
        if beside is not None:
            here, index = _after_change(beside, end, step_m), index + 1
        else:
            here, index = _step(here, lanes, index, step_m)
        way.append(here)
    return [*way, end]


def _changed(here: carla.Waypoint, wanted: Key) -> carla.Waypoint | None:
    """The place beside, if the next lane lies there and the change is allowed here."""
    return next((lane for lane in _neighbours(here) if key_of(lane) == wanted), None)


def _after_change(beside: carla.Waypoint, end: carla.Waypoint, step_m: float) -> carla.Waypoint:
    """Some steps further on the new lane, as CARLA's planner goes; not past the end."""
    here = beside
    for _ in range(_CHANGE_STEPS):
        ahead = [after for after in here.next(step_m) if key_of(after) == key_of(beside)]
        if not ahead or (key_of(end) == key_of(beside) and _metres(here, end) <= step_m):
            break
        here = ahead[0]
    return here


def _step(here: carla.Waypoint, lanes: list[Key], index: int, step_m: float) -> tuple[carla.Waypoint, int]:
    """One step along the lane, or onto the next one."""
    ahead = here.next(step_m)
    for ahead_index in range(index, min(index + 4, len(lanes))):
        for after in ahead:
            if key_of(after) == lanes[ahead_index]:
                return after, ahead_index
    if not ahead:
        raise DataRefused(f"the lane {lanes[index]} ends on the way. Check the route file.")
    raise DataRefused(f"the lanes do not go on from {lanes[index]} as the town says. Check the town.")
