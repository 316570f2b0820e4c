"""The car in front of the ego brakes hard."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from bestrand_drive.evaluator.scenarios.script import Script, Scripted

if TYPE_CHECKING:
    import carla

    from bestrand_drive.evaluator.traffic import Driven

_GAP_M = 9.0  # between the two origins when standing
_GAP_S = 0.9
_STOP_S = 10.0
_BRAKE_M_S2 = 8.0
_CREEP_M_S, _SIGHT_M = 3.0, 15.0
_LEAVE_M_S, _GONE_M = 12.0, 60.0


class HardBreakRoute(Scripted):
    """A car drives ahead of the ego; at the trigger it brakes hard, stands for 10 s and drives on.

    CARLA lets the ambient traffic do it. Here the car comes with the scenario, so that there is always one: it keeps in
    front of the ego by nine tenths of a second, whatever the ego's speed.
    """

    trigger_distance_m = 60.0

    def script(self) -> Script:
        """Lead, brake, stand, leave."""
        car = yield from self._appear()
        if car is None:
            return
        lead = self._drive(car, self.ego_speed_m_s)
        while self.stage.progress_m < self.at_m:
            lead.speed_m_s = self._leading_speed(self.stage.distance_to_ego(car))
            yield
        lead.stop()
        yield from self.wait(_STOP_S)
        self._drive(car, _LEAVE_M_S)
        yield from self.until(lambda: self.stage.distance_to_ego(car) > _GONE_M, at_most_s=20.0)

    def _appear(self) -> Generator[None, None, carla.Actor | None]:
        """The car, as soon as there is room for it; None when the ego is past the trigger first."""
        while self.stage.progress_m < self.at_m:
            place_m = self.stage.progress_m + _GAP_M + _GAP_S * self.ego_speed_m_s
            car = self.launch(self.stage.plan.point_at(place_m).transform, self.ego_speed_m_s)
            if car is not None:
                return car
            yield
        return None

    def _drive(self, car: carla.Actor, speed_m_s: float) -> Driven:
        index, _ = self.stage.plan.project(self.stage.state(car).location)
        path = self.stage.plan.points[index:]
        traffic = self.stage.traffic
        return traffic.drive(car, path, speed_m_s, respects_lights=False, yields=False, deceleration_m_s2=_BRAKE_M_S2)

    def _leading_speed(self, away_m: float) -> float:
        """The ego's, so that the gap becomes the wanted one; when the ego stands it creeps on, but not far."""
        ego = self.ego_speed_m_s
        too_far_m = away_m - _GAP_M - _GAP_S * ego
        return max(ego - 0.6 * too_far_m, _CREEP_M_S if too_far_m < _SIGHT_M else 0.0)
