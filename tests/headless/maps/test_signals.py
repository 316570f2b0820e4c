"""Trigger volumes and stop lanes, checked the way CARLA's client reads them."""

import math
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bestrand_drive.headless.maps.library import MapLibrary
    from bestrand_drive.headless.maps.road_map import RoadMap
    from bestrand_drive.headless.maps.signals import SignalSite


def sampled_lanes(carla_map: Any, site: "SignalSite") -> set[tuple[int, int]]:
    """As LibCarla's ``TrafficLight::GetStopWaypoints``: walk along the actor's forward vector over 0.9 of x."""
    import carla

    place = carla.Transform(carla.Location(*site.transform.location), carla.Rotation(yaw=site.transform.rotation[1]))
    middle = place.transform(carla.Location(*site.box_centre))
    forward = place.get_forward_vector()
    reach, found = 0.9 * site.extent[0], set()
    offset = -reach
    while offset < reach:
        at = middle + carla.Location(x=forward.x * offset, y=forward.y * offset)
        waypoint = carla_map.get_waypoint(at)
        found.add((waypoint.road_id, waypoint.lane_id))
        offset += 1.0
    return found


@pytest.mark.parametrize(("name", "lights", "stops"), [("Town01", 36, 0), ("Town07", 17, 19), ("Town10HD", 17, 3)])
def test_every_signal_of_a_town_becomes_an_actor(towns: "MapLibrary", name: str, lights: int, stops: int) -> None:
    town = towns.load(name)
    assert len(town.lights) == lights
    assert len([sign for sign in town.signs if sign.type == "206"]) == stops


@pytest.mark.parametrize("name", ["Town01", "Town02", "Town04", "Town10HD"])
def test_the_client_samples_the_stopped_lanes_out_of_the_volume(towns: "MapLibrary", name: str) -> None:
    town = towns.load(name)
    assert all(site.lanes for site in town.lights)
    wrong = [
        site.sign_id
        for site in town.lights
        if not {(lane.road_id, lane.lane_id) for lane in site.lanes} <= sampled_lanes(town.carla_map, site)
    ]
    assert len(wrong) <= 0.05 * len(town.lights), wrong


@pytest.mark.parametrize("name", ["Town01", "Town04"])
def test_stop_lanes_lie_just_before_the_junction(towns: "MapLibrary", name: str) -> None:
    town = towns.load(name)
    lanes = [lane for site in town.lights for lane in site.lanes]
    assert len(lanes) >= len(town.lights) > 0
    for lane in lanes:
        import carla

        waypoint = town.carla_map.get_waypoint(carla.Location(*lane.location))
        assert not waypoint.is_junction
        assert any(ahead.is_junction for ahead in waypoint.next(2.0))


def test_x_runs_across_the_lane_and_the_box_ends_at_the_line(mini: "RoadMap") -> None:
    (site,) = mini.lights
    yaw = math.radians(site.transform.rotation[1])
    assert site.transform.rotation[1] == pytest.approx(90.0)
    x = site.transform.location[0] + site.box_centre[0] * math.cos(yaw) - site.box_centre[1] * math.sin(yaw)
    y = site.transform.location[1] + site.box_centre[0] * math.sin(yaw) + site.box_centre[1] * math.cos(yaw)
    assert (x, y) == pytest.approx((148.0, 1.75), abs=1e-3)
    assert site.extent == pytest.approx((0.9 * 1.75, 2.0, 1.0))


def test_signs_keep_their_kind_and_lane(mini: "RoadMap") -> None:
    (sign,) = mini.signs
    assert (sign.type, sign.sign_id) == ("206", "12")
    assert [(lane.road_id, lane.lane_id, lane.yaw) for lane in sign.lanes] == [(7, 1, pytest.approx(-180.0))]
