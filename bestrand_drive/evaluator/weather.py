"""The weather along a route: between the places where the file gives it, linear."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import carla

Weather = tuple[float, carla.WeatherParameters]
"""Percent of the way, and the weather there."""
_VALUES = (
    *("cloudiness", "precipitation", "precipitation_deposits", "wind_intensity", "sun_azimuth_angle"),
    *("sun_altitude_angle", "wetness", "fog_distance", "fog_density", "fog_falloff", "scattering_intensity"),
    *("mie_scattering_scale", "rayleigh_scattering_scale"),
)


class RouteWeather:
    """Sets the weather where it changes."""

    def __init__(self, world: carla.World, weathers: Sequence[Weather]) -> None:
        self._world = world
        self._weathers = weathers
        first = self._values(weathers[0][1])
        self._changes = any(self._values(one) != first for _, one in weathers)
        self._point = 0
        world.set_weather(weathers[0][1])

    @staticmethod
    def _values(weather: carla.WeatherParameters) -> list[float]:
        return [float(getattr(weather, name)) for name in _VALUES]

    def update(self, point: int, percent: float) -> None:
        """The ego is at a point of the plan, so much of the way lies behind it."""
        if not self._changes or point <= self._point:
            return
        self._point = point
        self._world.set_weather(self.at(percent))

    def at(self, percent: float) -> carla.WeatherParameters:
        """The weather there; beyond the ends as at them."""
        places = [place for place, _ in self._weathers]
        after = min(bisect_right(places, percent), len(places) - 1)
        before = max(after - 1, 0)
        width = places[after] - places[before]
        share = min(max((percent - places[before]) / width, 0.0), 1.0) if width else 0.0
        low, high = self._values(self._weathers[before][1]), self._values(self._weathers[after][1])
        weather = carla.WeatherParameters()
        for name, a, b in zip(_VALUES, low, high, strict=True):
            setattr(weather, name, a + share * (b - a))
        return weather
