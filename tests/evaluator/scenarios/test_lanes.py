"""Places along and beside lanes, against the map's own answers."""

from __future__ import annotations

import itertools
import math
import random

import carla
import pytest

from bestrand_drive.evaluator.scenarios import lanes
from tests.evaluator.scenarios.playing import road_map, shipped_routes, shipped_towns


@pytest.fixture(scope="module")
def city() -> carla.Map:
    return road_map(shipped_towns() / "BestrandCity.xodr")


@pytest.fixture(scope="module")
def triggers(city: carla.Map) -> list[carla.Waypoint]:
    """Lanes at the triggers of our routes in the city."""
    places = [route.scenarios[0].trigger.location for route in shipped_routes() if route.town == "BestrandCity"]
    return [city.get_waypoint(place) for place in places]


def test_a_turn_is_the_angle_that_brings_one_heading_to_the_other() -> None:
    rng = random.Random(0)
    for _ in range(200):
        start, end = rng.uniform(-720, 720), rng.uniform(-720, 720)
        turned = lanes.turn_deg(start, end)
        assert -180.0 < turned <= 180.0
        assert math.isclose((start + turned - end) % 360.0 % 360.0, 0.0, abs_tol=1e-9) or math.isclose(
            (start + turned - end) % 360.0, 360.0, abs_tol=1e-9
        )


@pytest.mark.parametrize("yaw", [-170.0, -90.0, 0.0, 33.0, 90.0, 179.0])
def test_aside_moves_along_carlas_own_vectors(yaw: float) -> None:
    here = carla.Transform(carla.Location(5.0, -7.0, 1.0), carla.Rotation(yaw=yaw))
    moved = lanes.aside(here, 2.0, 3.0, turned_deg=10.0)
    expected = here.location + here.get_right_vector() * 2.0 + here.get_forward_vector() * 3.0
    assert moved.location.distance(expected) < 1e-4
    assert moved.rotation.yaw == pytest.approx(yaw + 10.0, abs=1e-4)


def test_ahead_is_as_far_as_asked_or_stops_before_the_junction(triggers: list[carla.Waypoint]) -> None:
    for waypoint in triggers:
        there = lanes.ahead(waypoint, 20.0)
        gone = waypoint.transform.location.distance(there.transform.location)
        assert not there.is_junction or waypoint.is_junction
        assert gone <= 20.5
        if gone < 15.0:
            assert any(following.is_junction for following in there.next(1.5)), "it stopped for nothing"


def test_behind_undoes_ahead(triggers: list[carla.Waypoint]) -> None:
    for waypoint in triggers:
        back = lanes.behind(lanes.ahead(waypoint, 8.0), 8.0)
        assert back.transform.location.distance(waypoint.transform.location) < 0.5


def test_the_kerb_is_where_the_last_lane_for_wheels_ends(city: carla.Map, triggers: list[carla.Waypoint]) -> None:
    wheels = carla.LaneType.Driving | carla.LaneType.Parking | carla.LaneType.Shoulder | carla.LaneType.Biking
    for waypoint in triggers:
        for side, sign in (("right", 1.0), ("left", -1.0)):
            edge = lanes.kerb_m(waypoint, side)
            for off, inside in ((-0.3, True), (0.3, False)):
                place = lanes.aside(waypoint.transform, sign * (edge + off)).location
                on_wheels = city.get_waypoint(place, project_to_road=False, lane_type=wheels) is not None
                assert on_wheels == inside, (waypoint.road_id, waypoint.lane_id, side, off)


def test_lanes_abreast_run_one_way_from_the_right_to_the_left(triggers: list[carla.Waypoint]) -> None:
    for waypoint in triggers:
        found = lanes.abreast(waypoint)
        assert waypoint.lane_id in {lane.lane_id for lane in found}
        for right, left in itertools.pairwise(found):
            yaw = math.radians(right.transform.rotation.yaw)
            dx, dy = (
                left.transform.location.x - right.transform.location.x,
                left.transform.location.y - right.transform.location.y,
            )
            assert dy * math.cos(yaw) - dx * math.sin(yaw) < 0.0
            assert abs(lanes.turn_deg(left.transform.rotation.yaw, right.transform.rotation.yaw)) < 10.0


def test_the_oncoming_lane_runs_the_other_way(triggers: list[carla.Waypoint]) -> None:
    found = [(waypoint, lanes.oncoming(waypoint)) for waypoint in triggers]
    assert any(other is not None for _, other in found)
    for waypoint, other in found:
        if other is not None:
            turned = lanes.turn_deg(waypoint.transform.rotation.yaw, other.transform.rotation.yaw)
            assert abs(turned) > 150.0
