"""Traffic lights and stop signs along the path."""

from __future__ import annotations

import math
from typing import List, Tuple

import carla

from probe_driving.path import Path
from probe_driving.style import Style

_ON_PATH_M = 2.5
_SAME_WAY = 0.5
"""Least cosine between the lane of a stop line and the path."""
_BEFORE_LINE_M = 1.0
_BEFORE_SIGN_M = 1.0
"""The middle of the vehicle stands so far before the middle of a sign's zone: near enough to count as stopped there."""
_SIGN_M = 4.0
_STOOD_M_S = 0.08
_PASSED_M = 3.0


def lights_on(path: Path, world: carla.World) -> List[Tuple[float, carla.TrafficLight]]:
    """Distances of stop lines along the path, with their lights, nearest first."""
    found = []
    for light in world.get_actors().filter("*traffic_light*"):
        lines = {
            round(place.s, 1)
            for lane in light.get_stop_waypoints()
            for place in [path.place(lane.transform.location.x, lane.transform.location.y, 0.0, path.length)]
            if place is not None and abs(place.right) < _ON_PATH_M and _same_way(path, place.point, lane)
        }
        found += [(line, light) for line in lines]
    return sorted(found, key=lambda pair: (pair[0], pair[1].id))


def _same_way(path: Path, index: int, lane: carla.Waypoint) -> bool:
    yaw = math.radians(lane.transform.rotation.yaw)
    return path.tx[index] * math.cos(yaw) + path.ty[index] * math.sin(yaw) > _SAME_WAY


def stops_on(path: Path, world: carla.World) -> List[float]:
    """Distances along the path of stop signs' zones: a zone counts when the path leads through it."""
    found = []
    for sign in world.get_actors().filter("traffic.stop"):
        volume = sign.trigger_volume
        middle = sign.get_transform().transform(volume.location)
        place = path.place(middle.x, middle.y, 0.0, path.length)
        if place is None:
            continue
        inside = [
            index
            for index in range(max(place.point - 4, 0), min(place.point + 5, len(path.x)))
            if abs(path.x[index] - middle.x) < 1.2 * volume.extent.x
            and abs(path.y[index] - middle.y) < 1.2 * volume.extent.y
            and math.hypot(path.x[index] - middle.x, path.y[index] - middle.y) < _SIGN_M
        ]
        if inside:
            found.append(place.s)
    return sorted(found)


class Signals:
    """What the lights and signs of a path ask for."""

    def __init__(self, path: Path, world: carla.World, style: Style) -> None:
        self._style = style
        self.lights = lights_on(path, world) if style.obeys_lights or style.overtakes else []
        self._stops = stops_on(path, world) if style.obeys_stops else []
        self._stood_s = 0.0

    def waits_at_light(self, low: float, high: float) -> bool:
        """Whether a light that is not green has its line between two distances: a reason for others to stand."""
        return any(low < line < high and light.state != carla.TrafficLightState.Green for line, light in self.lights)

    def stop_at(self, s: float, half_length: float, speed: float, delta_s: float) -> float:
        """Where the vehicle's middle has to stand for lights and signs; infinity for nowhere.

        Args:
            s: Of the vehicle's middle along the path, metres.
            half_length: Of the vehicle, metres.
            speed: In m/s.
            delta_s: Length of a tick.
        """
        return min(self._light(s, half_length, speed), self._sign(s, speed, delta_s))

    def _light(self, s: float, half_length: float, speed: float) -> float:
        if not self._style.obeys_lights:
            return math.inf
        front = s + half_length
        reach = front + 10.0 + speed * speed / (2.0 * self._style.brake_m_s2)
        for line, light in self.lights:
            if not front - 0.5 < line < reach:
                continue
            state = light.state
            room = max(line - front, 0.1)
            needed = speed * speed / (2.0 * room)
            late = state == carla.TrafficLightState.Yellow and needed > self._style.brake_m_s2
            if state in (carla.TrafficLightState.Red, carla.TrafficLightState.Yellow) and not late and needed < 9.0:
                return line - half_length - _BEFORE_LINE_M
        return math.inf

    def _sign(self, s: float, speed: float, delta_s: float) -> float:
        while self._stops and s > self._stops[0] + _PASSED_M:
            del self._stops[0]
            self._stood_s = 0.0
        if not self._stops:
            return math.inf
        goal = self._stops[0] - _BEFORE_SIGN_M
        if speed < _STOOD_M_S and abs(s - goal) < 2.0:
            self._stood_s += delta_s
        if self._stood_s > self._style.stop_s:
            del self._stops[0]
            self._stood_s = 0.0
            return math.inf
        return goal if s < goal + 1.5 else math.inf
