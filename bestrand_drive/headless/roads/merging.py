"""Merges and exits of open roads: the route's two arms, and a ramp or a branch where its traffic flow comes or goes."""

from __future__ import annotations

import math

from bestrand_drive.headless.roads import sections
from bestrand_drive.headless.roads.crossing import ARM_M
from bestrand_drive.headless.roads.curve import Curve, Pose, wrapped
from bestrand_drive.headless.roads.joining import join_all
from bestrand_drive.headless.roads.network import END, START, Arm, Junction, Network
from bestrand_drive.headless.roads.request import Place, Scenario

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
) -> list[list[Arm]]:
    """Add the flow's own arms, if any, and all ways through.

    Args:
        network: Takes the roads.
        junction: Takes the ways.
        arrive: The route's road before it.
        leave: The route's road after it.
        flow: Where the other traffic starts and ends; none where the scenario has none.
        two_way: The flow's own road has a lane back.

    Returns:
        The route's arms, and the others.
    """
    start, end = flow
    others = []
    if start is not None and arrive.road.curve.nearest(*start[:2]) > _BESIDE_M:
        others.append(_ramp(network, start, leave, two_way=two_way))
    if end is not None and leave.road.curve.nearest(*end[:2]) > _BESIDE_M:
        others.append(_branch(network, end, arrive))
    arms = [arrive, leave, *others]
    for arm in arms:
        arm.attach(junction.id)
    for one in arms:
        for other in arms:
            if one.road is not other.road:
                join_all(network, junction, one, other)
    return [[arrive, leave], others]


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
