"""Background traffic: a few vehicles around the ego, put down out of its sight and moved on when it has passed them.

They lie on the ego's lane and its neighbours ahead, and on the lanes of the other direction.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cached_property

import carla

from bestrand_drive.evaluator.scene import Scene
from bestrand_drive.evaluator.traffic import Driven, Traffic

_BLUEPRINTS = (
    "vehicle.tesla.model3",
    "vehicle.audi.tt",
    "vehicle.nissan.micra",
    "vehicle.seat.leon",
    "vehicle.citroen.c3",
    "vehicle.toyota.prius",
)
_SPINE_STEP_M = 5.0
_BEYOND_M = 120.0
_FIRST_M = (25.0, 90.0)
_AHEAD_M = (60.0, 110.0)
_OUT_M = 130.0
_PASSED_M = 45.0
_APART_M = 14.0
_PATH_STEP_M = 2.0
_PATH_STEPS = 120
_EVERY = 5
_TRIES = 6
_LIMIT_M_S = 30.0 / 3.6


class Ambient:
    """Keeps ``count`` vehicles around the ego.

    Attributes:
        count: How many there shall be.
        vehicles: Those that there are.
    """

    def __init__(self, scene: Scene, traffic: Traffic, rng: random.Random) -> None:
        self._scene = scene
        self._traffic = traffic
        self._rng = rng
        self._driven: dict[int, Driven] = {}
        self._away: list[tuple[carla.Location, float]] = []
        self._ticks = 0
        self.count = 0
        self.vehicles: list[carla.Actor] = []

    def keep_away(self, around: carla.Location, radius_m: float) -> None:
        """Remove what is there, which comes back elsewhere, and put nothing there from now on."""
        for actor in list(self.vehicles):
            if self._scene.state(actor).location.distance(around) <= radius_m:
                self._remove(actor)
        self._away.append((carla.Location(around.x, around.y, around.z), radius_m))

    def mean_speed(self) -> float | None:
        """Of the vehicles, m/s; None without any."""
        speeds = [self._scene.state(actor).speed for actor in self.vehicles]
        return sum(speeds) / len(speeds) if speeds else None

    def tick(self) -> None:
        """Now and then: move on what the ego has left behind, add what is missing."""
        if self._ticks % _EVERY == 0:
            reach = _AHEAD_M if self._ticks else _FIRST_M
            for actor in [actor for actor in self.vehicles if self._is_over(actor)]:
                self._remove(actor)
            for _ in range(min(self.count - len(self.vehicles), self.count if not self._ticks else 1)):
                self._add(reach)
        self._ticks += 1

    def _is_over(self, actor: carla.Actor) -> bool:
        place, ego = self._scene.state(actor).location, self._scene.state(self._scene.ego)
        away_m = place.distance(ego.location)
        ahead_x, ahead_y = ego.forward
        behind = (place.x - ego.location.x) * ahead_x + (place.y - ego.location.y) * ahead_y < 0.0
        driven = self._driven[actor.id]
        return away_m > _OUT_M or (behind and away_m > _PASSED_M) or (driven.done and away_m > _PASSED_M)

    def _remove(self, actor: carla.Actor) -> None:
        self.vehicles.remove(actor)
        del self._driven[actor.id]
        self._scene.destroy(actor)

    def _add(self, reach: tuple[float, float]) -> None:
        for _ in range(_TRIES):
            waypoint = self._place(reach)
            if waypoint is not None and self._is_free(waypoint.transform.location) and self._spawn(waypoint):
                return

    def _spawn(self, waypoint: carla.Waypoint) -> bool:
        place = waypoint.transform
        up = carla.Location(place.location.x, place.location.y, place.location.z + 0.3)
        colour = ",".join(str(self._rng.randrange(40, 230)) for _ in range(3))
        where = carla.Transform(up, place.rotation)
        actor = self._scene.spawn(self._rng.choice(_BLUEPRINTS), where, role_name="background", color=colour)
        if actor is None:
            return False
        limit_m_s = self._scene.ego.get_speed_limit() / 3.6 or _LIMIT_M_S
        speed = limit_m_s * self._rng.uniform(0.7, 0.95)
        driven = self._traffic.drive(actor, list(self._way(waypoint)), speed)
        driven.commanded = 0.7 * speed
        self.vehicles.append(actor)
        self._driven[actor.id] = driven
        return True

    def _way(self, waypoint: carla.Waypoint) -> Iterator[carla.Waypoint]:
        """Along the lanes, with a random choice where they part."""
        for _ in range(_PATH_STEPS):
            yield waypoint
            after = waypoint.next(_PATH_STEP_M)
            if not after:
                return
            waypoint = after[0] if len(after) == 1 else self._rng.choice(after)

    @cached_property
    def _spine(self) -> list[tuple[float, carla.Waypoint]]:
        """Waypoints on the plan and beyond its end, with their metres."""
        plan = self._scene.plan
        spine: list[tuple[float, carla.Waypoint]] = []
        for metres in range(0, int(plan.length_m) + 1, int(_SPINE_STEP_M)):
            waypoint = self._scene.map.get_waypoint(plan.point_at(metres).location)
            if waypoint is not None:
                spine.append((float(metres), waypoint))
        while spine and spine[-1][0] < plan.length_m + _BEYOND_M:
            after = spine[-1][1].next(_SPINE_STEP_M)
            if not after:
                break
            spine.append((spine[-1][0] + _SPINE_STEP_M, after[0]))
        return spine

    def _place(self, reach: tuple[float, float]) -> carla.Waypoint | None:
        """A random place on one of the lanes ahead."""
        here_m = self._scene.progress_m
        places = [
            waypoint
            for metres, waypoint in self._spine
            if reach[0] <= metres - here_m <= reach[1] and not waypoint.is_junction
        ]
        return self._rng.choice(_lanes(self._rng.choice(places))) if places else None

    def _is_free(self, place: carla.Location) -> bool:
        ego = self._scene.state(self._scene.ego).location
        if place.distance(ego) < _FIRST_M[0] or any(place.distance(centre) < size for centre, size in self._away):
            return False
        return all(self._scene.state(other).location.distance(place) > _APART_M for other in self._scene.others())


def _lanes(waypoint: carla.Waypoint) -> list[carla.Waypoint]:
    """The driving lanes of the road here, those of the other direction twice."""
    lanes = [waypoint]
    for side in ("get_right_lane", "get_left_lane"):
        lane = getattr(waypoint, side)()
        crossed = False
        while lane is not None and len(lanes) < 12:
            opposite = lane.lane_id * waypoint.lane_id < 0
            if lane.lane_type == carla.LaneType.Driving:
                lanes += [lane] * (2 if opposite else 1)
            crossed = crossed or opposite
            # beyond the middle the lanes' own left and right are the other way round
            lane = lane.get_right_lane() if crossed or side == "get_right_lane" else lane.get_left_lane()
    return lanes
