"""The leaderboard's side of a probe: an agent without sensors that knows the simulator's state.

Runs inside an evaluator, under its Python (3.8 and later), with ``carla`` and the leaderboard's own modules only.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import carla
from leaderboard.autoagents.autonomous_agent import AutonomousAgent, Track
from srunner.scenariomanager.carla_data_provider import CarlaDataProvider

from probe_driving.driver import Driver
from probe_driving.style import Style, with_changes


class ProbeAgent(AutonomousAgent):  # type: ignore[misc]  # the evaluator's own class, unknown here
    """An agent that drives in the style of its class.

    Attributes:
        style: What it can do; ``--agent-config`` may change single values.
    """

    style = Style()

    def setup(self, path_to_conf_file: str) -> None:
        """Read the configuration: ``name=value,...``, see ``Style``."""
        self.track = Track.SENSORS
        self.style = with_changes(self.style, path_to_conf_file or "")
        self._driver: Optional[Driver] = None

    def sensors(self) -> List[Dict[str, Any]]:
        """A speedometer: evaluators wait for one sensor at least; it is not read."""
        return [{"type": "sensor.speedometer", "id": "speed", "reading_frequency": 20}]

    def run_step(self, input_data: Dict[str, Any], timestamp: float) -> carla.VehicleControl:
        """The control of this tick."""
        if self._driver is None:
            self._driver = self._start()
        return self._driver.step()

    def _start(self) -> Driver:
        world, road_map = CarlaDataProvider.get_world(), CarlaDataProvider.get_map()
        return Driver(world, road_map, CarlaDataProvider.get_hero_actor(), self._global_plan_world_coord, self.style)

    def destroy(self) -> None:
        """Let go of the world, which is about to be replaced."""
        self._driver = None
