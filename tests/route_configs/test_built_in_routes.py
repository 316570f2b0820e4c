"""The routes lie on lanes, can be driven, and have around them what their scenarios need."""

import math
from collections import Counter
from itertools import pairwise

import pytest

from bestrand_drive.benchmarks.route_places import read_places
from bestrand_drive.benchmarks.routes import read_route_file

carla = pytest.importorskip("carla")

OFF_LANE_M = 0.2  # carla's own search along arcs of the motorway is as coarse
ONE_WAY_OBSTACLES = {"Accident", "ConstructionObstacle", "ParkedObstacle", "HazardAtSideLane", "StaticCutIn"}
SIGNALLED = {
    "OppositeVehicleRunningRedLight",
    "SignalizedJunctionLeftTurn",
    "SignalizedJunctionRightTurn",
    "VanillaSignalizedTurnEncounterGreenLight",
    "VanillaSignalizedTurnEncounterRedLight",
}
UNSIGNALLED = {
    "OppositeVehicleTakingPriority",
    "NonSignalizedJunctionLeftTurn",
    "NonSignalizedJunctionRightTurn",
    "VanillaNonSignalizedTurnEncounterStopsign",
    "EnterActorFlow",
}
CROSSED = SIGNALLED | UNSIGNALLED | {"BlockedIntersection", "PedestrianCrossing"}
CROSSED |= {"VehicleTurningRoute", "VehicleTurningRoutePedestrian"}


@pytest.fixture(scope="module")
def places(folder):
    file = read_route_file(folder / "routes.xml")
    return {element: read_places(file, element) for element in file.routes}


@pytest.fixture(scope="module")
def on_lanes(maps, places):
    """Route -> its type, its town's map and the waypoints nearest to its own."""
    return {
        element.id: (
            element.scenario_types[0],
            maps[element.town],
            [maps[element.town].get_waypoint(carla.Location(*place)) for place in found.waypoints],
        )
        for element, found in places.items()
    }


def _of(on_lanes, types):
    return [(maps, way) for kind, maps, way in on_lanes.values() if kind in types]


def _same_lane(one, other):
    return (one.road_id, one.section_id, one.lane_id) == (other.road_id, other.section_id, other.lane_id)


def _beside(waypoint, step):
    """Lanes to one side, the nearest first."""
    found, lane = [], step(waypoint)
    while lane is not None and len(found) < 8:
        found.append(lane)
        lane = step(lane) if lane.lane_id * waypoint.lane_id > 0 else None
    return found


def test_waypoints_lie_on_driving_lanes_and_not_in_junctions(places, on_lanes):
    for element, found in places.items():
        for place, waypoint in zip(found.waypoints, on_lanes[element.id][2], strict=True):
            assert waypoint.transform.location.distance(carla.Location(*place)) < OFF_LANE_M, element.id
            assert waypoint.lane_type == carla.LaneType.Driving
            assert not waypoint.is_junction, (element.id, place)


def test_each_waypoint_leads_to_the_next(places, on_lanes):
    """Two metres along the lane; through a junction; or aside by lanes that may be changed."""
    for number, (_, _, way) in on_lanes.items():
        for here, there in pairwise(way):
            gap = here.transform.location.distance(there.transform.location)
            if gap < 3.0:
                assert any(
                    onward.transform.location.distance(there.transform.location) < 0.5 for onward in here.next(gap)
                )
            else:
                assert _joined(here, there), (number, here, there)


def _joined(here, there):
    """By a junction, or by lane changes on one carriageway."""
    if any(_same_lane(onward, there) for onward in _through_junction(here)):
        return True
    roads = {here.road_id} | {onward.road_id for onward in here.next(60.0)}
    return there.road_id in roads and here.lane_id * there.lane_id > 0 and here.lane_change != carla.LaneChange.NONE


def _through_junction(waypoint):
    """Where the ways of the next junction lead to."""
    left, found = [(waypoint, 0.0)], []
    while left:
        here, gone = left.pop()
        for onward in here.next(2.0) if gone < 80.0 else ():
            if here.is_junction and not onward.is_junction:
                found.append(onward)
            else:
                left.append((onward, gone + 2.0))
    return found


def test_scenarios_begin_on_the_route_a_little_after_its_start(places):
    for found in places.values():
        assert len(found.scenarios) == 1
        scenario = found.scenarios[0]
        index = found.waypoints.index(scenario.trigger)
        travelled = sum(math.dist(a, b) for a, b in pairwise(found.waypoints[: index + 1]))
        assert 5.0 <= travelled <= 20.0
        ahead = found.waypoints[index + 1]
        heading = math.degrees(math.atan2(ahead[1] - scenario.trigger[1], ahead[0] - scenario.trigger[0]))
        assert abs(math.remainder(heading - scenario.yaw, 360.0)) < 5.0


def test_places_of_traffic_are_on_driving_lanes_and_flows_can_be_driven(maps, places):
    flows = 0
    for element, found in places.items():
        for place in found.scenarios[0].places.values():
            waypoint = maps[element.town].get_waypoint(carla.Location(*place))
            assert waypoint.transform.location.distance(carla.Location(*place)) < OFF_LANE_M
        given = found.scenarios[0].places
        if "start_actor_flow" in given:
            start, end = (
                maps[element.town].get_waypoint(carla.Location(*given[name]))
                for name in ("start_actor_flow", "end_actor_flow")
            )
            assert _leads(start, end), element.id
            flows += 1
    assert flows >= 12


def _leads(start, end):
    """Whether a lane leads to another place, by junctions too."""
    left = [(start, 0.0)]
    while left:
        here, gone = left.pop()
        if _same_lane(here, end):
            return True
        if gone < 500.0:
            ways = {(onward.road_id, onward.lane_id): onward for onward in here.next(5.0)}
            left += [(onward, gone + 5.0) for onward in ways.values()]
    return False


def test_junction_scenarios_have_their_junction_ahead(on_lanes, texts, maps):
    from bestrand_drive.headless.maps.road_map import RoadMap

    lights = RoadMap("BestrandCity", texts["BestrandCity"]).lights
    lit = {(lane.road_id, lane.lane_id) for site in lights for lane in site.lanes}
    for kind, _, way in on_lanes.values():
        if kind not in CROSSED:
            continue
        mouth = next(
            here for here, there in pairwise(way) if here.transform.location.distance(there.transform.location) > 4
        )
        assert mouth.next(2.0)[0].is_junction
        distance = way[0].transform.location.distance(mouth.transform.location)
        assert 35.0 < distance < 60.0
        if kind in SIGNALLED | UNSIGNALLED:
            assert ((mouth.road_id, mouth.lane_id) in lit) == (kind in SIGNALLED), kind


def test_obstacles_on_one_way_lanes_leave_another_to_pass_on(on_lanes):
    found = _of(on_lanes, ONE_WAY_OBSTACLES)
    assert len(found) >= 5
    for _, way in found:
        middle = way[len(way) // 2]
        beside = (middle.get_left_lane(), middle.get_right_lane())
        assert any(
            lane is not None and lane.lane_type == carla.LaneType.Driving and lane.lane_id * middle.lane_id > 0
            for lane in beside
        )


def test_two_way_scenarios_have_one_lane_each_way(on_lanes):
    for _, way in _of(on_lanes, {"ParkedObstacleTwoWays", "ConstructionObstacleTwoWays", "InvadingTurn"}):
        for here in way:
            left, right = here.get_left_lane(), here.get_right_lane()
            assert left.lane_type == carla.LaneType.Driving
            assert left.lane_id * here.lane_id < 0
            assert right.lane_type != carla.LaneType.Driving


def test_parked_scenarios_have_a_parking_lane_on_their_right(on_lanes):
    for _, way in _of(on_lanes, {"ParkingCutIn", "ParkingCrossingPedestrian"}):
        assert all(here.get_right_lane().lane_type == carla.LaneType.Parking for here in way)


def test_pedestrians_come_from_a_pavement(on_lanes):
    for _, way in _of(on_lanes, {"DynamicObjectCrossing", "ParkingCrossingPedestrian"}):
        lanes = _beside(way[len(way) // 2], lambda lane: lane.get_right_lane())
        assert carla.LaneType.Sidewalk in {lane.lane_type for lane in lanes}


def test_turns_are_invaded_in_a_bend(on_lanes):
    for _, way in _of(on_lanes, {"InvadingTurn"}):
        first, last = (waypoint.transform.rotation.yaw for waypoint in (way[0], way[-1]))
        assert abs(math.remainder(first - last, 360.0)) > 45


def test_routes_of_a_type_differ(places):
    for kind, number in Counter(element.scenario_types[0] for element in places).items():
        own = [found for element, found in places.items() if element.scenario_types[0] == kind]
        assert len({found.waypoints[0] for found in own}) == number, kind
