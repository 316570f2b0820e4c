"""Base class of leaderboard agents, as ``leaderboard.autoagents.autonomous_agent``."""

from __future__ import annotations

from enum import Enum
from typing import Any

import carla

from bestrand_drive.evaluator.agent_api.carla_data_provider import CarlaDataProvider
from bestrand_drive.evaluator.agent_api.route_manipulation import downsample_route
from bestrand_drive.evaluator.agent_api.sensor_interface import SensorInterface
from bestrand_drive.evaluator.agent_api.timer import GameTime
from bestrand_drive.evaluator.metric_info import step_of

_PLAN_STEP_M = 50


class Track(Enum):
    """Which inputs an agent may use."""

    SENSORS = "SENSORS"
    MAP = "MAP"
    SENSORS_QUALIFIER = "SENSORS_QUALIFIER"
    MAP_QUALIFIER = "MAP_QUALIFIER"


class AutonomousAgent:
    """What an agent overrides, and what it finds.

    Attributes:
        track: Set by ``setup``.
        sensor_interface: Where sensor data arrives.
        hero_actor: The vehicle that it drives.
    """

    _global_plan: list[Any]
    _global_plan_world_coord: list[Any]

    def __init__(self, carla_host: str, carla_port: int, debug: bool = False) -> None:
        del carla_host, carla_port, debug  # agents of their own may use them
        self.track = Track.SENSORS
        self._global_plan, self._global_plan_world_coord = [], []
        self.sensor_interface = SensorInterface()
        self.wallclock_t0: object = None
        self.hero_actor: carla.Vehicle | None = None
        self.get_hero()

    def setup(self, path_to_conf_file: str) -> None:
        """Get ready; the text is the agent's configuration, "+" and the name to save under."""

    def sensors(self) -> list[dict[str, Any]]:
        """The sensors that the agent asks for."""
        return []

    def run_step(self, input_data: dict[str, Any], timestamp: float) -> carla.VehicleControl:
        """Decide on one step.

        Args:
            input_data: Sensor id -> (frame, data).
            timestamp: Simulated seconds since the drive began.
        """
        del input_data, timestamp
        return carla.VehicleControl()

    def destroy(self) -> None:
        """Clean up."""

    def __call__(self) -> carla.VehicleControl:
        """One step: wait for the sensors, decide."""
        data = self.sensor_interface.get_data(GameTime.get_frame())
        control = self.run_step(data, GameTime.get_time())
        control.manual_gear_shift = False
        return control

    @staticmethod
    def get_ros_version() -> int:
        """No ROS."""
        return -1

    def set_global_plan(self, global_plan_gps: list[Any], global_plan_world_coord: list[Any]) -> None:
        """Take the plan, thinned out to a point every 50 m and where something is to be done."""
        kept = downsample_route(global_plan_world_coord, _PLAN_STEP_M)
        self._global_plan_world_coord = [global_plan_world_coord[index] for index in kept]
        self._global_plan = [global_plan_gps[index] for index in kept]
        self._plan_gps_HACK = global_plan_gps  # Bench2Drive's agents look for this name

    def get_hero(self) -> None:
        """Look the vehicle up."""
        self.hero_actor = CarlaDataProvider.get_hero_actor()

    def get_metric_info(self) -> dict[str, list[float]]:
        """How the vehicle moves now, for Bench2Drive's comfort."""
        return step_of(self.hero_actor)
