"""Rubble on the road: while the ego drives over it, its steering and throttle get a push.

Routes of ours may say more than CARLA's: ``steer`` is another mean push, ``reach`` how near to a place it is felt, and
``parked`` puts a car at the kerb behind each place, so that who is pushed far off its line meets something.
"""

from __future__ import annotations

import math

import carla

from bestrand_drive.evaluator.scenarios.lanes import ahead, aside, kerb_m
from bestrand_drive.evaluator.scenarios.script import Script, Scripted

_PLACES_M = (14.0, 48.0, 74.0)
_END_M = 110.0
_NEAR_M = 2.0
_KERB_M, _BEHIND_M = 0.6, 9.0
_STEER, _THROTTLE = (0.055, 0.015), (0.03, 0.01)  # mean, whose sign is drawn for each place, and standard deviation


class ControlLoss(Scripted):
    """Three places with rubble."""

    def prepare(self) -> None:
        """The rubble."""
        rng = self.stage.rng
        self.near_m = self.config.number("reach", _NEAR_M)
        push = self.config.number("steer", _STEER[0])
        self.pushes = []
        for distance in _PLACES_M:
            rubble = ahead(self.here, distance, through=True).transform
            self.try_place("static.prop.dirtdebris01", rubble, "prop")
            self.pushes.append((rubble.location, rng.choice((-1, 1)) * push, rng.choice((-1, 1)) * _THROTTLE[0]))

        if self.config.text("parked", ""):
            self._park_beside()

    def _park_beside(self) -> None:
        for distance in _PLACES_M:
            lane = ahead(self.here, distance + _BEHIND_M)
            self.park(aside(lane.transform, kerb_m(lane, "right") + _KERB_M))

    def script(self) -> Script:
        """For 110 m."""
        yield from self.until_past(self.along(_END_M))

    def disturbed(self, control: carla.VehicleControl) -> carla.VehicleControl:
        """Noise on steering and throttle within 2 m of rubble."""
        ego = self.stage.state(self.stage.ego).location
        for place, steer, throttle in self.pushes:
            if math.hypot(place.x - ego.x, place.y - ego.y) < self.near_m:
                gauss = self.stage.rng.gauss
                control.steer = min(max(control.steer + gauss(steer, _STEER[1]), -1.0), 1.0)
                control.throttle = min(max(control.throttle + gauss(throttle, _THROTTLE[1]), 0.0), 1.0)
        return control
