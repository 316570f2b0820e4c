"""Streams of cars on motorways and main roads that the ego enters, follows, crosses or leaves."""

from __future__ import annotations

import heapq
import itertools
from typing import NamedTuple

import carla

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.flow import Flow, transforms
from bestrand_drive.evaluator.scenarios.junctions import after_junction
from bestrand_drive.evaluator.scenarios.lanes import abreast
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from bestrand_drive.evaluator.scenarios.script import ALONE_M, TIMEOUT_S, Script, Scripted

_STEP_M = 2.0
_THERE_M = 5.0
_SEARCHED = 3000
_NEXT_LANE_M = 10.0


class MergerIntoSlowTraffic(Scripted):
    """The ego's slip road leads into a lane of slow cars, from ``start_actor_flow`` to ``end_actor_flow``."""

    clear_m = ALONE_M
    timeout_s = TIMEOUT_S
    all_lanes = False
    keeps_distance = True

    def prepare(self) -> None:
        """The stream's lanes and where the ego has passed its end."""
        start = self.stage.map.get_waypoint(parameters.place(self.config, "start_actor_flow"))
        end = self.stage.map.get_waypoint(parameters.place(self.config, "end_actor_flow"))
        pairs = zip(abreast(start), abreast(end)) if self.all_lanes else [(start, end)]  # noqa: B905  as many as both have
        self.paths = [transforms(trace(one, other.transform.location)) for one, other in pairs]
        self.end_m = self.end_of(end)

    def end_of(self, end: carla.Waypoint) -> float:
        """Distance along the plan at which the scenario ends: beside the stream's end, or at the plan's."""
        index, right_m = self.stage.plan.project(end.transform.location)
        point = self.stage.plan.points[index]
        beside = abs(right_m) < _NEXT_LANE_M and point.location.distance(end.transform.location) < _NEXT_LANE_M
        return point.distance_m if beside and point.distance_m > self.at_m else self.stage.plan.length_m

    def script(self) -> Script:
        """The stream is there from the trigger on, until the ego is past."""
        speed = self.config.number("flow_speed", 10.0)
        gaps = parameters.interval(self.config, "source_dist_interval", (20.0, 50.0))
        flows = [Flow(self, path, gaps, speed, keeps_distance=self.keeps_distance) for path in self.paths]
        for flow in flows:
            flow.populate()
        for _ in self.until_past(self.end_m):
            for flow in flows:
                flow.tick()
            yield


class EnterActorFlow(MergerIntoSlowTraffic):
    """The ego enters a fast stream on all lanes."""

    all_lanes = True


class InterurbanActorFlow(MergerIntoSlowTraffic):
    """The ego leaves a main road to the left, across the stream."""

    keeps_distance = False


class HighwayExit(MergerIntoSlowTraffic):
    """A stream on the lane between the ego and its exit; the end is behind the exit's fork."""

    def end_of(self, _end: carla.Waypoint) -> float:
        """Behind the next junction on the plan, or the plan's end."""
        try:
            return after_junction(self.stage.plan, self.at_m)[1].distance_m
        except ScenarioNotPossible:
            return self.stage.plan.length_m


def trace(start: carla.Waypoint, goal: carla.Location) -> list[carla.Waypoint]:
    """Waypoints from a lane to a place, without lane changes: A* over the lanes' successors.

    Raises:
        ScenarioNotPossible: No lane leads there.
    """
    counter = itertools.count()  # so that the heap never compares waypoints
    frontier = [_Step(start.transform.location.distance(goal), next(counter), 0.0, start, None)]
    seen: set[tuple[int, int, int, int]] = set()
    while frontier and len(seen) < _SEARCHED:
        step = heapq.heappop(frontier)
        waypoint = step.waypoint
        key = (waypoint.road_id, waypoint.section_id, waypoint.lane_id, round(waypoint.s / _STEP_M))
        if key in seen:
            continue
        seen.add(key)
        if waypoint.transform.location.distance(goal) < _THERE_M:
            return step.path()
        gone_m = step.gone_m + _STEP_M
        for following in waypoint.next(_STEP_M):
            left_m = float(following.transform.location.distance(goal))
            heapq.heappush(frontier, _Step(gone_m + left_m, next(counter), gone_m, following, step))
    raise ScenarioNotPossible("no lane leads from start_actor_flow to end_actor_flow")


class _Step(NamedTuple):
    estimate_m: float
    order: int
    gone_m: float
    waypoint: carla.Waypoint
    before: _Step | None

    def path(self) -> list[carla.Waypoint]:
        back: list[carla.Waypoint] = []
        step: _Step | None = self
        while step is not None:
            back.append(step.waypoint)
            step = step.before
        return back[::-1]
