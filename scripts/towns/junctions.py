"""Ways through junctions, and what rules them: lights with phases, stop and yield signs, zebras."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bestrand_drive.headless.roads.curve import wrapped
from bestrand_drive.headless.roads.network import END, Connection, Junction, Link
from bestrand_drive.headless.signal_types import LIGHT_TYPE, SPEED_TYPE, STOP_TYPE, YIELD_TYPE
from towns.network import DRIVING, LANE_M, Arm, Cut, Lane, Road, Signal, Town
from towns.network import Crosswalk as Zebra

TURN_RAD = math.radians(35.0)
_BEFORE_MOUTH_M = 1.0
_POLE_M = 1.0
_SPEED_SIGN_M = 12.0
_ZEBRA_BEYOND_M = 2.5
"""From the stop line into the junction."""
_WAY = (Cut(0.0, (), (Lane(),)),)


def attach(junction: Junction, arm: Arm) -> None:
    """Link a road's end with a junction."""
    link = Link("junction", junction.id)
    if arm.contact == END:
        arm.road.after = link
    else:
        arm.road.before = link


def join(town: Town, junction: Junction, start: Arm, lane_in: int, end: Arm, lane_out: int) -> Road:
    """A connecting road of one lane, whose curve is its centre."""
    poses = start.road.pose(lane_in, start.s), end.road.pose(lane_out, end.s)
    road = town.add(f"{start.road.name}-{end.road.name}", poses, _WAY, min(start.road.kmh, end.road.kmh))
    road.kind, road.offset, road.junction = start.road.kind, LANE_M / 2, junction.id
    road.before, road.after = Link("road", start.road.id, start.contact), Link("road", end.road.id, end.contact)
    road.ends[-1] = [lane_in, lane_out]
    junction.connections.append(Connection(start.road.id, road.id, lane_in))
    town.ways[start.road.id, lane_in].append((road.id, -1))
    town.ways[road.id, -1].append((end.road.id, lane_out))
    return road


def cross(town: Town, arms: Sequence[Arm]) -> Junction:
    """A junction of roads: left turns from and to the inner lanes, right turns from and to the outer ones."""
    junction = town.junction()
    for arm in arms:
        attach(junction, arm)
    for start in arms:
        for end in arms:
            if start is not end:
                for lane_in, lane_out in _pairs(start, end):
                    join(town, junction, start, lane_in, end, lane_out)
    return junction


def _pairs(start: Arm, end: Arm) -> Iterator[tuple[int, int]]:
    lanes_in, lanes_out = start.lanes_in(), end.lanes_out()
    turn = wrapped(end.road.pose(lanes_out[0], end.s).heading - start.road.pose(lanes_in[0], start.s).heading)
    if abs(turn) < TURN_RAD:
        yield from zip(lanes_in, lanes_out, strict=True)
    else:
        side = 0 if turn > 0 else -1
        yield lanes_in[side], lanes_out[side]


def light(town: Town, junction: Junction, axes: Sequence[Sequence[Arm]]) -> None:
    """Lights for all arms; those of one axis are green together."""
    for axis in axes:
        junction.phases.append([_put(town, arm, LIGHT_TYPE, arm.lanes_in()) for arm in axis])


def stop(town: Town, arm: Arm) -> None:
    """A stop sign for each lane in: scenarios look for its volume on the lane's centre."""
    for lane in arm.lanes_in():
        _put(town, arm, STOP_TYPE, (lane,))


def give_way(town: Town, arm: Arm) -> None:
    """A yield sign for each lane in."""
    for lane in arm.lanes_in():
        _put(town, arm, YIELD_TYPE, (lane,))


def zebra(town: Town, arm: Arm) -> None:
    """A zebra just behind the stop line, from pavement to pavement."""
    road, onward = arm.road, arm.contact == END
    right, left = (road.edge(arm.s, left=left) for left in (False, True))
    s = arm.s - 0.01 if onward else 0.0  # what is written of the length is a little less
    road.crosswalks.append(Zebra(town.new_id(), s, _ZEBRA_BEYOND_M if onward else -_ZEBRA_BEYOND_M, right, left))


def limit(town: Town, road: Road) -> None:
    """A speed sign for each direction, a little behind the road's beginning."""
    for along in (True, False):
        lanes = road.lanes(DRIVING, along=along)
        if lanes:
            s = _SPEED_SIGN_M if along else road.length - _SPEED_SIGN_M
            _sign(town, road, SPEED_TYPE, s, lanes, value=road.kmh)


def _put(town: Town, arm: Arm, kind: str, lanes: Sequence[int]) -> int:
    """A signal beside the road just before its junction; its id."""
    s = arm.road.length - _BEFORE_MOUTH_M if arm.contact == END else _BEFORE_MOUTH_M
    return _sign(town, arm.road, kind, s, lanes)


def _sign(town: Town, road: Road, kind: str, s: float, lanes: Sequence[int], value: int = 0) -> int:
    along = lanes[0] < 0
    t = road.edge(s, left=not along) + (-_POLE_M if along else _POLE_M)
    road.signals.append(Signal(town.new_id(), kind, value, s, t, along, (min(lanes), max(lanes))))
    return road.signals[-1].id
