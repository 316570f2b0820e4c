"""From a route's waypoints to a plan of points a metre apart.

Waypoints that lie close (Bench2Drive's are 2 m apart) are taken to their lanes and joined; between distant ones the way
is searched on the map's lanes: along them, across where the marking allows it, the shortest. Options as CARLA's global
planner gives them: turns in junctions by the change of heading (35 degrees), lane changes where they happen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Iterator, Sequence

import carla

from bestrand_drive.errors import DataRefused
from bestrand_drive.evaluator.lane_search import LaneSearch
from bestrand_drive.evaluator.plan import Plan, PlanPoint, RoadOption

STEP_M = 1.0
_CLOSE_M = 5.0
"""Waypoints up to this far apart are joined without a search."""
_ON_LANE_M = 1.0
_TURN_DEG = 35.0
_SAME_M = 0.05
_FEWEST = 3
_GOAL_M = 2.05


def trace(map_: carla.Map, waypoints: Sequence[carla.Location]) -> Plan:
    """The plan through a route's waypoints.

    Raises:
        DataRefused: The route has no length, or no way leads from one waypoint to the next.
    """
    places = _ended(list(_spaced(*_chain(map_, waypoints))), waypoints[-1])
    if len(places) <= _FEWEST:
        raise DataRefused("the route's waypoints give no way. Check the route file and the town.")
    return Plan(_points(places))


def _chain(map_: carla.Map, waypoints: Sequence[carla.Location]) -> tuple[list[carla.Waypoint], set[int]]:
    """Waypoints of the map on the way, and the numbers of those that the search found.

    The search's stand a metre apart but where it changes lanes. CARLA's planner puts nothing between those either, and
    it matters: the rule for leaving the route looks five points ahead.
    """
    search = LaneSearch(map_)
    chain, found = [_first(map_, waypoints)], set[int]()
    for place in waypoints[1:]:
        here = chain[-1]
        gap_m = here.transform.location.distance(place)
        if gap_m < _SAME_M:
            continue
        if gap_m <= _CLOSE_M:
            chain.append(_next(map_, here, place, gap_m))
        else:
            way = search.way(here, map_.get_waypoint(place), STEP_M)
            found.update(range(len(chain), len(chain) + len(way)))
            chain += way
    return chain, found


def _first(map_: carla.Map, waypoints: Sequence[carla.Location]) -> carla.Waypoint:
    here = map_.get_waypoint(waypoints[0])
    if here is None:
        raise DataRefused("the route does not begin on a road of the town. Check the town.")
    return here


def _next(map_: carla.Map, here: carla.Waypoint, place: carla.Location, gap_m: float) -> carla.Waypoint:
    """The waypoint for a place, on the lane that goes on from here where lanes lie on each other, as in junctions."""
    ahead = [(found.transform.location.distance(place), rank, found) for rank, found in enumerate(here.next(gap_m))]
    if ahead:
        apart_m, _, found = min(ahead)
        if apart_m < _ON_LANE_M:
            return found
    return map_.get_waypoint(place)


class _Place:
    """A place of the plan before its options are known."""

    def __init__(self, waypoint: carla.Waypoint, transform: carla.Transform | None = None) -> None:
        self.transform = transform or waypoint.transform
        self.road_id, self.lane_id = int(waypoint.road_id), int(waypoint.lane_id)
        self.width, self.is_junction = float(waypoint.lane_width), bool(waypoint.is_junction)


def _spaced(chain: Sequence[carla.Waypoint], found: Container[int]) -> Iterator[_Place]:
    """Places about a metre apart: the chain's own and, before those that no search found, some on the straight line."""
    yield _Place(chain[0])
    for number, (before, after) in enumerate(itertools.pairwise(chain), 1):
        gap_m = before.transform.location.distance(after.transform.location)
        if gap_m < _SAME_M:
            continue
        pieces = 1 if number in found else max(round(gap_m / STEP_M), 1)
        for piece in range(1, pieces):
            yield _Place(before, _between(before.transform, after.transform, piece / pieces))
        yield _Place(after)


def _ended(places: list[_Place], goal: carla.Location) -> list[_Place]:
    """Without the last 2 m: CARLA's planner ends once its goal is nearer, and completion is counted to its end."""
    kept = len(places)
    while kept > _FEWEST and places[kept - 2].transform.location.distance(goal) <= _GOAL_M:
        kept -= 1
    return places[:kept]


def _between(one: carla.Transform, other: carla.Transform, share: float) -> carla.Transform:
    """A transform on the straight line between two; headings take the shorter turn."""
    a, b = one.location, other.location
    turn = _turn(one.rotation.yaw, other.rotation.yaw)
    rise = other.rotation.pitch - one.rotation.pitch
    pitch = one.rotation.pitch + share * _turn(0.0, rise)
    return carla.Transform(
        carla.Location(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)),
        carla.Rotation(pitch=pitch, yaw=one.rotation.yaw + share * turn, roll=one.rotation.roll),
    )


def _turn(before: float, after: float) -> float:
    """Change of heading in degrees, -180 to 180, to the right positive."""
    return float((after - before + 180.0) % 360.0 - 180.0)


def _points(places: Sequence[_Place]) -> list[PlanPoint]:
    points, distance_m = [], 0.0
    for index, (place, option) in enumerate(zip(places, _options(places), strict=True)):
        if index:
            distance_m += place.transform.location.distance(places[index - 1].transform.location)
        lane = (place.road_id, place.lane_id, place.width, place.is_junction)
        points.append(PlanPoint(place.transform, *lane, option, distance_m))
    return points


def _options(places: Sequence[_Place]) -> list[RoadOption]:
    options = [RoadOption.LANEFOLLOW] * len(places)
    for index, (before, after) in enumerate(itertools.pairwise(places)):
        change = _lane_change(before, after)
        if change is not None:
            options[index] = options[index + 1] = change
    start = 0
    while start < len(places):
        end = start
        while end < len(places) and places[end].is_junction:
            end += 1
        if end > start:
            options[start:end] = [_turn_option(places, start, end)] * (end - start)
        start = max(end, start + 1)
    return options


def _lane_change(before: _Place, after: _Place) -> RoadOption | None:
    """What it is to go from one place to the next, outside junctions, when the lane is another one of the road."""
    if before.is_junction or after.is_junction or before.road_id != after.road_id or before.lane_id == after.lane_id:
        return None
    yaw = math.radians(before.transform.rotation.yaw)
    a, b = before.transform.location, after.transform.location
    right_m = (b.y - a.y) * math.cos(yaw) - (b.x - a.x) * math.sin(yaw)
    if abs(right_m) < 0.25 * before.width:
        return None  # the lanes are only numbered anew
    return RoadOption.CHANGELANERIGHT if right_m > 0.0 else RoadOption.CHANGELANELEFT


def _turn_option(places: Sequence[_Place], start: int, end: int) -> RoadOption:
    """The turn of a junction's places ``start`` to ``end`` - 1."""
    before = places[max(start - 1, 0)].transform.rotation.yaw
    after = places[min(end, len(places) - 1)].transform.rotation.yaw
    turn = _turn(before, after)
    if abs(turn) < _TURN_DEG:
        return RoadOption.STRAIGHT
    return RoadOption.RIGHT if turn > 0.0 else RoadOption.LEFT
