"""What scenario classes look for at their trigger is there."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import carla
import pytest

from bestrand_drive.headless.maps.road_map import RoadMap
from bestrand_drive.headless.roads.building import build
from bestrand_drive.headless.roads.needs import NEEDS, Control, Layout
from bestrand_drive.headless.roads.network import Network
from bestrand_drive.headless.roads.request import Place, Route
from bestrand_drive.headless.roads.xodr import write
from tests.headless.roads.driving_map import at, junction_ahead, lanes_beside, leads_to, off, town_of

OBSTACLES = ("Accident", "ConstructionObstacle", "HazardAtSideLane", "ParkedObstacle")
LIT = (
    "BlockedIntersection",
    "PedestrianCrossing",
    "SignalizedJunctionLeftTurn",
    "VanillaSignalizedTurnEncounterRedLight",
)
STOPS = ("NonSignalizedJunctionLeftTurn", "VanillaNonSignalizedTurnEncounterStopsign")
FLOWS = ("EnterActorFlow", "HighwayExit", "InterurbanActorFlow", "MergerIntoSlowTraffic", "MergerIntoSlowTrafficV2")


def trigger_lane(route: Route) -> tuple[Any, Any]:
    """The made town and the lane at the scenario's trigger."""
    town = town_of(route)
    return town, at(town, route.scenarios[0].trigger)


def test_every_type_of_both_benchmarks_is_known(real_routes: list[Route], fail2drive_routes: list[Route]) -> None:
    types = {scenario.type for route in [*real_routes, *fail2drive_routes] for scenario in route.scenarios}
    assert types - NEEDS.keys() == set()


@pytest.mark.parametrize(
    "kind", ["AccidentTwoWays", "ParkedObstacleTwoWays", "VehicleOpensDoorTwoWays", "InvadingTurn"]
)
def test_two_way_types_have_oncoming_traffic_on_the_left_and_parking_on_the_right(
    of_type: Callable[[str], Route], kind: str
) -> None:
    left, right = lanes_beside(trigger_lane(of_type(kind))[1])
    assert left == ["oncoming"]
    assert right[:1] == ["Parking"]
    assert right[-1] == "Sidewalk"


@pytest.mark.parametrize("kind", OBSTACLES)
def test_obstacles_leave_a_lane_on_the_left_and_end_at_a_kerb(of_type: Callable[[str], Route], kind: str) -> None:
    left, right = lanes_beside(trigger_lane(of_type(kind))[1])
    assert left[0] == "Driving"
    assert right[0] == "Sidewalk"


def test_parking_lies_on_the_side_that_the_scenario_names(real_routes: list[Route]) -> None:
    seen = set()
    for route in real_routes:
        scenario = route.scenarios[0]
        if scenario.type in ("ParkingCutIn", "ParkingExit"):
            left, right = lanes_beside(trigger_lane(route)[1])
            assert (left if scenario.direction == "left" else right)[0] == "Parking", route.id
            seen.add(scenario.direction)
    assert seen >= {"left", "right"}


def test_an_obstacle_on_the_left_stands_at_the_edge(fail2drive_routes: list[Route]) -> None:
    """The classes walk to the left until lanes end; across the dividing line they would walk for ever."""
    firsts = [(route, route.scenarios[0]) for route in fail2drive_routes if route.scenarios]
    leftish = [route for route, first in firsts if first.type in OBSTACLES and first.direction == "left"]
    assert leftish
    for route in leftish:
        left, right = lanes_beside(trigger_lane(route)[1])
        assert left == ["Sidewalk"], route.id
        assert right[0] == "Driving"


def crossings(routes: list[Route]) -> list[Route]:
    found = [route for route in routes if route.scenarios[0].type == "BlockedIntersection"]
    assert len(found) >= 2
    return found


def of_another_type(route: Route, kind: str) -> Route:
    first, *rest = route.scenarios
    return replace(route, scenarios=(replace(first, type=kind), *rest))


@pytest.mark.parametrize(
    "kind", [name for name, need in NEEDS.items() if need.wanted and need.layout is Layout.CROSSING]
)
def test_a_crossing_lies_ahead_with_traffic_from_all_sides(real_routes: list[Route], kind: str) -> None:
    """Types that Bench2Drive has no route of stand on those of another crossing."""
    routes = [route for route in real_routes if route.scenarios[0].type == kind]
    for route in (routes or [of_another_type(route, kind) for route in crossings(real_routes)])[:2]:
        waypoint = trigger_lane(route)[1]
        assert not waypoint.is_junction, "the trigger lies before the junction"
        junction = junction_ahead(waypoint)
        assert junction is not None
        ways = junction.get_waypoints(carla.LaneType.Driving)
        headings = {
            round((start.transform.rotation.yaw - waypoint.transform.rotation.yaw) / 90) % 4 for start, _ in ways
        }
        assert len(headings) == 4, f"{route.id}: traffic from {headings} quarter turns"


@pytest.mark.parametrize("kind", [*LIT, *STOPS, "VanillaNonSignalizedTurn"])
def test_the_server_finds_the_lights_and_stop_signs(of_type: Callable[[str], Route], kind: str) -> None:
    route = of_type(kind)
    network = Network()
    build(network, route)
    road_map = RoadMap(route.town, write(network, route.town))
    lane = at(road_map.carla_map, route.scenarios[0].trigger)
    governing = [
        site
        for site in (*road_map.lights, *road_map.signs)
        if any((stop.road_id, stop.lane_id) == (lane.road_id, lane.lane_id) for stop in site.lanes)
    ]
    control = NEEDS[kind].control
    assert len(road_map.lights) == (4 if control is Control.LIGHTS else 0)
    assert [site.type for site in governing] == {
        Control.LIGHTS: ["1000001"],
        Control.STOP: ["206"],
        Control.PRIORITY: [],
    }[control]
    assert [len(phase) for junction in road_map.junctions for phase in junction] == ([2, 2] if road_map.lights else [])
    if control is Control.PRIORITY:
        assert [site.type for site in road_map.signs] == ["206"] * 6, "two lanes of each of the three others"


@pytest.mark.parametrize("kind", STOPS)
def test_a_stop_is_met_on_the_centre_of_the_lane(of_type: Callable[[str], Route], kind: str) -> None:
    """Fail2Drive's ObscuredStopSign looks for a sign's trigger within 1.5 m of the lane's centre."""
    route = of_type(kind)
    network = Network()
    build(network, route)
    road_map = RoadMap(route.town, write(network, route.town))
    waypoint, near = at(road_map.carla_map, route.scenarios[0].trigger), []
    while not waypoint.is_junction:
        for site in road_map.signs:
            turn, centre = math.radians(site.transform.rotation[1]), site.box_centre
            x = site.transform.location[0] + centre[0] * math.cos(turn) - centre[1] * math.sin(turn)
            y = site.transform.location[1] + centre[0] * math.sin(turn) + centre[1] * math.cos(turn)
            near.append(off(waypoint, (x, y, 0.0)))
        waypoint = waypoint.next(1.0)[0]
    assert min(near) < 1.0


def place_of(route: Route, name: str) -> Place:
    return route.scenarios[0].places[name]


@pytest.mark.parametrize("kind", FLOWS)
def test_flows_start_and_end_on_lanes_that_lead_from_one_to_the_other(real_routes: list[Route], kind: str) -> None:
    routes = [route for route in real_routes if route.scenarios[0].type == kind and route.town in ("Town12", "Town13")]
    assert routes
    for route in routes:
        town = town_of(route)
        start, end = (at(town, place_of(route, name)) for name in ("start_actor_flow", "end_actor_flow"))
        assert leads_to(start, end), route.id


def test_a_highway_cut_in_comes_from_a_ramp_that_leads_onto_the_route(real_routes: list[Route]) -> None:
    routes = [route for route in real_routes if route.scenarios[0].type == "HighwayCutIn"]
    assert routes
    for route in routes:
        town = town_of(route)
        start, goal = at(town, place_of(route, "other_actor_location")), at(town, place_of(route, "end_location"))
        assert start.road_id != at(town, route.scenarios[0].trigger).road_id
        assert leads_to(start, goal.get_right_lane()), f"{route.id}: into the lane beside the route's"


def test_bicycles_cross_on_lanes_of_their_own(of_type: Callable[[str], Route]) -> None:
    route = of_type("CrossingBicycleFlow")
    town = town_of(route)
    start = town.get_waypoint(carla.Location(*place_of(route, "start_actor_flow")), lane_type=carla.LaneType.Biking)
    gone, entered, left = 0, False, False
    while gone < 120 and start.next(1.0):
        start = start.next(1.0)[0]
        gone, entered, left = gone + 1, entered or start.is_junction, entered and not start.is_junction
        assert str(start.lane_type) == "Biking"
    assert entered
    assert left


def test_an_interurban_road_leads_back_for_its_second_flow(of_type: Callable[[str], Route]) -> None:
    route = of_type("InterurbanAdvancedActorFlow")
    town = town_of(route)
    start, end = (at(town, place_of(route, name)) for name in ("start_actor_flow", "end_actor_flow"))
    assert leads_to(start, end)
    assert leads_to(end.get_left_lane(), start.get_left_lane(), 1000)
