"""The traffic lights of one junction, held in states that a scenario needs."""

from __future__ import annotations

from collections.abc import Callable

import carla

_HOLD_S = 10_000.0


class Lights:
    """A junction's lights; what they did before is given back.

    CARLA can only freeze all lights of a town, so these get a state and a time that outlasts every scenario.
    """

    def __init__(self, world: carla.World, junction: carla.Junction) -> None:
        self._lights = sorted(world.get_traffic_lights_in_junction(junction.id), key=lambda light: int(light.id))
        self._stops = {
            light.id: [stop.transform.location for stop in light.get_stop_waypoints()] for light in self._lights
        }
        self._before: dict[int, tuple[carla.TrafficLightState, float, float, float]] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._lights)

    def for_lane(self, lane: carla.Transform) -> int:
        """Id of the light whose stop line is nearest."""
        return int(min(self._lights, key=lambda light: self._away_m(light, lane.location)).id)

    def hold(self, state_of: Callable[[int], carla.TrafficLightState]) -> None:
        """Give each light a state and keep it there."""
        for light in self._lights:
            if light.id not in self._before:
                times = light.get_green_time(), light.get_yellow_time(), light.get_red_time()
                self._before[light.id] = (light.get_state(), *times)
            light.set_state(state_of(int(light.id)))
            light.set_green_time(_HOLD_S)
            light.set_yellow_time(_HOLD_S)
            light.set_red_time(_HOLD_S)

    def hold_green(self, *green: int) -> None:
        """These are green, all others red."""
        self.hold(lambda light: carla.TrafficLightState.Green if light in green else carla.TrafficLightState.Red)

    def give_back(self) -> None:
        """States and times as they were."""
        for light in self._lights:
            if light.id in self._before:
                state, green_s, yellow_s, red_s = self._before.pop(light.id)
                light.set_state(state)
                light.set_green_time(green_s)
                light.set_yellow_time(yellow_s)
                light.set_red_time(red_s)

    def _away_m(self, light: carla.TrafficLight, place: carla.Location) -> float:
        return min((float(place.distance(stop)) for stop in self._stops[light.id]), default=float("inf"))
