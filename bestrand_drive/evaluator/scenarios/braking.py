"""The car in front of the ego brakes hard."""

from __future__ import annotations

from bestrand_drive.evaluator.scenarios.script import Script, Scripted

_GAP_M = 9.0  # between the two origins when standing
_GAP_S = 0.9
_STOP_S = 10.0
_BRAKE_M_S2 = 8.0


class HardBreakRoute(Scripted):
    """A car drives ahead of the ego; at the trigger it brakes hard, stands for 10 s and drives on.

    CARLA lets the ambient traffic do it. Here the car comes with the scenario, so that there is always one: it keeps in
    front of the ego by nine tenths of a second, whatever the ego's speed.
    """

    trigger_distance_m = 60.0

    def script(self) -> Script:
        """Lead, brake, stand, leave."""
        plan = self.stage.plan
        ahead_m = min(self.stage.progress_m + _GAP_M + _GAP_S * self.ego_speed_m_s + 4.0, plan.length_m)
        car = self.launch(plan.point_at(ahead_m).transform, self.ego_speed_m_s)
        while car is None and self.stage.progress_m < self.at_m:
            yield
            ahead_m = min(self.stage.progress_m + _GAP_M + _GAP_S * self.ego_speed_m_s + 4.0, plan.length_m)
            car = self.launch(plan.point_at(ahead_m).transform, self.ego_speed_m_s)
        if car is None:
            return
        lead = self.stage.traffic.drive(
            car,
            self.plan_from(ahead_m),
            self.ego_speed_m_s,
            respects_lights=False,
            yields=False,
            deceleration_m_s2=_BRAKE_M_S2,
        )
        while self.stage.progress_m < self.at_m:
            away = self.stage.distance_to_ego(car) - _GAP_M - _GAP_S * self.ego_speed_m_s
            lead.speed_m_s = max(self.ego_speed_m_s - 0.6 * away, 0.0 if away > 0 else 2.0)
            yield
        lead.stop()
        yield from self.wait(_STOP_S)
        self.stage.traffic.drive(
            car,
            self.plan_from(self._of(car_m=self.stage.distance_to_ego(car))),
            12.0,
            respects_lights=False,
            yields=False,
        )
        yield from self.until(lambda: self.stage.distance_to_ego(car) > 60.0, at_most_s=20.0)

    def _of(self, car_m: float) -> float:
        return self.stage.progress_m + car_m
