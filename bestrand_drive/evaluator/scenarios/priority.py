"""An emergency vehicle shoots through the junction ahead just when the ego would be in it."""

from __future__ import annotations

import itertools
import math

import carla

from bestrand_drive.evaluator.scenarios.junction import AtJunction
from bestrand_drive.evaluator.scenarios.script import SIREN, Script

_SPEED_M_S = 60 / 3.6
_SOURCE_M, _SINK_M = 30.0, 25.0
_SYNC_S, _NEAR_M = 2.2, 12.0
_VEHICLES = ("vehicle.dodge.charger_police_2020", "vehicle.ford.ambulance", "vehicle.carlamotors.firetruck")


class OppositeVehicleTakingPriority(AtJunction):
    """Without lights."""

    timeout_s = None
    signalled = False

    def prepare(self) -> None:
        """The vehicle's path."""
        super().prepare()
        side = self.config.text("direction", "right")
        self.path, self.meeting, _ = self.other_path(side, _SOURCE_M, _SINK_M)

    def script(self) -> Script:
        """Rush through as the ego comes, be gone. CARLA's stands on its lane until then; this one appears at speed."""
        if self.signalled and self.lights:
            self.lights.hold_green(self.own_light())
        away_m = _length_m(self.path, self.meeting)
        speed = min(_SPEED_M_S, away_m / (_SYNC_S - 0.4))
        blueprint = self.stage.rng.choice(_VEHICLES)
        yield from self.until_near(self.meeting, max(_SYNC_S, away_m / _SPEED_M_S - 0.1), _NEAR_M)
        vehicle = self.launch(self.path[0], speed, blueprint)
        if vehicle is not None:
            vehicle.set_light_state(SIREN)
            traffic = self.stage.traffic
            driven = traffic.drive(vehicle, self.path, speed, respects_lights=False, yields=False, keeps_distance=False)
            yield from self.until(lambda: driven.done, at_most_s=1.5 * (away_m + 40.0) / speed)
            self.remove(vehicle)
        yield from self.until_left()


class OppositeVehicleRunningRedLight(OppositeVehicleTakingPriority):
    """At a light that is green for the ego and red for all others; CARLA's too takes place where there is none."""

    signalled = True


def _length_m(path: list[carla.Transform], until: carla.Location) -> float:
    nearest = min(range(len(path)), key=lambda index: path[index].location.distance(until))
    steps = itertools.pairwise(path[: nearest + 1])
    return math.fsum(one.location.distance(other.location) for one, other in steps)
