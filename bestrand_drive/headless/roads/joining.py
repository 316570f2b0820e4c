"""Ways through a junction: one road of one lane for each pair of a lane in and a lane out."""

from __future__ import annotations

from bestrand_drive.headless.roads.curve import Curve
from bestrand_drive.headless.roads.network import Arm, Connection, Junction, Link, Network, Road
from bestrand_drive.headless.roads.sections import Kind, Section

SEAM_M = 0.05
"""Left free at both ends of a way: ``get_waypoint`` at a mouth then answers with the road, not with any of the ways."""


def join(network: Network, junction: Junction, start: Arm, lane_in: int, end: Arm, lane_out: int) -> Road:
    """A connecting road from one arm's lane to another's."""
    curve = Curve((start.pose(lane_in).ahead(SEAM_M), end.pose(lane_out).ahead(-SEAM_M)))
    road = network.add(curve, Section((), (start.road.section.lane(lane_in),), -1), fast=start.road.fast)
    road.junction = junction.id
    road.before = Link("road", start.road.id, start.contact)
    road.after = Link("road", end.road.id, end.contact)
    road.lane_links = (lane_in, lane_out)
    junction.connections.append(Connection(start.road.id, road.id, lane_in))
    return road


def join_lanes(network: Network, junction: Junction, start: Arm, end: Arm, kind: Kind = Kind.DRIVING) -> None:
    """Lane by lane, counted from the dividing line; lanes without a counterpart take the last one."""
    lanes_in, lanes_out = start.lanes_in(kind), end.lanes_out(kind)
    if not lanes_in or not lanes_out:
        return
    for index in range(max(len(lanes_in), len(lanes_out))):
        pair = lanes_in[min(index, len(lanes_in) - 1)], lanes_out[min(index, len(lanes_out) - 1)]
        join(network, junction, start, pair[0], end, pair[1])


def join_all(network: Network, junction: Junction, start: Arm, end: Arm) -> None:
    """Every lane in with every lane out."""
    for lane_in in start.lanes_in():
        for lane_out in end.lanes_out():
            join(network, junction, start, lane_in, end, lane_out)
