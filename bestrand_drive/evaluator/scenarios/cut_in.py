"""A car at the side pulls out in front of the ego: from a parking lane, from a queue, from a slip road."""

from __future__ import annotations

from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.flow import blended, heads_along, transforms
from bestrand_drive.evaluator.scenarios.lanes import aside, neighbour, walk
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import Script, Scripted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bestrand_drive.evaluator.traffic import Driven


_SLOWER = 0.5  # a car from standstill, as a share of the ego's speed; CARLA's takes as long to get up to it


class _PullsOut(Scripted):
    """What both have that begin with a standing car: ``cutter`` at ``stand``, beside ``lane``."""

    lane: carla.Waypoint
    stand: carla.Transform
    cutter: carla.Actor

    def pull_out(self, lane: Sequence[carla.Transform], over_m: float, speed_m_s: float) -> Driven:
        """From its stand onto the lane within so many metres, whoever comes."""
        path = blended(self.stand, lane, over_m)
        return self.stage.traffic.drive(
            self.cutter, path, speed_m_s, respects_lights=False, yields=False, keeps_distance=False
        )

    def gone_m(self) -> float:
        """How far the car is from its stand."""
        return float(self.stage.state(self.cutter).location.distance(self.stand.location))


class ParkingCutIn(_PullsOut):
    """A parked car pulls out, hidden by another one that stays."""

    blocker_m, cut_in_m = 28.0, 35.0
    seconds, near_m = 2.35, 10.0

    def prepare(self) -> None:
        """Both cars, at the outer edge of the parking lane."""
        self.outward = 1.0 if parameters.side(self.config) == "right" else -1.0
        self.park(self.beside(self.in_lane(self.blocker_m)))
        self.lane = self.in_lane(self.cut_in_m)
        self.stand = self.beside(self.lane)
        self.cutter = self.park(self.stand)

    def beside(self, lane: carla.Waypoint) -> carla.Transform:
        """On the lane at the side; on the verge where there is none."""
        side = "right" if self.outward > 0 else "left"
        other = neighbour(lane, side)
        width_m = 2.0 if other is None or other.lane_type == carla.LaneType.Sidewalk else float(other.lane_width)
        return aside(lane.transform, self.outward * (lane.lane_width / 2 + max(width_m / 2 + (width_m - 1.0) / 4, 1.1)))

    def script(self) -> Script:
        """Pull out as the ego comes, drive for 30 m."""
        yield from self.until_near(self.lane.transform.location, self.seconds, self.near_m)
        lane = transforms([self.lane, *walk(self.lane, 80.0)])
        driven = self.pull_out(lane, 9.0, 20.0 * parameters.KMH)
        yield from self.until(lambda: driven.done or self.gone_m() > 12.0, at_most_s=15.0)
        driven = self.stage.traffic.drive(self.cutter, lane, 20.0 * parameters.KMH, yields=False)
        yield from self.until(lambda: driven.done or self.gone_m() > 30.0, at_most_s=30.0)


class StaticCutIn(_PullsOut):
    """A queue stands on the lane at the side, and one car of it changes to the ego's lane."""

    seconds, near_m = 2.7, 15.0
    gap_m = 11.0
    before, behind = 3, 2

    def prepare(self) -> None:
        """The queue: two cars, the one that changes, three more."""
        side = parameters.side(self.config)
        outward = 1.0 if side == "right" else -1.0
        lane = self.in_lane(self.config.number("distance", 100.0))
        for number in range(self.behind + 1 + self.before):
            other = neighbour(lane, side)
            if other is None or other.lane_type == carla.LaneType.Sidewalk:
                stand = aside(lane.transform, outward * (lane.lane_width / 2 + 1.2))
            else:
                stand = aside(lane.transform, outward * (lane.lane_width + other.lane_width) / 2)
            if number == self.behind:
                self.lane, self.stand = lane, stand
                self.cutter = self.park(stand)
            else:
                self.park(stand)
            following = [*walk(lane, self.gap_m, through=False)]
            if len(following) < round(self.gap_m):
                break
            lane = following[-1]
        if not hasattr(self, "cutter"):
            raise ScenarioNotPossible("the lane is too short for the queue")

    def script(self) -> Script:
        """Change lanes in front of the ego, slower than it, then drive on at 60 km/h."""
        yield from self.until_near(self.lane.transform.location, self.seconds, self.near_m)
        lane = transforms([self.lane, *walk(self.lane, 150.0)])
        driven = self.pull_out(lane, 12.0, max(_SLOWER * self.ego_speed_m_s, 2.5))
        yield from self.wait(6.0)
        driven.speed_m_s = 60.0 * parameters.KMH
        yield from self.until(lambda: driven.done or self.gone_m() > 70.0, at_most_s=30.0)


class HighwayCutIn(Scripted):
    """A car on a slip road reaches the motorway just before the ego and changes to its lane."""

    ahead_m = 10.0
    change_m = 25.0
    search_m = 400.0

    def prepare(self) -> None:
        """Where the car's lane comes beside the plan."""
        start = self.stage.map.get_waypoint(parameters.place(self.config, "other_actor_location"))
        lane = transforms([start, *walk(start, self.search_m)])
        self.slip, self.merge_m = self._until_beside(lane)

    def script(self) -> Script:
        """Arrive together, change, drive at four fifths of the ego's speed."""
        car = self.launch(self.slip[0], max(self.ego_speed_m_s, 5.0))
        if car is None:
            raise ScenarioNotPossible("no room on the slip road")
        plan = [point.transform for point in self.plan_from(self.merge_m)]
        path = [*self.slip[:-1], *blended(self.slip[-1], plan, self.change_m)]
        driven = self.stage.traffic.drive(car, path, 10.0, respects_lights=False, yields=False, keeps_distance=False)
        end = self.slip[-1].location
        while self.stage.state(car).location.distance(end) > 4.0 and not driven.done:
            driven.speed_m_s = self._speed(float(self.stage.state(car).location.distance(end)))
            yield
        driven.speed_m_s = max(0.8 * self.ego_speed_m_s, 6.0)
        yield from self.wait(5.0)
        onward = self.plan_from(self.stage.plan.metres_at(self.stage.state(car).location))
        self.stage.traffic.drive(car, [point.transform for point in onward], driven.speed_m_s, yields=False)
        yield from self.wait(5.0)

    def _speed(self, left_m: float) -> float:
        """So that the car is at the end of the slip road when the ego is ``ahead_m`` before it."""
        ego_left_m = self.merge_m - self.ahead_m - self.stage.progress_m
        seconds = max(ego_left_m, 1.0) / max(self.ego_speed_m_s, 3.0)
        return min(max(left_m / seconds, 4.0), 40.0)

    def _until_beside(self, lane: Sequence[carla.Transform]) -> tuple[list[carla.Transform], float]:
        plan = self.stage.plan
        for number, place in enumerate(lane):
            index, right_m = plan.project(place.location)
            point = plan.points[index]
            beside = (
                abs(right_m) < 1.4 * point.lane_width_m and point.location.distance(place.location) < abs(right_m) + 3.0
            )
            if (
                number > 5
                and beside
                and point.distance_m > self.at_m + 5.0
                and heads_along(place, point.transform, 20.0)
            ):
                return list(lane[: number + 1]), point.distance_m
        raise ScenarioNotPossible("the other car's lane never comes beside the route")
