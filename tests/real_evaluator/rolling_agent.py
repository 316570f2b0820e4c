"""A rule-based driver for the evaluators, without cameras: CARLA's own ``BehaviorAgent`` on the evaluator's route.

It differs from it in four ways. The plan goes on past the end of the route, because the evaluators count a route as
complete only when its last metres are driven, and a planner without a plan brakes. It does not leave the plan for a
vehicle that pushes from behind. It looks for red lights along the plan. And it does not wait for ever: behind
something that stands it passes beside it, slowly and come what may, since a test wants the route driven and the
collision counted.

Runs inside the evaluator, under its Python (3.7 and later).
"""

from __future__ import annotations

from typing import Any

import carla
from agents.navigation.behavior_agent import BehaviorAgent
from agents.navigation.local_planner import RoadOption
from leaderboard.autoagents.autonomous_agent import AutonomousAgent, Track
from leaderboard.envs.sensor_interface import SensorReceivedNoData
from srunner.scenariomanager.carla_data_provider import CarlaDataProvider
from srunner.scenariomanager.timer import GameTime

BEYOND_M = 80.0
STEP_M = 2.0
STANDING_MPS = 0.3
PATIENCE_TICKS = 200
"""Standing for so long (10 s), red lights not counted, ends the wait."""
QUEUE_M = 60.0
"""A red light within this is a reason to stand."""
BRAKING_MPS2 = 3.0
ON_PLAN_M = 2.0
PASSING_TICKS = 160
PASSING_KMH = 15.0
SIDE_M = (-3.2, 3.2, 0.0)
"""How far beside the plan it passes, to the right: first on the left, then on the right, then straight on."""


def get_entry_point() -> str:
    """The class that the evaluator makes."""
    return "RollingAgent"


class RollingAgent(AutonomousAgent):
    """What the evaluator sees."""

    def setup(self, path_to_conf_file: str) -> None:
        """Nothing to read."""
        self.track = Track.SENSORS
        self.driver: Driver | None = None
        self.frames: dict[str, int] = {}
        self._deliver = self.sensor_interface.update_sensor
        self.sensor_interface.update_sensor = self._remember

    def _remember(self, tag: str, data: Any, frame: int) -> None:
        """Hand data on, and keep its frame."""
        self.frames[tag] = frame
        self._deliver(tag, data, frame)

    def __call__(self, *given: Any) -> carla.VehicleControl:
        """A tick; when the evaluator gives up waiting for a sensor, the log tells which."""
        try:
            return super().__call__(*given)
        except SensorReceivedNoData:
            print(f"in frame {GameTime.get_frame()} the last frames of the sensors are {self.frames}")
            raise

    def sensors(self) -> list[dict[str, Any]]:
        """Position, inertia and speed; they are delivered and checked for, and steer nothing."""
        place = {"x": 0.0, "y": 0.0, "z": 1.6, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}
        return [
            {"type": "sensor.other.gnss", "id": "gnss", **place},
            {"type": "sensor.other.imu", "id": "imu", **place},
            {"type": "sensor.speedometer", "id": "speed", "reading_frequency": 20},
        ]

    def run_step(self, input_data: dict[str, Any], timestamp: float) -> carla.VehicleControl:
        """The control of this tick.

        Raises:
            RuntimeError: A sensor is missing, so that the evaluator reports a crash of the agent.
        """
        missing = {"gnss", "imu", "speed"} - set(input_data)
        if missing:
            raise RuntimeError(f"no data of {sorted(missing)}")
        if self.driver is None:
            self.driver = Driver(hero(), [transform.location for transform, _ in self._global_plan_world_coord])
        return self.driver.run_step()


def hero() -> carla.Vehicle:
    """The vehicle that the evaluator gave us."""
    actors = CarlaDataProvider.get_world().get_actors()
    return next(actor for actor in actors if actor.attributes.get("role_name") == "hero")


class Driver(BehaviorAgent):
    """Follows a plan, and passes what stands in its way."""

    def __init__(self, vehicle: carla.Vehicle, places: list[carla.Location]) -> None:
        road_map = CarlaDataProvider.get_map()
        super().__init__(vehicle, "normal", opt_dict={}, map_inst=road_map)
        self.standing = self.passing = self.passes = 0
        lights = self._world.get_actors().filter("*traffic_light*")
        self.stop_lines = [
            (light, [waypoint.transform.location for waypoint in light.get_stop_waypoints()]) for light in lights
        ]
        self.set_global_plan(self._plan([road_map.get_waypoint(place) for place in places]))

    def _plan(self, waypoints: list[carla.Waypoint]) -> list[Any]:
        """From each waypoint to the next, and on along the lane."""
        plan = []
        for start, end in zip(waypoints, waypoints[1:]):  # noqa: B905, RUF007  an older Python
            plan += self.trace_route(start, end)
        last = waypoints[-1]
        for _ in range(int(BEYOND_M / STEP_M)):
            following = last.next(STEP_M)
            if not following:
                break
            last = following[0]
            plan.append((last, RoadOption.LANEFOLLOW))
        return plan

    def _tailgating(self, waypoint: carla.Waypoint, vehicle_list: Any) -> None:
        """Keep to the plan."""

    def traffic_light_manager(self) -> bool:
        """Whether to brake for a red light."""
        return self._red_light_within(6.0 + self._vehicle.get_velocity().length() ** 2 / (2 * BRAKING_MPS2))

    def _red_light_within(self, reach_m: float) -> bool:
        """Whether a stop line of a red light lies on the plan, not further than this.

        CARLA's own agents look for lights of the road they are on, and so late where that road is short.
        """
        place = self._vehicle.get_transform()
        ahead = [place.location] + [waypoint.transform.location for waypoint, _ in self._local_planner.get_plan()]
        ahead = [point for point in ahead if point.distance(place.location) < reach_m]
        forward = place.get_forward_vector()
        return any(
            forward.dot(line - place.location) > 0.0 and any(line.distance(point) < ON_PLAN_M for point in ahead)
            for light, lines in self.stop_lines
            if light.state == carla.TrafficLightState.Red
            for line in lines
        )

    def run_step(self, debug: bool = False) -> carla.VehicleControl:
        """The control of this tick."""
        self._update_information()
        if self.passing:
            return self._pass()
        control = super().run_step(debug)
        if self._vehicle.get_velocity().length() > STANDING_MPS:
            self.standing = 0
        elif not self._red_light_within(QUEUE_M):
            self.standing += 1
        if self.standing > PATIENCE_TICKS:
            self.standing, self.passing = 0, PASSING_TICKS
            self.set_offset(SIDE_M[self.passes % len(SIDE_M)])
            self.passes += 1
        return control

    def _pass(self) -> carla.VehicleControl:
        """Slowly beside the plan, whatever is there, but not over a red light."""
        self.passing -= 1
        if not self.passing:
            self.set_offset(0.0)
        if self.traffic_light_manager():
            return self.emergency_stop()
        self._local_planner.set_speed(PASSING_KMH)
        return self._local_planner.run_step()
