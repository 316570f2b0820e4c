"""Merges and exits of open roads: the route's two arms, and a ramp or a branch where its traffic flow comes or goes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bestrand_drive.headless.roads import sections
from bestrand_drive.headless.roads.crossing import ARM_M
from bestrand_drive.headless.roads.curve import Curve, Pose, wrapped
from bestrand_drive.headless.roads.joining import join
from bestrand_drive.headless.roads.network import END, START, Arm, Junction, Network
from bestrand_drive.headless.roads.request import Place, Scenario


class Way(NamedTuple):
    """From a lane of one arm to a lane of another."""

    source: Arm
    lane_in: int
    sink: Arm
    lane_out: int


_BESIDE_M = 8.0
"""A flow's end this near to one of the route's roads lies on it."""
_PAST_M = 3.0
_BEFORE_M = 12.0
_STEEPEST_RAD = math.radians(60.0)
_STARTS, _ENDS = ("start_actor_flow", "other_actor_location"), ("end_actor_flow",)


def flow_places(scenario: Scenario | None) -> tuple[Place | None, Place | None]:
    """Where a scenario's traffic starts and ends, OpenDRIVE's axes."""
    places = {} if scenario is None else scenario.places
    found = [next((places[name] for name in names if name in places), None) for names in (_STARTS, _ENDS)]
    start, end = (None if place is None else (place[0], -place[1], place[2]) for place in found)
    return start, end


def build_merge(
    network: Network,
    junction: Junction,
    arrive: Arm,
    leave: Arm,
    flow: tuple[Place | None, Place | None],
    *,
    two_way: bool,
) -> None:
    """Add the flow's own arms, if any, and the ways through.

    No more ways than needed: where several end in one lane a planner cannot tell them apart.

    Args:
        network: Takes the roads.
        junction: Takes the ways.
        arrive: The route's road before it.
        leave: The route's road after it.
        flow: Where the other traffic starts and ends; none where the scenario has none.
        two_way: The flow's own road has a lane back.
    """
    start, end = flow
    source, sink = arrive, leave
    if start is not None and arrive.road.curve.nearest(*start[:2]) > _BESIDE_M:
        source = _ramp(network, start, leave, two_way=two_way)
    if end is not None and leave.road.curve.nearest(*end[:2]) > _BESIDE_M:
        sink = _branch(network, end, arrive)
    for arm in dict.fromkeys((arrive, leave, source, sink)):
        arm.attach(junction.id)
    ways = dict.fromkeys([*_side_by_side(arrive, leave), _flow_way(source, start, sink, end)])
    ways |= dict.fromkeys(_rest(ways, arrive, source, sink))
    ways |= dict.fromkeys(_back(arrive, leave, source))
    for from_arm, lane_in, to_arm, lane_out in ways:
        join(network, junction, from_arm, lane_in, to_arm, lane_out)


def _side_by_side(arrive: Arm, leave: Arm) -> Iterator[Way]:
    """The route's lane into the route's lane, and its neighbours beside it."""
    shift = leave.road.section.route - arrive.road.section.route
    for lane in arrive.lanes_in():
        if lane + shift in leave.lanes_out():
            yield Way(arrive, lane, leave, lane + shift)


def _flow_way(source: Arm, start: Place | None, sink: Arm, end: Place | None) -> Way:
    """From the lane where the flow starts to that where it ends; the outermost where it does not say."""
    return Way(source, _lane_at(source.lanes_in(), source, start), sink, _lane_at(sink.lanes_out(), sink, end))


def _lane_at(lanes: tuple[int, ...], arm: Arm, place: Place | None) -> int:
    """The lane nearest to a place beside the road's curve."""
    if place is None:
        return lanes[-1]
    near = min(arm.road.curve.poses, key=lambda pose: math.hypot(pose.x - place[0], pose.y - place[1]))
    aside = near.frame(*place[:2])[1]
    return min(lanes, key=lambda lane: abs(arm.road.section.aside(lane) - aside))


def _rest(ways: Iterable[Way], arrive: Arm, source: Arm, sink: Arm) -> Iterator[Way]:
    """For lanes in that have no way yet: into the last lane of where the flow goes."""
    begun = {(way.source, way.lane_in) for way in ways}
    for arm in dict.fromkeys((arrive, source)):
        for lane in arm.lanes_in():
            if (arm, lane) not in begun:
                yield Way(arm, lane, sink, sink.lanes_out()[-1])


def _back(arrive: Arm, leave: Arm, source: Arm) -> Iterator[Way]:
    """On two-way roads: from the road after the junction back into those before it."""
    for lane in leave.lanes_in():
        for arm in dict.fromkeys((arrive, source)):
            yield from (Way(leave, lane, arm, out) for out in arm.lanes_out())


def _ramp(network: Network, start: Place, leave: Arm, *, two_way: bool) -> Arm:
    """A road through the flow's start, headed so that one arc leads on to the road after the junction."""
    goal = leave.road.curve.poses[0]
    heading = _arc_heading(start, goal)
    if two_way:
        heading = math.atan2(goal.y - start[1], goal.x - start[0])
    pose = Pose(*start, heading)
    section = sections.RURAL if two_way else sections.RAMP
    return Arm(network.add(Curve((pose.ahead(-ARM_M), pose.ahead(_PAST_M))), section, fast=True), END)


def _branch(network: Network, end: Place, arrive: Arm) -> Arm:
    """A road through the flow's end, headed so that one arc leads to it from the road before the junction."""
    mouth = arrive.road.curve.poses[-1]
    heading = mouth.heading + _clamped(2 * wrapped(math.atan2(end[1] - mouth.y, end[0] - mouth.x) - mouth.heading))
    pose = Pose(*end, heading)
    return Arm(network.add(Curve((pose.ahead(-_BEFORE_M), pose.ahead(ARM_M))), sections.RAMP, fast=True), START)


def _arc_heading(start: Place, goal: Pose) -> float:
    chord = math.atan2(goal.y - start[1], goal.x - start[0])
    return goal.heading + _clamped(2 * wrapped(chord - goal.heading))


def _clamped(angle: float) -> float:
    return min(max(angle, -_STEEPEST_RAD), _STEEPEST_RAD)
