"""Two cyclists ride at the edge of the ego's lane: it has to pass them with room, or to follow them for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.flow import shifted, transforms
from bestrand_drive.evaluator.scenarios.lanes import ahead, walk
from bestrand_drive.evaluator.scenarios.obstacles import Obstacle, TwoWays
from bestrand_drive.evaluator.scenarios.script import Script

if TYPE_CHECKING:
    from bestrand_drive.evaluator.traffic import Driven

_CYCLES = ("vehicle.bh.crossbike", "vehicle.diamondback.century", "vehicle.gazelle.omafiets")
_OFFSET = 0.55  # of half the lane's width
_APART_M = 9.0


class HazardAtSideLane(Obstacle):
    """The cyclists, and cars on the next lane."""

    default_distance_m = 100.0

    def build(self) -> carla.Waypoint:
        """The cyclists, standing."""
        self.riders: list[tuple[carla.Actor, carla.Waypoint]] = []
        for lane in (self.blocked, ahead(self.blocked, _APART_M)):
            rider = self.park(self.displaced(lane, _OFFSET), self.stage.rng.choice(_CYCLES))
            self.riders.append((rider, lane))
        return self.riders[-1][1]

    def script(self) -> Script:
        """They ride from the start on; the end is when the ego has left the first of them behind."""
        riding = [self._ride(rider, lane) for rider, lane in self.riders]
        traffic: Script | None = None
        while not self._left_behind(riding[-1]):
            if traffic is None and self.stage.distance_to_ego(riding[0].actor) < self.wake_m:
                traffic = self.traffic()
            if traffic is not None:
                next(traffic)
            yield
        yield from self.until_past(self.stage.progress_m + self.end_m)

    def _ride(self, rider: carla.Actor, lane: carla.Waypoint) -> Driven:
        length_m = self.config.number("bicycle_drive_distance", 50.0)
        path = shifted(transforms([lane, *walk(lane, length_m)]), self.outward * _OFFSET * lane.lane_width / 2)
        speed = self.config.number("bicycle_speed", 10.0) * parameters.KMH
        return self.stage.traffic.drive(rider, path, speed, respects_lights=False, yields=False)

    def _left_behind(self, first: Driven) -> bool:
        ahead_m = self.stage.plan.metres_at(self.stage.state(first.actor).location)
        return self.stage.progress_m > min(ahead_m + 3.0, self.stage.plan.length_m - 2.0)


class HazardAtSideLaneTwoWays(TwoWays, HazardAtSideLane):
    """The cyclists on a two-way road; ``frequency`` is the distance between oncoming cars."""

    def gaps_m(self) -> tuple[float, float]:
        """About the distance that the route gives."""
        gap = self.config.number("frequency", 100.0)
        return 0.8 * gap, 1.2 * gap
