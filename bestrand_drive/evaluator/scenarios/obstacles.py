"""Something stands on the ego's lane: it has to change to the next lane, or to the oncoming one if there is no other.

While the ego looks for a gap, cars come along the lane that it needs: a few from behind on roads with two lanes a way,
a stream of oncoming ones on two-way roads.
"""

from __future__ import annotations

from abc import abstractmethod

import carla

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.flow import Flow, transforms
from bestrand_drive.evaluator.scenarios.lanes import ahead, aside, behind, driving_neighbour, kerb_m, oncoming, walk
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import ALONE_M, SIREN, TIMEOUT_S, Script, Scripted

_SIDE_GAPS_M = (25.0, 60.0)
_SIDE_CARS = 4
_DELAY_S = 5.0
_FENCE = 0.65  # of half the lane's width: beside the board; CARLA's 0.85 leaves no margin in lanes of 3 m


class Obstacle(Scripted):
    """What all obstacles share: a sign, something on the lane, traffic on the lane that the ego needs, an end."""

    timeout_s = TIMEOUT_S
    delay_s = 0.0
    needs_wrong_way = False
    default_distance_m = 120.0
    wake_m = 50.0
    end_m = 50.0
    sign = "static.prop.warningaccident"

    def prepare(self) -> None:
        """The sign at the trigger and what blocks the lane."""
        self.side = parameters.side(self.config)
        self.outward = 1.0 if self.side == "right" else -1.0
        self.distance_m = self.config.number("distance", self.default_distance_m)
        self.blocked = self.in_lane(self.distance_m)
        self.way = self.way_round()
        edge_m = kerb_m(self.here, self.side)
        self.try_place(self.sign, aside(self.here.transform, self.outward * (edge_m + 0.7), turned_deg=90.0))
        self.last = self.build()

    def way_round(self) -> carla.Waypoint:
        """The lane beside the obstacle that the ego needs.

        Raises:
            ScenarioNotPossible: There is none.
        """
        other = driving_neighbour(self.blocked, "left" if self.side == "right" else "right")
        if other is None:
            raise ScenarioNotPossible("no second lane to pass on")
        return other

    @abstractmethod
    def build(self) -> carla.Waypoint:
        """Put it there; the lane at its end."""

    def script(self) -> Script:
        """Wait for the ego, send traffic, wait until it is past."""
        end_m = self.stage.plan.metres_at(self.last.transform.location) + self.end_m
        place = self.blocked.transform.location
        yield from self.until(lambda: self.ego_is_near(place, 0.0, self.wake_m) or self.stage.progress_m >= end_m)
        traffic = self.traffic()
        for _ in self.until_past(end_m):
            next(traffic)
            yield

    def traffic(self) -> Script:
        """Without end: cars on the lane that the ego needs, once it has been near for a while."""
        flow = self.flow()
        yield from self.wait(self.delay_s)
        self.wrong_way_allowed = self.needs_wrong_way
        while True:
            flow.tick()
            yield

    def flow(self) -> Flow:
        """Cars from behind, at the speed that the route gives for the other lane."""
        source = behind(self.way, self.wake_m + 45.0)
        path = [source, *walk(source, self.wake_m + 145.0)]
        speed = self.config.number("speed", 60.0) * parameters.KMH
        return Flow(self, transforms(path), _SIDE_GAPS_M, speed, keeps_distance=True, cars=_SIDE_CARS)

    def displaced(self, lane: carla.Waypoint, share: float) -> carla.Transform:
        """A place on the lane moved to its outer side by a share of half its width."""
        return aside(lane.transform, self.outward * share * lane.lane_width / 2)


class TwoWays(Obstacle):
    """The ego needs the oncoming lane, on which cars come (``frequency`` gives the distances between them).

    It may drive there from when they come, 5 s after it has come near, and not before: as in CARLA.
    """

    clear_m = ALONE_M
    needs_wrong_way = True
    delay_s = _DELAY_S

    def way_round(self) -> carla.Waypoint:
        """The oncoming lane."""
        other = oncoming(self.blocked)
        if other is None:
            raise ScenarioNotPossible("no oncoming lane")
        return other

    def gaps_m(self) -> tuple[float, float]:
        """Between two oncoming cars."""
        return parameters.interval(self.config, "frequency", (20.0, 100.0))

    def flow(self) -> Flow:
        """Oncoming cars at the limit: from so far ahead as they drive in one and a half seconds an m/s, and 30 m."""
        limit = float(self.stage.ego.get_speed_limit()) or 50.0
        reach_m = min(1.5 * limit + 30.0, 120.0)
        source = behind(self.way, reach_m)
        sink = reach_m + source.transform.location.distance(self.way.transform.location)
        path = [source, *walk(source, sink, through=False)]
        return Flow(self, transforms(path), self.gaps_m(), limit * parameters.KMH, keeps_distance=True)


class Accident(Obstacle):
    """A police car and two cars that have met."""

    def build(self) -> carla.Waypoint:
        """The police car first, then the others 10 m and 6 m on."""
        police = self.park(self.displaced(self.blocked, 0.6), "vehicle.dodge.charger_police_2020")
        police.set_light_state(SIREN)
        lane = self.blocked
        for gap in (10.0, 6.0):
            lane = ahead(lane, gap)
            self.park(self.displaced(lane, 0.6))
        return lane


class AccidentTwoWays(TwoWays, Accident):
    """An accident on a two-way road."""


class ParkedObstacle(Obstacle):
    """A car parked on the lane."""

    def build(self) -> carla.Waypoint:
        """With its hazard lights on."""
        car = self.park(self.displaced(self.blocked, 0.7))
        blinking = (
            carla.VehicleLightState.RightBlinker
            | carla.VehicleLightState.LeftBlinker
            | carla.VehicleLightState.Position
        )
        car.set_light_state(carla.VehicleLightState(blinking))
        return self.blocked


class ParkedObstacleTwoWays(TwoWays, ParkedObstacle):
    """A parked car on a two-way road."""


class ConstructionObstacle(Obstacle):
    """A building site: a large warning board, rubble, and cones that fence it off from the free lane."""

    default_distance_m = 100.0
    wake_m = 30.0
    sign = "static.prop.warningconstruction"

    def build(self) -> carla.Waypoint:
        """The board 5 m before the place, cones for 8 m along the free lane and then across."""
        place = self.blocked.transform
        free_m = -self.outward * _FENCE * self.blocked.lane_width / 2
        self._put("static.prop.trafficwarning", aside(place, 0.0, -5.0, turned_deg=-90.0))
        self.place("static.prop.dirtdebris02", aside(place, 0.0, 2.0, turned_deg=90.0))
        along = [(free_m, forward) for forward in (2.0, 4.0, 6.0, 8.0)]
        across = [(free_m + self.outward * step, 8.0) for step in (0.8, 1.6, 2.4)]
        for right_m, forward_m in (*along, *across):
            self._put("static.prop.constructioncone", aside(place, right_m, forward_m))
        return ahead(self.blocked, 8.0)

    def _put(self, blueprint: str, transform: carla.Transform) -> None:
        """A thing that gives way when it is hit, as in CARLA's scenario: who does not look pushes it along."""
        self.place(blueprint, transform).set_simulate_physics(True)


class ConstructionObstacleTwoWays(TwoWays, ConstructionObstacle):
    """A building site on a two-way road."""
