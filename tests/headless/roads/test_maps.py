"""Made maps as ``carla.Map`` reads them: exact places, whole topology, ways along every real route."""

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from bestrand_drive.headless.roads.request import Route
from tests.headless.roads.driving_map import at, leads_to, off, town_of

DENSE = ("Accident", "ControlLoss", "HardBreakRoute", "InvadingTurn", "VehicleOpensDoorTwoWays")
Made = tuple[Route, Any]
TURNING = ("BlockedIntersection", "NonSignalizedJunctionRightTurn", "SignalizedJunctionLeftTurn", "HighwayExit")


@pytest.fixture(scope="module")
def made(of_type: Callable[[str], Route]) -> Callable[[str], Made]:
    """The first route of a type, and the town that is made of it, once for all tests."""

    @cache
    def make(kind: str) -> Made:
        route = of_type(kind)
        return route, town_of(route)

    return make


@pytest.mark.parametrize("kind", [*DENSE, *TURNING])
def test_lane_centres_lie_within_a_tenth_of_a_metre_of_the_waypoints(made: Callable[[str], Made], kind: str) -> None:
    route, town = made(kind)
    assert max(off(at(town, place), place) for place in route.waypoints) <= 0.1
    assert max(abs(at(town, place).transform.location.z - place[2]) for place in route.waypoints) <= 0.1


@pytest.mark.parametrize("kind", [*DENSE, *TURNING])
def test_lanes_lead_along_the_whole_route(made: Callable[[str], Made], kind: str) -> None:
    route, town = made(kind)
    for here, there in pairwise(route.waypoints):
        if math.dist(here, there) > 0.2:
            assert leads_to(at(town, here), at(town, there)), f"no way from {here} to {there}"


@pytest.mark.parametrize("kind", [*DENSE, *TURNING])
def test_no_lane_is_lost_from_the_topology(made: Callable[[str], Made], kind: str) -> None:
    """LibCarla leaves out lanes whose end is beyond the road's length in float32."""
    _, town = made(kind)
    listed = {(start.road_id, start.lane_id) for start, _ in town.get_topology()}
    driven = {(waypoint.road_id, waypoint.lane_id) for waypoint in town.generate_waypoints(5.0)}
    assert set() < driven <= listed


def test_a_route_that_changes_lanes_finds_its_lanes(of_type: Callable[[str], Route]) -> None:
    route = of_type("SequentialLaneChange")
    town = town_of(route)
    waypoints = [at(town, place) for place in route.waypoints]
    assert max(off(waypoint, place) for waypoint, place in zip(waypoints, route.waypoints, strict=True)) <= 0.15
    assert len({waypoint.lane_id for waypoint in waypoints}) == 3
    assert {waypoint.road_id for waypoint in waypoints} == {waypoints[0].road_id}


def test_two_places_are_joined_by_a_way_through_the_trigger(fail2drive_routes: list[Route]) -> None:
    assert any(route.scenarios for route in fail2drive_routes[::20])
    for route in fail2drive_routes[::20]:
        town = town_of(route)
        start, end = (at(town, route.waypoints[index]) for index in (0, -1))
        assert off(start, route.waypoints[0]) < 0.1
        assert off(end, route.waypoints[-1]) < 0.1
        for scenario in route.scenarios[:1]:
            trigger = at(town, scenario.trigger)
            assert leads_to(start, trigger), route.id
            assert leads_to(trigger, end), route.id
            assert math.cos(math.radians(trigger.transform.rotation.yaw - scenario.yaw)) > math.cos(math.radians(5))


def test_every_mouth_of_a_junction_belongs_to_its_road(made: Callable[[str], Made]) -> None:
    """Else a planner may take the place for the end of another arm's way, which nothing leads to."""
    _, town = made("BlockedIntersection")
    mouths = [end for start, end in town.get_topology() if start.is_junction and not end.is_junction]
    assert len(mouths) >= 4
    assert not any(town.get_waypoint(end.transform.location).is_junction for end in mouths)
