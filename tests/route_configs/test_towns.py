"""The towns as carla reads them: no lane is lost, all can be reached, and planners can join them."""

import math
from collections import Counter, defaultdict
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.route_configs.conftest import TOWNS

pytestmark = pytest.mark.parametrize("town", TOWNS)
MERGE_LANE = -4


def _driving(text):
    """Sections and lanes that the text gives, read without any of the code that wrote it."""
    found = set()
    for road in ElementTree.fromstring(text).iter("road"):
        for number, section in enumerate(road.iterfind("lanes/laneSection")):
            for lane in section.iter("lane"):
                if lane.get("type") == "driving":
                    found.add((int(road.get("id")), number, int(lane.get("id"))))
    return found


def _segment(waypoint):
    return waypoint.road_id, waypoint.section_id, waypoint.lane_id


def _onward(topology):
    """Segment -> the segments that begin where it ends; and those beside it that it may be left for."""
    carla = pytest.importorskip("carla")
    starts = defaultdict(list)
    for start, _ in topology:
        starts[_node(start)].append(_segment(start))
    onward = {}
    for start, end in topology:
        onward[_segment(start)] = set(starts[_node(end)])
        middle = (start.next(start.transform.location.distance(end.transform.location) / 2) or [start])[0]
        for side, beside in (("Left", middle.get_left_lane()), ("Right", middle.get_right_lane())):
            if middle.lane_change in (getattr(carla.LaneChange, side), carla.LaneChange.Both):
                onward[_segment(start)].add(_segment(beside))
    return onward


def _node(waypoint):
    """As CARLA's route planner names places: rounded to metres."""
    place = waypoint.transform.location
    return round(place.x), round(place.y), round(place.z)


def _reached(onward, first):
    found, left = {first}, [first]
    while left:
        for segment in onward.get(left.pop(), ()):
            if segment not in found:
                found.add(segment)
                left.append(segment)
    return found


def test_topology_has_every_driving_lane(maps, texts, town):
    assert {_segment(start) for start, _ in maps[town].get_topology()} == _driving(texts[town])


def test_every_lane_leads_to_every_other_of_its_network(maps, town):
    """The motorway's two carriageways are networks of their own; lanes that end or begin on a road are none."""
    topology = maps[town].get_topology()
    onward = _onward(topology)
    sizes = Counter(len(_reached(onward, segment)) for segment in onward)
    networks = 1 if town == "BestrandCity" else 2
    assert sizes.keys() == {len(onward) // networks}, sizes


def test_no_place_where_lanes_meet_is_near_a_rounding_border(maps, town):
    """Planners join lanes by whole metres; 0.1 m is far more than float32 or the written digits can be off."""
    for pair in maps[town].get_topology():
        for waypoint in pair:
            if waypoint.lane_width < 0.1 or waypoint.lane_id == MERGE_LANE:
                continue  # where a merge lane has no width: nothing joins it there
            for value in (waypoint.transform.location.x, waypoint.transform.location.y):
                assert abs(value - math.floor(value) - 0.5) > 0.1, (waypoint.road_id, waypoint.lane_id, value)


def test_lengths_are_no_shorter_than_float32_makes_them(texts, town):
    for road in ElementTree.fromstring(texts[town]).iter("road"):
        length = float(road.get("length"))
        geometries = road.findall("planView/geometry")
        assert float(np.float32(length)) < length
        end = float(geometries[-1].get("s")) + float(geometries[-1].get("length"))
        assert length <= end < length + 0.01


def test_geometry_is_continuous(texts, town):
    """Each piece begins where the one before it ends, with its heading."""
    for road in ElementTree.fromstring(texts[town]).iter("road"):
        for one, other in pairwise(road.findall("planView/geometry")):
            s, x, y, heading, length = (float(one.get(name)) for name in ("s", "x", "y", "hdg", "length"))
            arc = one.find("arc")
            turn = 0.0 if arc is None else float(arc.get("curvature")) * length
            chord = length if not turn else 2 * math.sin(turn / 2) / turn * length
            end = x + chord * math.cos(heading + turn / 2), y + chord * math.sin(heading + turn / 2), s + length
            there = [float(other.get(name)) for name in ("x", "y", "s")]
            assert end == pytest.approx(there, abs=2e-5)
            assert math.remainder(heading + turn - float(other.get("hdg")), math.tau) == pytest.approx(0, abs=1e-6)


def test_ids_are_unique_and_links_lead_somewhere(texts, town):
    root = ElementTree.fromstring(texts[town])
    roads, junctions = ([one.get("id") for one in root.findall(kind)] for kind in ("road", "junction"))
    for ids in (roads, junctions, [one.get("id") for one in root.iter("signal")]):
        assert len(set(ids)) == len(ids)
    for link in (*root.iterfind("road/link/predecessor"), *root.iterfind("road/link/successor")):
        assert link.get("elementId") in (roads if link.get("elementType") == "road" else junctions)
    for road in root.findall("road"):
        assert len(road.findall("link/*")) == 2, road.get("name")
