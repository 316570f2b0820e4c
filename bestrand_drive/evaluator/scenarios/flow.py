"""Cars that come one after the other along a path, as CARLA's ``ActorFlow`` sends them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios.lanes import aside, turn_deg

if TYPE_CHECKING:
    from bestrand_drive.evaluator.scenarios.script import Scripted
    from bestrand_drive.evaluator.traffic import Driven

_PLATOON = 4
_WIDE, _WIDE_S = 2.0, 7.0  # the gap behind a platoon: a share of the longest other one, seconds at least
_END_M = 20.0  # nobody appears so near to the path's end
_STANDS_M_S, _WRECK_S = 0.3, 8.0
_MET_SPEED = 0.6  # a car below this share of its speed has met something: from then on it looks ahead


class Flow:
    """Cars on one path: a new one at its start whenever the last one is far enough from it, gone at its end.

    Cars that do not keep their distance drive on whatever the ego does, until one of them meets something. They come in
    platoons: behind every few cars is a gap that lets somebody through who waits for it, which CARLA leaves to luck.
    """

    def __init__(
        self,
        owner: Scripted,
        path: Sequence[carla.Transform],
        interval_m: tuple[float, float],
        speed_m_s: float,
        *,
        keeps_distance: bool,
        cars: int | None = None,
        models: Sequence[str] = (),
    ) -> None:
        """See the class.

        Args:
            owner: Whose cars they are.
            path: About every metre.
            interval_m: Between two cars, drawn anew each time.
            speed_m_s: Of each.
            keeps_distance: Whether they brake for what is on their path.
            cars: How many come; without end otherwise.
            models: Blueprints to choose from; cars otherwise.
        """
        self._owner, self._path, self._interval_m = owner, list(path), interval_m
        self.speed_m_s, self._keeps_distance, self._left = speed_m_s, keeps_distance, cars
        self._models = models
        self._cars: list[Driven] = []
        self._aged: dict[int, float] = {}
        self._moved: dict[int, float] = {}
        self._crosses = not keeps_distance
        self._sent = 0
        self._gap_m = self._next_gap_m()

    def populate(self) -> None:
        """Put cars all along the path, the first ones farthest."""
        steps = [one.location.distance(other.location) for one, other in itertools.pairwise(self._path)]
        left_m, gone_m, places = math.fsum(steps), 0.0, []
        for index, step in enumerate(steps, 1):
            gone_m, left_m = gone_m + step, left_m - step
            if gone_m >= self._gap_m and left_m > _END_M:
                gone_m, self._gap_m = 0.0, self._next_gap_m()
                places.append(index)
        for index in reversed(places):
            self._send(index)

    def tick(self) -> None:
        """Send the next car when it is time, take those away that have arrived."""
        for car in [car for car in self._cars if car.done]:
            self._cars.remove(car)
            self._owner.remove(car.actor)
        self._clear_wrecks()
        if not self._keeps_distance and any(self._has_met(car) for car in self._cars):
            self._keeps_distance = True
            for car in self._cars:
                self._drive(car.actor, car.path)
        if self._left != 0 and self._start_is_free():
            self._send(0)

    def _next_gap_m(self) -> float:
        if self._sent % _PLATOON == _PLATOON - 1:
            return max(_WIDE * self._interval_m[1], _WIDE_S * self.speed_m_s)
        return self._owner.stage.rng.uniform(*self._interval_m)

    def _start_is_free(self) -> bool:
        if not self._cars:
            return True
        last = self._owner.stage.state(self._cars[-1].actor).location
        return bool(last.distance(self._path[0].location) >= self._gap_m)

    def _send(self, index: int) -> None:
        place = self._path[index]
        if self._ego_is_at(place.location):
            return
        model = self._owner.stage.rng.choice(self._models) if self._models else ""
        actor = self._owner.launch(place, self.speed_m_s, model)
        if actor is None:
            return
        self._sent += 1
        self._gap_m = self._next_gap_m()
        self._left = None if self._left is None else self._left - 1
        self._aged[actor.id] = self._owner.stage.time_s
        self._cars.append(self._drive(actor, self._path[index:]))

    def _drive(self, actor: carla.Actor, path: Sequence[carla.Transform]) -> Driven:
        return self._owner.stage.traffic.drive(
            actor, path, self.speed_m_s, respects_lights=False, yields=False, keeps_distance=self._keeps_distance
        )

    def _clear_wrecks(self) -> None:
        """Take away who has stood for long since something was hit: else it and the ego may wait for each other."""
        now = self._owner.stage.time_s
        for car in list(self._cars) if self._crosses else []:
            if self._owner.stage.state(car.actor).speed > _STANDS_M_S:
                self._moved[car.actor.id] = now
            elif now - self._moved.setdefault(car.actor.id, now) > _WRECK_S:
                self._cars.remove(car)
                self._owner.remove(car.actor)

    def _has_met(self, car: Driven) -> bool:
        grown_up = self._owner.stage.time_s - self._aged[car.actor.id] > 3.0
        return grown_up and self._owner.stage.state(car.actor).speed < _MET_SPEED * self.speed_m_s

    def _ego_is_at(self, place: carla.Location) -> bool:
        ego = self._owner.stage.state(self._owner.stage.ego).location
        return math.hypot(ego.x - place.x, ego.y - place.y) < 8.0


def transforms(waypoints: Sequence[carla.Waypoint]) -> list[carla.Transform]:
    """The places of waypoints."""
    return [waypoint.transform for waypoint in waypoints]


def shifted(path: Sequence[carla.Transform], right_m: float) -> list[carla.Transform]:
    """A path beside a path."""
    return [aside(place, right_m) for place in path]


def blended(start: carla.Transform, path: Sequence[carla.Transform], over_m: float) -> list[carla.Transform]:
    """From a place beside a path onto it, smoothly: all of its sideways way over the first metres.

    Args:
        start: Beside the path's first place.
        path: About every metre, from beside the start on.
        over_m: Length of the change.
    """
    first = path[0]
    yaw = math.radians(first.rotation.yaw)
    right_m = (start.location.y - first.location.y) * math.cos(yaw) - (start.location.x - first.location.x) * math.sin(
        yaw
    )
    changed, gone_m = [], 0.0
    for index, place in enumerate(path):
        gone_m += place.location.distance(path[index - 1].location) if index else 0.0
        share = min(gone_m / over_m, 1.0)
        left_over = 1.0 - share * share * (3.0 - 2.0 * share)
        changed.append(aside(place, right_m * left_over))
    return changed


def heads_along(one: carla.Transform, other: carla.Transform, within_deg: float) -> bool:
    """Whether two places head the same way."""
    return abs(turn_deg(one.rotation.yaw, other.rotation.yaw)) < within_deg
