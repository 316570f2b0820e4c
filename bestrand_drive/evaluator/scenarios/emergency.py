"""An emergency vehicle comes from behind and wants the ego's lane."""

from __future__ import annotations

import carla

from bestrand_drive.evaluator.scenarios.flow import transforms
from bestrand_drive.evaluator.scenarios.lanes import behind, walk
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import SIREN, Script, Scripted

_FASTER_M_S = 25 / 3.6
_NEAR_M, _PATIENCE_S, _PAST_M = 50.0, 10.0, 50.0
_CLOSE_M, _PULL_M_S2 = 18.0, 3.0
_VEHICLES = ("vehicle.dodge.charger_police_2020", "vehicle.ford.ambulance")


class YieldToEmergencyVehicle(Scripted):
    """It drives 25 km/h faster than the ego and follows it closely; the ego must have let it pass at the end."""

    def script(self) -> Script:
        """Come from behind, press for 10 s or pass."""
        distance_m = self.config.number("distance", 140.0)
        start = behind(self.here, distance_m, through=True)
        gap_m = start.transform.location.distance(self.stage.state(self.stage.ego).location)
        vehicle = self.launch(start.transform, self.ego_speed_m_s + _FASTER_M_S, self.stage.rng.choice(_VEHICLES))
        if vehicle is None or gap_m < 8.0:
            raise ScenarioNotPossible("no room behind the ego")
        vehicle.set_light_state(SIREN)
        self.emergency_vehicle = vehicle
        path = transforms([start, *walk(start, distance_m + self.stage.plan.length_m + 300.0, step_m=2.0)])
        driven = self.stage.traffic.drive(
            vehicle, path, 10.0, respects_lights=False, yields=False, deceleration_m_s2=6.0
        )
        near_since: float | None = None
        while not driven.done and not self._is_past(vehicle):
            driven.speed_m_s = self.ego_speed_m_s + _FASTER_M_S
            if self.stage.distance_to_ego(vehicle) > _CLOSE_M:  # CARLA's is at its speed at once
                driven.commanded = min(driven.commanded + _PULL_M_S2 * self.stage.delta_s, driven.speed_m_s)
            if near_since is None and self.stage.distance_to_ego(vehicle) < _NEAR_M:
                near_since = self.stage.time_s
            if near_since is not None and self.stage.time_s - near_since >= _PATIENCE_S:
                return
            yield

    def _is_past(self, vehicle: carla.Actor) -> bool:
        theirs, ours = self.stage.state(vehicle), self.stage.state(self.stage.ego).location
        forward_x, forward_y = theirs.forward
        ahead_m = (theirs.location.x - ours.x) * forward_x + (theirs.location.y - ours.y) * forward_y
        return bool(ahead_m > _PAST_M)
