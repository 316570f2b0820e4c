"""Ways through a town: from a spot on a lane onward, with turns and lane changes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bestrand_drive.headless.roads.curve import Pose, wrapped
from towns.junctions import TURN_RAD
from towns.network import DRIVING, Road, Town

STEP_M = 2.0
_MOUTH_M = 0.9


class Spot(NamedTuple):
    """A place on a lane, in metres from where its traffic comes onto the road."""

    road: Road
    lane: int
    at: float

    @property
    def pose(self) -> Pose:
        """Where it is, headed as traffic is."""
        return self.road.pose(self.lane, self.at if self.lane < 0 else self.road.length - self.at)


class Change(NamedTuple):
    """A lane change: how far along the way it begins, by how many lanes to the left, and over how many metres."""

    distance: float
    left: int
    over: float


def spot(town: Town, name: str, lane: int, at: float) -> Spot:
    """A spot by its road's name; a negative ``at`` counts from the road's far end."""
    road = town.road(name)
    return Spot(road, lane, at if at >= 0 else road.length + at)


def trace(
    town: Town, start: Spot, length: float, turns: Sequence[str] = (), changes: Sequence[Change] = ()
) -> list[tuple[float, Spot]]:
    """Distance and spot every two metres; lane changes and junctions are gaps, as in Bench2Drive's routes.

    Ways through a junction overlap, so that a place in one does not tell which is meant.

    Args:
        town: Where.
        start: First spot.
        length: Metres.
        turns: "left", "straight" or "right" wherever the lane forks.
        changes: Lane changes.
    """
    way = _walk(town, start, length, iter(turns), list(changes))
    return [(distance, here) for distance, here in way if _is_clear(here)]


def _is_clear(here: Spot) -> bool:
    """Neither in a junction nor at its mouth: ``get_waypoint`` may answer there with any of the ways through it."""
    road, along = here.road, here.lane < 0
    first, last = (road.before, road.after) if along else (road.after, road.before)
    near = (first, here.at), (last, road.length - here.at)
    at_mouth = any(link is not None and link.kind == "junction" and rest < _MOUTH_M for link, rest in near)
    return road.junction < 0 and not at_mouth


def _walk(
    town: Town, here: Spot, length: float, turns: Iterator[str], changes: list[Change]
) -> Iterator[tuple[float, Spot]]:
    distance = 0.0
    while distance <= length + 1e-6:
        yield distance, here
        step = STEP_M
        if changes and distance >= changes[0].distance:
            change = changes.pop(0)
            step = change.over
            here = here._replace(lane=here.lane + (change.left if here.lane < 0 else -change.left))
        here, distance = _onward(town, here, step, turns), distance + step


def _onward(town: Town, here: Spot, step: float, turns: Iterator[str]) -> Spot:
    at = here.at + step
    road, lane = here.road, here.lane
    while at > road.length:
        at -= road.length
        road_id, lane = _way(town, town.ways[road.id, lane], turns)
        road = town.roads[road_id]
    return Spot(road, lane, at)


def _way(town: Town, ways: Sequence[tuple[int, int]], turns: Iterator[str]) -> tuple[int, int]:
    """The only way, or that of the turn; the outermost of several."""
    if len(ways) == 1:
        return ways[0]
    wanted = next(turns)
    found = [way for way in ways if _turn(town.roads[way[0]]) == wanted]
    if not found:
        raise ValueError(f"no way {wanted} among {[town.roads[way[0]].name for way in ways]}")
    return found[-1]


def _turn(way: Road) -> str:
    """How a way through a junction turns."""
    turn = wrapped(way.curve.poses[-1].heading - way.curve.poses[0].heading)
    return "straight" if abs(turn) < TURN_RAD else "left" if turn > 0 else "right"


SIDES = ("east", "north", "west", "south")


def approach(town: Town, node: Pose, side: str, *, outward: bool = False) -> Spot:
    """The outer lane that comes to a junction's middle from a side, or leaves it, at the junction's mouth.

    Args:
        town: Where.
        node: Middle of the junction.
        side: One of ``SIDES``.
        outward: The lane that leaves it.
    """
    way = SIDES.index(side)
    for road in town.roads.values():
        for end in (0.0, road.length) if road.junction < 0 else ():
            along = (end > 0) != outward
            lanes = road.lanes(DRIVING, along=along)
            ahead, aside = node.turned(way * math.pi / 2).frame(*road.pose(-1, end)[:2]) if lanes else (0.0, 0.0)
            if 15.0 < ahead < 50.0 and abs(aside) < 6.0:
                return Spot(road, lanes[-1], 0.0 if outward else road.length)
    raise ValueError(f"no road {side} of {node.x:g}, {node.y:g}")
