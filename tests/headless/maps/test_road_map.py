"""Heights, slopes and limits of places."""

import math
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bestrand_drive.headless.maps.library import MapLibrary
    from bestrand_drive.headless.maps.road_map import RoadMap


@pytest.mark.parametrize(("x", "height"), [(50.0, 0.0), (150.3, 0.0), (250.0, 2.5), (333.3, 6.665)])
def test_height_is_the_elevation_profile(mini: "RoadMap", x: float, height: float) -> None:
    surface = mini.surface(x, 1.75, height)
    assert surface is not None
    assert surface.height(x, 1.75) == pytest.approx(height, abs=2e-3)


def test_a_slope_rises_the_same_way_seen_from_both_lanes(mini: "RoadMap") -> None:
    for y in (1.75, -1.75):
        surface = mini.surface(300.0, y, 5.0)
        assert surface is not None
        assert surface.rise_x == pytest.approx(0.05, abs=1e-3)
        assert surface.rise_y == pytest.approx(0.0, abs=1e-6)


def test_far_from_every_road_there_is_no_surface(mini: "RoadMap") -> None:
    assert mini.surface(100.0, 30.0, 0.0) is None
    assert mini.surface(100.0, 5.0, 0.0) is not None


def test_answers_do_not_depend_on_what_was_asked_before(mini: "RoadMap") -> None:
    from bestrand_drive.headless.maps.road_map import RoadMap

    fresh = RoadMap("mini", mini.xodr)
    for x in (10.1, 11.9, 10.9, 399.0):
        mini.surface(x, 1.7, 0.0)
    assert fresh.surface(10.9, 1.0, 0.0) == mini.surface(10.9, 1.0, 0.0)


def test_any_number_of_places_is_remembered_within_bounds(mini: "RoadMap", monkeypatch: pytest.MonkeyPatch) -> None:
    from bestrand_drive.headless.maps import road_map

    monkeypatch.setattr(road_map, "KEPT_CELLS", 50)
    fresh = road_map.RoadMap("mini", mini.xodr)
    places = [(2.0 * k, y, z) for k in range(60) for y in (1.7, 90.0) for z in (0.0, 1e6)]
    answers = [fresh.surface(*place) for place in places]
    assert len(fresh._cells) == 50
    assert [fresh.surface(*place) for place in places] == answers
    assert {answer is None for answer in answers} == {True, False}


def test_limits_follow_road_and_lane(mini: "RoadMap") -> None:
    limits = [mini.surface(x, y, 0.05 * max(x - 200, 0)) for x, y in ((100, 1.75), (350, 1.75), (350, -1.75))]
    assert [surface.limit_kmh for surface in limits if surface] == pytest.approx([48.28, 72.0, 48.28], abs=0.01)


@pytest.mark.parametrize("name", ["Town01", "Town04", "Town07"])
def test_spawn_points_lie_on_driving_lanes_and_do_not_overlap(towns: "MapLibrary", name: str) -> None:
    import carla

    town = towns.load(name)
    points = town.spawn_points
    assert 50 < len(points) <= 400
    for point in points:
        waypoint = town.carla_map.get_waypoint(carla.Location(*point.location), project_to_road=False)
        assert waypoint is not None
        assert not waypoint.is_junction
        turn = (point.rotation[1] - waypoint.transform.rotation.yaw + 180) % 360 - 180
        assert abs(turn) < 3.0
        assert point.location[2] - waypoint.transform.location.z == pytest.approx(0.5, abs=0.05)
    assert len({point.location for point in points}) == len(points)


@pytest.mark.parametrize("name", ["Town04", "Town07"])
def test_surfaces_agree_with_the_map_between_the_cells_centres(towns: "MapLibrary", name: str) -> None:
    town = towns.load(name)
    errors = []
    for waypoint in town.carla_map.generate_waypoints(7.3)[::5]:
        place = waypoint.transform.location
        surface = town.surface(place.x, place.y, place.z)
        assert surface is not None
        errors.append(abs(surface.height(place.x, place.y) - place.z))
    assert sorted(errors)[int(0.98 * len(errors))] < 0.05
    assert math.fsum(errors) / len(errors) < 0.01
