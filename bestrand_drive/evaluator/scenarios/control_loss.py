"""Rubble on the road: while the ego drives over it, its steering and throttle get a push."""

from __future__ import annotations

import math

import carla

from bestrand_drive.evaluator.scenarios.lanes import ahead
from bestrand_drive.evaluator.scenarios.script import Script, Scripted

_PLACES_M = (14.0, 48.0, 74.0)
_END_M = 110.0
_NEAR_M = 2.0
_STEER, _THROTTLE = (0.055, 0.015), (0.03, 0.01)  # mean, whose sign is drawn for each place, and standard deviation


class ControlLoss(Scripted):
    """Three places with rubble."""

    def prepare(self) -> None:
        """The rubble."""
        rng = self.stage.rng
        self.pushes = []
        for distance in _PLACES_M:
            rubble = ahead(self.here, distance, through=True).transform
            self.try_place("static.prop.dirtdebris01", rubble, "prop")
            self.pushes.append((rubble.location, rng.choice((-1, 1)) * _STEER[0], rng.choice((-1, 1)) * _THROTTLE[0]))

    def script(self) -> Script:
        """For 110 m."""
        yield from self.until_past(self.along(_END_M))

    def disturbed(self, control: carla.VehicleControl) -> carla.VehicleControl:
        """Noise on steering and throttle within 2 m of rubble."""
        ego = self.stage.state(self.stage.ego).location
        for place, steer, throttle in self.pushes:
            if math.hypot(place.x - ego.x, place.y - ego.y) < _NEAR_M:
                gauss = self.stage.rng.gauss
                control.steer = min(max(control.steer + gauss(steer, _STEER[1]), -1.0), 1.0)
                control.throttle = min(max(control.throttle + gauss(throttle, _THROTTLE[1]), 0.0), 1.0)
        return control
