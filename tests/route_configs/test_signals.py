"""What rules the junctions of the towns: lights in phases, stop and yield signs, zebras, speed limits."""

import math

import pytest

pytest.importorskip("carla")

from bestrand_drive.headless.maps.road_map import RoadMap
from bestrand_drive.headless.signal_types import SPEED_TYPE, STOP_TYPE, YIELD_TYPE


@pytest.fixture(scope="module")
def city(texts):
    return RoadMap("BestrandCity", texts["BestrandCity"])


@pytest.fixture(scope="module")
def highway(texts):
    return RoadMap("BestrandHighway", texts["BestrandHighway"])


def _apart(one, other):
    return abs(math.remainder(one - other, 360.0))


def test_each_light_is_in_one_phase_and_phases_do_not_cross(city):
    sites = {site.sign_id: site for site in city.lights}
    named = [name for phases in city.junctions for phase in phases for name in phase]
    assert sorted(named) == sorted(sites)
    assert len(named) == 28
    for phases in city.junctions:
        assert len(phases) == 2
        for phase in phases:
            yaws = [sites[name].lanes[0].yaw for name in phase]
            assert all(_apart(yaw, yaws[0]) in (pytest.approx(0, abs=1), pytest.approx(180, abs=1)) for yaw in yaws)
        first, second = (sites[phase[0]].lanes[0].yaw for phase in phases)
        assert _apart(first, second) == pytest.approx(90, abs=1)


def test_every_lane_into_a_junction_is_ruled_unless_it_has_priority(city, maps):
    """A light or a sign stops each lane that ends at a junction of streets, but those of the ring past a T."""
    stopped = {(lane.road_id, lane.lane_id) for site in city.lights for lane in site.lanes}
    signed = {
        (lane.road_id, lane.lane_id)
        for site in city.signs
        if site.type in (STOP_TYPE, YIELD_TYPE)
        for lane in site.lanes
    }
    assert not stopped & signed
    into = {
        (start.road_id, start.lane_id)
        for start, end in maps["BestrandCity"].get_topology()
        if not start.is_junction and end.next(2.0)[0].is_junction
    }
    free = into - stopped - signed
    assert (
        len(free) == 16
    )  # the roundabout's four quarters, and two ways past each of the six T junctions without lights
    assert all(abs(lane) == 1 for _, lane in free)


def test_lights_stop_lanes_at_the_mouth_of_their_junction(city):
    for site in city.lights:
        junctions = set()
        for lane in site.lanes:
            waypoint = city.carla_map.get_waypoint_xodr(lane.road_id, lane.lane_id, 1.0)
            place = waypoint.transform.location.__class__(*lane.location)
            waypoint = city.carla_map.get_waypoint(place)
            assert not waypoint.is_junction
            junctions |= {onward.get_junction().id for onward in waypoint.next(2.0)}
        assert len(junctions) == 1


def test_limits_are_those_of_the_signs(city, highway):
    for road_map, limits in ((city, {30.0, 50.0, 60.0}), (highway, {50.0, 90.0, 100.0})):
        signs = [site for site in road_map.signs if site.type == SPEED_TYPE]
        assert {site.value for site in signs} == limits
        for site in signs:
            for lane in site.lanes:
                waypoint = road_map.carla_map.get_waypoint_xodr(lane.road_id, lane.lane_id, 15.0)
                assert road_map.limits.at(lane.road_id, lane.lane_id, waypoint.s) == site.value


def test_zebras_lie_behind_the_stop_lines(city):
    carla_map = city.carla_map
    corners = carla_map.get_crosswalks()
    assert len(corners) % 5 == 0
    zebras = [corners[index : index + 4] for index in range(0, len(corners), 5)]
    assert len(zebras) == 5 * 4 + 10 * 3  # crossroads and T junctions
    for zebra in zebras:
        x, y = (sum(getattr(corner, axis) for corner in zebra) / 4 for axis in "xy")
        inside = carla_map.get_waypoint(zebra[0].__class__(x, y, 0.0))
        assert inside.is_junction
