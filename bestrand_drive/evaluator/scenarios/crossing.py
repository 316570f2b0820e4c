"""Somebody steps onto the road from the side, hidden until late: walkers before the ego, cyclists after its turn.

Speeds and times are those of CARLA's scenarios. Where the kerb is farther from the lane than there, who crosses starts
sooner by as much: a driver who does not look meets them on every road, one who brakes at first sight does not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.junctions import after_junction
from bestrand_drive.evaluator.scenarios.lanes import aside, kerb_m, turn_deg
from bestrand_drive.evaluator.scenarios.scenario import ScenarioConfig, ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import Script, Scripted

if TYPE_CHECKING:
    from bestrand_drive.evaluator.stage import Stage
    from bestrand_drive.evaluator.traffic import Walk

_PAVEMENT_M = 3.4  # from the lane's centre at least
_WALK_M_S = 2.0
_CYCLE_M_S = 1.8
_WIDE_M = 7.0


def reaction_s(given_s: float, distance_m: float, speed_m_s: float) -> float:
    """Seconds before the ego's arrival at which somebody starts who has so far to walk to the lane's centre."""
    return max(given_s, distance_m / speed_m_s + 0.2)


class DynamicObjectCrossing(Scripted):
    """A walker comes out from behind an object on the pavement."""

    base_s = 2.1
    near_m = 6.0
    blocker_default = "static.prop.vendingmachine"

    def __init__(self, stage: Stage, config: ScenarioConfig) -> None:
        super().__init__(stage, config)
        self.side = parameters.side(config)
        self.outward = 1.0 if self.side == "right" else -1.0
        self.angle_deg = config.number("crossing_angle", 0.0)
        self.speed_m_s = _WALK_M_S

    def prepare(self) -> None:
        """The object that hides the walker."""
        self.lane = self.in_lane(self.config.number("distance", 12.0))
        self.beside_m = max(kerb_m(self.lane, self.side) + 0.5, _PAVEMENT_M)
        model = self.config.text("blocker_model", self.blocker_default)
        turned = 0.0 if model.startswith("vehicle.") else 90.0
        blocker = self.place(model, aside(self.lane.transform, self.outward * (self.beside_m + 0.1), turned_deg=turned))
        self.hidden_m = _length_along_road_m(blocker, turned) + 0.5

    def script(self) -> Script:
        """Stand, walk as the ego comes, be gone."""
        stand = self.standing_place()
        walker = self.place_walker(stand)
        meeting = aside(self.lane.transform, 0.0, self.hidden_m).location
        seconds = reaction_s(self.base_s + 0.1 * math.floor(self.angle_deg / 5), self.beside_m, self.speed_m_s)
        yield from self.until_near(meeting, seconds, self.near_m)
        walk = self.stage.traffic.walk(walker, self.far_side(stand), self.speed_m_s)
        yield from self.until(lambda: walk.done, at_most_s=2.0 * self.way_m() / self.speed_m_s)

    def standing_place(self) -> carla.Transform:
        """Behind the object as the ego sees it, facing the road."""
        turned = -self.outward * (90.0 + self.angle_deg)
        return aside(self.lane.transform, self.outward * self.beside_m, self.hidden_m, turned_deg=turned)

    def way_m(self) -> float:
        """How far the walker goes: over the whole road, if it is as wide on the other side."""
        return 2.0 * self.beside_m

    def far_side(self, stand: carla.Transform) -> carla.Location:
        """Where the walker goes."""
        return aside(stand, 0.0, self.way_m()).location


class ParkingCrossingPedestrian(DynamicObjectCrossing):
    """A walker comes out from behind a parked car."""

    base_s = 2.15

    def prepare(self) -> None:
        """The parked car: one lane's width aside."""
        self.lane = self.in_lane(self.config.number("distance", 12.0))
        self.beside_m = self.lane.lane_width
        blocker = self.park(aside(self.lane.transform, self.outward * self.beside_m))
        self.hidden_m = float(blocker.bounding_box.extent.x) + 0.5

    def way_m(self) -> float:
        """Over the ego's lane."""
        return 8.0


class PedestrianCrossing(Scripted):
    """Three walkers cross at the entry of the next junction, one after the other."""

    def prepare(self) -> None:
        """Where they cross."""
        self.lane = self.in_lane(150.0)
        if not any(following.is_junction for following in self.lane.next(2.0)):
            raise ScenarioNotPossible("no junction ahead")
        self.beside_m = max(kerb_m(self.lane, "right"), _PAVEMENT_M - 0.5)

    def script(self) -> Script:
        """Stand, walk each after a moment, be gone."""
        rng = self.stage.rng
        group = [
            (self._stand(forward, out), rng.uniform(0.0, 1.5), rng.uniform(1.3, 2.0))
            for forward, out in ((0.4, 1.5), (1.0, 2.5), (1.6, 0.5))
        ]
        walkers = [self.place_walker(stand) for stand, _, _ in group]
        yield from self.until_near(self.lane.transform.location, reaction_s(3.5, self.beside_m + 1.5, 1.65), 12.0)
        began = self.stage.time_s
        pending = list(zip(walkers, group, strict=True))
        walks: list[Walk] = []
        while pending or not all(walk.done for walk in walks):
            due = [each for each in pending if self.stage.time_s - began >= each[1][1]]
            for walker, (stand, _, speed) in due:
                walks.append(self.stage.traffic.walk(walker, aside(stand, 0.0, 2.3 * self.beside_m).location, speed))
            pending = [each for each in pending if each not in due]
            yield
            if self.stage.time_s - began > 30.0:
                return

    def _stand(self, forward_m: float, out_m: float) -> carla.Transform:
        return aside(self.lane.transform, self.beside_m + out_m, forward_m - 2.0, turned_deg=-90.0)


class VehicleTurningRoute(Scripted):
    """After its turn the ego meets a cyclist who crosses the road from the right."""

    after_m = 11.0
    base_s = 1.8
    near_m = 6.0

    def prepare(self) -> None:
        """Where: behind the next junction."""
        entry, leaving = after_junction(self.stage.plan, self.at_m)
        point = self.stage.plan.point_at(leaving.distance_m + self.after_m)
        self.place_m = point.distance_m
        self.lane = self.stage.map.get_waypoint(point.location)
        self.side = self._crossable(self.from_side(turn_deg(entry.yaw, leaving.yaw)))
        self.outward = 1.0 if self.side == "right" else -1.0
        self.beside_m = max(kerb_m(self.lane, self.side) + 0.7, _PAVEMENT_M - 0.4)

    def _crossable(self, side: str) -> str:
        """The side, or the other one where the road is so wide that nobody would meet the ego in time."""
        other = "left" if side == "right" else "right"
        return side if kerb_m(self.lane, side) <= max(_WIDE_M, kerb_m(self.lane, other)) else other

    def from_side(self, _turn_deg: float) -> str:
        """Cyclists come from the right."""
        return "right"

    def script(self) -> Script:
        """Stand, cross as the ego comes, be gone."""
        stand = aside(self.lane.transform, self.outward * self.beside_m, turned_deg=-self.outward * 90.0)
        someone = self.someone(stand)
        yield from self.until_due(self.place_m, reaction_s(self.base_s, self.beside_m, _CYCLE_M_S), self.near_m)
        self.cross(someone, stand)
        yield from self.wait(2.0 * self.beside_m / _CYCLE_M_S)

    def someone(self, stand: carla.Transform) -> carla.Actor:
        """The cyclist."""
        return self.park(stand, "vehicle.diamondback.century")

    def cross(self, someone: carla.Actor, _stand: carla.Transform) -> None:
        """Cycle, whatever is in the way."""
        someone.apply_control(carla.VehicleControl())
        someone.enable_constant_velocity(carla.Vector3D(_CYCLE_M_S, 0.0, 0.0))


class VehicleTurningRoutePedestrian(VehicleTurningRoute):
    """At the end of its turn the ego meets a walker who crosses from the outer side."""

    after_m = 1.0
    base_s = 2.2

    def from_side(self, turned_deg: float) -> str:
        """From the right after a left turn, from the left after a right turn."""
        return "right" if turned_deg < 0 else "left"

    def someone(self, stand: carla.Transform) -> carla.Actor:
        """The walker."""
        return self.place_walker(stand)

    def cross(self, someone: carla.Actor, stand: carla.Transform) -> None:
        """Walk to the other side."""
        self.stage.traffic.walk(someone, aside(stand, 0.0, 2.0 * self.beside_m).location, _CYCLE_M_S)


def _length_along_road_m(actor: carla.Actor, turned_deg: float) -> float:
    extent = actor.bounding_box.extent
    return float(extent.x if turned_deg == 0.0 else extent.y)
