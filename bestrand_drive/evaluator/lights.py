"""Where traffic lights hold traffic: their stop lines, found once, and matched with paths."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import carla

if TYPE_CHECKING:
    from bestrand_drive.evaluator.path import Path

_ON_PATH_M = 1.5
_AGAINST = 0.5
_POST_M = 60.0
"""A light's post is no further from its stop lines."""

Line = tuple[float, float, float, float]
"""Place, and unit vector along the lane."""


class LightLines:
    """The stop lines of a town's lights; each light's are asked for when a path first comes near it."""

    def __init__(self, world: carla.World) -> None:
        self._world = world
        self._known: dict[int, list[Line]] = {}

    @cached_property
    def _lights(self) -> list[tuple[float, float, carla.TrafficLight]]:
        """Each light with its place."""
        lights = self._world.get_actors().filter("traffic.traffic_light*")
        places = [light.get_transform().location for light in lights]
        return [(place.x, place.y, light) for place, light in zip(places, lights, strict=True)]

    def _lines_of(self, light: carla.TrafficLight) -> list[Line]:
        lines = self._known.get(light.id)
        if lines is None:
            lines = self._known[light.id] = [_line(waypoint) for waypoint in light.get_stop_waypoints()]
        return lines

    def on(self, path: Path) -> list[tuple[float, carla.TrafficLight]]:
        """Lights whose line a path crosses in the line's direction, with the metres along the path."""
        low_x, high_x, low_y, high_y = min(path.xs), max(path.xs), min(path.ys), max(path.ys)
        found = []
        for light_x, light_y, light in self._lights:
            if not (_within(light_x, low_x, high_x, _POST_M) and _within(light_y, low_y, high_y, _POST_M)):
                continue
            for x, y, cos, sin in self._lines_of(light):
                index, apart_m = path.nearest(x, y, 0, math.inf)
                after = min(index + 1, len(path) - 1)
                dx, dy = path.xs[after] - path.xs[after - 1], path.ys[after] - path.ys[after - 1]
                if apart_m < _ON_PATH_M and dx * cos + dy * sin > _AGAINST * math.hypot(dx, dy):
                    found.append((path.metres[index], light))
        return sorted(found, key=lambda one: one[0])


def _line(waypoint: carla.Waypoint) -> Line:
    place, yaw = waypoint.transform.location, math.radians(waypoint.transform.rotation.yaw)
    return float(place.x), float(place.y), math.cos(yaw), math.sin(yaw)


def _within(value: float, low: float, high: float, margin: float) -> bool:
    return low - margin <= value <= high + margin
