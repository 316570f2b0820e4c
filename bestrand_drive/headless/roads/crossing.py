"""Crossings: the route's two arms, and the two others that make four ways of it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bestrand_drive.headless.roads.curve import Curve, Pose, meeting, wrapped
from bestrand_drive.headless.roads.joining import join_all, join_lanes
from bestrand_drive.headless.roads.network import START, Arm, Junction, Network
from bestrand_drive.headless.roads.request import Place
from bestrand_drive.headless.roads.sections import Kind, Section

ARM_M = 150.0
_TURN_RAD = math.radians(35.0)
_KERB_M = 2.0
_SPARE_M = 1.5


def build_crossing(
    network: Network, junction: Junction, arrive: Arm, leave: Arm, flows: Iterable[Place]
) -> list[list[Arm]]:
    """Add the side arms and all ways through.

    Args:
        network: Takes the roads.
        junction: Takes the ways.
        arrive: The route's road before it.
        leave: The route's road after it.
        flows: Places where traffic is to start, OpenDRIVE's axes; arms begin before them where they can.

    Returns:
        Arms that may go at the same time; the route's first.
    """
    entry, leaving = arrive.middle(), leave.middle()
    turn = wrapped(leaving.heading - entry.heading)
    centre, side = _centre(entry, leaving, turn)
    section = arrive.road.section
    places = list(flows)
    if abs(turn) < _TURN_RAD:
        left = _side_arm(network, section, centre, side, places)
        right = _side_arm(network, section, centre, side + math.pi, places)
        axes = [[arrive, leave], [left, right]]
    else:
        beyond = _side_arm(network, section, centre, entry.heading, places)
        behind = _side_arm(network, section, centre, leaving.heading + math.pi, places)
        axes = [[arrive, beyond], [leave, behind]]
    _join_all_arms(network, junction, axes, leave if places else None)
    return axes


def _centre(entry: Pose, leaving: Pose, turn: float) -> tuple[tuple[Pose, float], float]:
    """Centre of the junction with the distance to its farther mouth, and the heading of an arm to the left."""
    half_way = Pose((entry.x + leaving.x) / 2, (entry.y + leaving.y) / 2, (entry.z + leaving.z) / 2, entry.heading)
    crossed = meeting(entry, leaving) if abs(turn) >= _TURN_RAD else None
    centre = half_way if crossed is None else half_way._replace(x=crossed[0], y=crossed[1])
    radius = max(math.hypot(end.x - centre.x, end.y - centre.y) for end in (entry, leaving))
    return (centre, radius), entry.heading + turn / 2 + math.pi / 2


def _side_arm(
    network: Network, section: Section, centre: tuple[Pose, float], heading: float, flows: list[Place]
) -> Arm:
    """A straight road away from the centre, which begins where the route's own roads do, or nearer to spare a flow."""
    middle, radius = centre[0]._replace(heading=heading), max(centre[1], section.reach + _KERB_M)
    for x, y, _ in flows:
        ahead, aside = middle.frame(x, y)
        if abs(aside) < section.reach and ahead > section.reach:
            radius = min(radius, ahead - _SPARE_M)
    mouth = middle.ahead(radius).aside(-section.offset)
    return Arm(network.add(Curve((mouth, mouth.ahead(ARM_M))), section), START)


def _join_all_arms(network: Network, junction: Junction, axes: list[list[Arm]], goal: Arm | None) -> None:
    """Ways from each arm to each other; a flow that joins the route may come and go in any lane of its goal."""
    arms = [arm for axis in axes for arm in axis]
    for arm in arms:
        arm.attach(junction.id)
    for start in arms:
        for end in arms:
            if start.road is not end.road:
                (join_all if end is goal else join_lanes)(network, junction, start, end)
    for one, other in axes:  # cycle lanes only go straight on
        join_lanes(network, junction, one, other, Kind.BIKING)
        join_lanes(network, junction, other, one, Kind.BIKING)
