"""The weather along a route."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

carla = pytest.importorskip("carla")  # before what imports it

from bestrand_drive.evaluator.weather import RouteWeather  # noqa: E402

DRY, WET = (carla.WeatherParameters(cloudiness=value, fog_density=value / 2) for value in (10.0, 50.0))


def weather(*given):
    """With what was set, as (cloudiness, density of fog)."""
    found = []
    world = SimpleNamespace(set_weather=lambda one: found.append((one.cloudiness, one.fog_density)))
    return RouteWeather(world, given), found


@pytest.mark.parametrize(
    ("percent", "cloudiness"), [(0.0, 10.0), (20.0, 10.0), (35.0, 20.0), (80.0, 50.0), (90.0, 30.0), (100.0, 10.0)]
)
def test_between_two_places_it_changes_evenly_and_beyond_the_ends_not_at_all(percent, cloudiness):
    found = weather((20.0, DRY), (80.0, WET), (100.0, DRY))[0].at(percent)
    assert (found.cloudiness, found.fog_density) == pytest.approx((cloudiness, cloudiness / 2))


def test_it_is_set_at_the_start_and_again_when_the_ego_has_come_on():
    route, found = weather((0.0, DRY), (100.0, WET))
    for point, percent in ((0, 0.0), (5, 50.0), (5, 50.0), (4, 40.0), (6, 75.0)):
        route.update(point, percent)
    assert found == [(10.0, 5.0), (30.0, 15.0), (40.0, 20.0)]


def test_one_that_never_changes_is_set_once():
    route, found = weather((0.0, DRY), (100.0, DRY))
    route.update(5, 50.0)
    assert found == [(10.0, 5.0)]
