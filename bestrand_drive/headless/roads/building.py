"""From a route to a road network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.roads import sections, sparse, tracks
from bestrand_drive.headless.roads.control import rule
from bestrand_drive.headless.roads.crossing import ARM_M, build_crossing
from bestrand_drive.headless.roads.curve import Curve, Pose, wrapped
from bestrand_drive.headless.roads.merging import build_merge, flow_places
from bestrand_drive.headless.roads.needs import Layout, Need, need_of, wanting
from bestrand_drive.headless.roads.network import END, START, Arm, Junction, Link, Network
from bestrand_drive.headless.roads.request import Route, Scenario
from bestrand_drive.headless.roads.sections import D, S, Section
from bestrand_drive.headless.roads.tracks import Points, Track

_MOUTH_M = 0.5
"""The route's last waypoint before a junction lies this far before its mouth."""
_MERGE_MOUTH_M = 4.0
"""Before the first waypoint after a merge: flows end beside it."""
_TRIGGER_M = 3.0
LONGEST_M = 100_000.0
"""Of a route; towns are 10 km wide, and what lies farther would fill the memory with made up places."""


def build(network: Network, route: Route) -> None:
    """Add the roads of one route to a network.

    Raises:
        DataRefused: The route has less than two places, or is longer than any town.
    """
    need = need_of(route.scenarios)
    stretches = _stretches(route, need)
    ways = tracks.ways_between(stretches)
    found = [tracks.track(places, way) for places, way in zip(stretches, ways, strict=True)]
    if any(tracks.stretch_of(stretches, _pose(one)) == len(stretches) - 1 for one in wanting(route.scenarios)):
        found.append(_beyond(found[-1]))
    curves = _with_mouths([track.curve for track in found], route.scenarios, need)
    section = _section(need, curves, found)
    roads = []
    for index, curve in enumerate(curves):
        own = _branch_section(section, curves[index - 1], curve, need) if index else section
        roads.append(network.add(curve, own, fast=need.layout is Layout.MERGE))
        roads[-1].kept = need.layout is Layout.MERGE and index < len(curves) - 1
    scenario = next((one for one in route.scenarios if flow_places(one) != (None, None)), None)
    place = tracks.stretch_of(stretches, _pose(scenario)) if scenario is not None else 0
    for index, (before, after) in enumerate(pairwise(roads)):
        flowing = scenario if index == min(place, len(roads) - 2) else None
        _add_junction(network, Arm(before, END), Arm(after, START), need, flowing)
    if need.returns:
        _turn_around(network, roads[-1].id)


def _stretches(route: Route, need: Need) -> list[Points]:
    """The waypoints between junctions, made dense, in OpenDRIVE's axes."""
    places = np.array([(x, -y, z) for x, y, z in route.waypoints], dtype=np.float64)
    length = float(np.sum(np.hypot(*np.diff(places[:, :2], axis=0).T)))
    if not tracks.TWIN_M < length < LONGEST_M:
        raise DataRefused(
            f"{route.where or f'Route {route.id}'}: its waypoints are {length:.0f} m long, which is no road."
        )
    if sparse.is_sparse(places):
        trigger = _pose(route.scenarios[0]) if route.scenarios else None
        places = sparse.fill(places, trigger, corner=need.wanted)
    stretches = tracks.split(places)
    for trigger in map(_pose, wanting(route.scenarios)):
        if tracks.stretch_of(stretches, trigger) == len(stretches) - 1:
            stretches = tracks.split(sparse.punch(np.vstack(stretches), trigger))
    return stretches


def _pose(scenario: Scenario) -> Pose:
    """Where a scenario begins."""
    x, y, z = scenario.trigger
    return Pose(x, -y, z, -math.radians(scenario.yaw))


def _beyond(last: Track) -> Track:
    """The road after a junction made up behind the route's end, for a trigger so near to it that none fits before."""
    end = last.curve.poses[-1].ahead(sparse.JUNCTION_LENGTH_M + 2 * _MOUTH_M)
    return Track(Curve((end, end.ahead(1.0))))


def _with_mouths(curves: list[Curve], scenarios: Sequence[Scenario], need: Need) -> list[Curve]:
    """The tracks drawn on to the mouths of their junctions, and on at the route's two ends."""
    lead = _MERGE_MOUTH_M if need.layout is Layout.MERGE else _MOUTH_M
    drawn = []
    for index, curve in enumerate(curves):
        before = ARM_M if index == 0 else lead
        after = ARM_M if index == len(curves) - 1 else max(_MOUTH_M, _to_trigger(curve.poses[-1], scenarios))
        drawn.append(curve.extended(before, after))
    return drawn


def _to_trigger(end: Pose, scenarios: Sequence[Scenario]) -> float:
    """How far past its end a track must go on to hold a scenario's trigger, which may not lie in the junction."""
    needed = 0.0
    for scenario in scenarios:
        ahead, aside = end.frame(scenario.trigger[0], -scenario.trigger[1])
        if 0 < ahead < 10.0 and abs(aside) < 1.0:
            needed = max(needed, ahead + _TRIGGER_M)
    return needed


def _section(need: Need, curves: Sequence[Curve], found: Sequence[Track]) -> Section:
    """The lanes beside the route's: what the scenario needs, its lane changes, or its first turn."""
    left, right, step = (max(getattr(track, name) for track in found) for name in ("shift_left", "shift_right", "step"))
    if step:
        lane = D._replace(width=min(one.step for one in found if one.step))
        inner, outer = math.ceil(left / step - 0.5), math.ceil(right / step - 0.5)
        lanes = (lane,) * max(inner + 1 + outer, 2)
        return Section((D, D, S), (*lanes, S), -(inner + 1))
    if need.section is not None:
        return need.section
    turn = wrapped(curves[1].poses[0].heading - curves[0].poses[-1].heading) if len(curves) > 1 else 0.0
    return sections.INNER if turn > math.radians(35) else sections.OUTER


def _branch_section(section: Section, before: Curve, after: Curve, need: Need) -> Section:
    """After an exit from a carriageway: two lanes, on the side away from the road that goes on."""
    if need.layout is not Layout.MERGE or need.returns:
        return section
    aside = before.poses[-1].frame(after.poses[0].x, after.poses[0].y)[1]
    if abs(aside) < 1.5 * sections.WIDTH_M:
        return section
    return sections.BRANCH_LEFT if aside > 0 else sections.BRANCH_RIGHT


def _add_junction(network: Network, before: Arm, after: Arm, need: Need, scenario: Scenario | None) -> None:
    junction = Junction(network.new_id())
    network.junctions.append(junction)
    flow = flow_places(scenario)
    if need.layout is Layout.MERGE:
        build_merge(network, junction, before, after, flow, two_way=need.returns)
        return
    axes = build_crossing(network, junction, before, after, [place for place in flow if place is not None])
    rule(network, junction, axes, need.control)


def _turn_around(network: Network, road_id: int) -> None:
    """A loop at the end of a road, from its lane -1 into its lane 1."""
    road = next(one for one in network.roads if one.id == road_id)
    end = Arm(road, END)
    loop = network.add(Curve((end.pose(-1), end.pose(1))), Section((), (D,), -1))
    loop.before = loop.after = Link("road", road.id, END)
    loop.lane_links = (-1, 1)
    road.after = Link("road", loop.id, START)
