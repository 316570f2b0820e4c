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


class LightLines:
    """The stop lines of all lights of a town."""

    def __init__(self, world: carla.World) -> None:
        self._world = world

    @cached_property
    def _lines(self) -> list[tuple[float, float, float, float, carla.TrafficLight]]:
        """Place and direction of each stop line, and its light."""
        lines = []
        for light in self._world.get_actors().filter("traffic.traffic_light*"):
            for waypoint in light.get_stop_waypoints():
                place, yaw = waypoint.transform.location, math.radians(waypoint.transform.rotation.yaw)
                lines.append((place.x, place.y, math.cos(yaw), math.sin(yaw), light))
        return lines

    def on(self, path: Path) -> list[tuple[float, carla.TrafficLight]]:
        """Lights whose line a path crosses in the line's direction, with the metres along the path."""
        low_x, high_x = min(path.xs) - _ON_PATH_M, max(path.xs) + _ON_PATH_M
        low_y, high_y = min(path.ys) - _ON_PATH_M, max(path.ys) + _ON_PATH_M
        found = []
        for x, y, cos, sin, light in self._lines:
            if not (low_x <= x <= high_x and low_y <= y <= high_y):
                continue
            index, apart_m = path.nearest(x, y, 0, math.inf)
            after = min(index + 1, len(path) - 1)
            dx, dy = path.xs[after] - path.xs[after - 1], path.ys[after] - path.ys[after - 1]
            if apart_m < _ON_PATH_M and dx * cos + dy * sin > _AGAINST * math.hypot(dx, dy):
                found.append((path.metres[index], light))
        return sorted(found, key=lambda one: one[0])
