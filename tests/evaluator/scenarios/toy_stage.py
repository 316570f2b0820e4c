"""A stage without a server: the real map of a town, and a world in which everything moves as it is told."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import carla

from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.state import State

DELTA_S = 0.05
_BOXES = {
    "walker": (0.19, 0.19),
    "diamondback": (0.83, 0.29),
    "bh": (0.75, 0.43),
    "gazelle": (0.92, 0.33),
    "vehicle": (2.4, 0.95),
}
_SPAWN_GAP_M = 0.1


@dataclass
class _Extent:
    x: float
    y: float
    z: float = 0.8


@dataclass
class _Box:
    extent: _Extent


@dataclass(eq=False)
class ToyActor:
    """A box that has a place, a heading and a speed along it."""

    id: int
    type_id: str
    transform: carla.Transform
    bounding_box: _Box
    speed: float = 0.0
    constant: float | None = None
    steers: Callable[[ToyActor], None] | None = None

    def apply_control(self, control: carla.VehicleControl) -> None:
        """Ignored."""

    def set_simulate_physics(self, enabled: bool) -> None:
        """Ignored."""

    def set_light_state(self, state: carla.VehicleLightState) -> None:
        """Ignored."""

    def set_target_velocity(self, velocity: carla.Vector3D) -> None:
        """It has that speed at once."""
        self.speed = math.hypot(velocity.x, velocity.y)

    def enable_constant_velocity(self, velocity: carla.Vector3D) -> None:
        """It drives straight on from now on."""
        self.constant = velocity.x

    def get_speed_limit(self) -> float:
        """In km/h."""
        return 40.0

    def advance(self) -> None:
        """One tick."""
        if self.constant is not None:
            self.speed = self.constant
        if self.steers is not None:
            self.steers(self)
        else:
            yaw = math.radians(self.transform.rotation.yaw)
            here = self.transform.location
            step = self.speed * DELTA_S if self.constant is not None else 0.0
            self.transform = carla.Transform(
                carla.Location(here.x + step * math.cos(yaw), here.y + step * math.sin(yaw), here.z),
                self.transform.rotation,
            )

    def corners(self, margin: float = 0.0) -> list[tuple[float, float]]:
        """Of the box on the ground."""
        yaw = math.radians(self.transform.rotation.yaw)
        here, extent = self.transform.location, self.bounding_box.extent
        half_x, half_y = extent.x + margin, extent.y + margin
        signs = ((1, 1), (1, -1), (-1, -1), (-1, 1))
        return [
            (
                here.x + a * half_x * math.cos(yaw) - b * half_y * math.sin(yaw),
                here.y + a * half_x * math.sin(yaw) + b * half_y * math.cos(yaw),
            )
            for a, b in signs
        ]


def touching(one: ToyActor, other: ToyActor, margin: float = 0.0) -> bool:
    """Whether two boxes overlap on the ground (separating axes)."""
    ours, theirs = one.corners(margin), other.corners()
    for actor in (one, other):
        for turned in (0.0, 90.0):
            angle = math.radians(actor.transform.rotation.yaw + turned)
            axis = math.cos(angle), math.sin(angle)
            a = [x * axis[0] + y * axis[1] for x, y in ours]
            b = [x * axis[0] + y * axis[1] for x, y in theirs]
            if max(a) < min(b) or max(b) < min(a):
                return False
    return True


@dataclass
class ToyDriven:
    """Follows a path at a speed, with 3 m/s^2, brakes with 6 m/s^2 for what is near on it."""

    actor: ToyActor
    path: Sequence[Any]
    speed_m_s: float
    stage: ToyStage
    keeps_distance: bool = True
    done: bool = False
    index: int = 0
    walks: bool = False

    @property
    def commanded(self) -> float:
        """m/s, of the last tick."""
        return self.actor.speed

    @commanded.setter
    def commanded(self, speed: float) -> None:
        self.actor.speed = speed

    def stop(self) -> None:
        """For good."""
        self.speed_m_s = 0.0

    def __call__(self, actor: ToyActor) -> None:
        """One tick."""
        if self.done:
            actor.speed = 0.0
            return
        wanted = (
            0.0
            if self.keeps_distance and self.stage.something_ahead(actor, self.path[self.index :])
            else self.speed_m_s
        )
        step_up, step_down = (99.0, 99.0) if self.walks else (3.0 * DELTA_S, 8.0 * DELTA_S)
        actor.speed = (
            min(wanted, actor.speed + step_up) if wanted > actor.speed else max(wanted, actor.speed - step_down)
        )
        self._move(actor, actor.speed * DELTA_S)

    def _move(self, actor: ToyActor, metres: float) -> None:
        here = actor.transform.location
        while self.index < len(self.path):
            target = location_of(self.path[self.index])
            away = math.hypot(target.x - here.x, target.y - here.y)
            if away > metres:
                share = metres / away
                yaw = math.degrees(math.atan2(target.y - here.y, target.x - here.x))
                moved = carla.Location(
                    here.x + share * (target.x - here.x), here.y + share * (target.y - here.y), here.z
                )
                actor.transform = carla.Transform(
                    moved, carla.Rotation(yaw=yaw if metres > 0 else actor.transform.rotation.yaw)
                )
                return
            metres -= away
            here = target
            self.index += 1
        self.done = True


def location_of(place: Any) -> carla.Location:
    """Of whatever the evaluator takes as a place."""
    if isinstance(place, carla.Location):
        return place
    return place.location if hasattr(place, "location") else place.transform.location


@dataclass
class ToyTraffic:
    """Drives and walks."""

    stage: ToyStage
    driven: list[ToyDriven] = field(default_factory=list)

    def drive(self, actor: ToyActor, path: Sequence[Any], speed_m_s: float, **traits: Any) -> ToyDriven:
        """Along a path, beginning at its nearest place."""
        assert len(path) > 0, "a path without a place"
        here = actor.transform.location
        nearest = min(range(min(len(path), 60)), key=lambda index: location_of(path[index]).distance(here))
        driven = ToyDriven(actor, path, speed_m_s, self.stage, bool(traits.get("keeps_distance", True)), index=nearest)
        actor.steers = driven
        self.driven.append(driven)
        return driven

    def walk(self, walker: ToyActor, target: carla.Location, speed_m_s: float) -> ToyDriven:
        """Straight to a place."""
        driven = ToyDriven(walker, [target], speed_m_s, self.stage, keeps_distance=False, walks=True)
        walker.steers = driven
        return driven


class ToyAmbient:
    """Background vehicles there are none."""

    def keep_away(self, around: carla.Location, radius_m: float) -> None:
        """There is nobody."""


@dataclass
class _Light:
    id: int
    stop: carla.Waypoint
    state: carla.TrafficLightState = carla.TrafficLightState.Red
    times: list[float] = field(default_factory=lambda: [10.0, 3.0, 2.0])

    def get_stop_waypoints(self) -> list[carla.Waypoint]:
        return [self.stop]

    def get_state(self) -> carla.TrafficLightState:
        return self.state

    def set_state(self, state: carla.TrafficLightState) -> None:
        self.state = state

    def get_green_time(self) -> float:
        return self.times[0]

    def get_yellow_time(self) -> float:
        return self.times[1]

    def get_red_time(self) -> float:
        return self.times[2]

    def set_green_time(self, seconds: float) -> None:
        self.times[0] = seconds

    def set_yellow_time(self, seconds: float) -> None:
        self.times[1] = seconds

    def set_red_time(self, seconds: float) -> None:
        self.times[2] = seconds


class ToyWorld:
    """Only junctions' lights."""

    def __init__(self) -> None:
        self.lights: dict[int, list[_Light]] = {}

    def get_traffic_lights_in_junction(self, junction_id: int) -> list[_Light]:
        """Those that were made."""
        return self.lights.get(junction_id, [])

    def light(self, junction: carla.Junction) -> None:
        """Give a junction lights, one for each lane that enters it."""
        entries: dict[tuple[int, int], carla.Waypoint] = {}
        for entry, _ in junction.get_waypoints(carla.LaneType.Driving):
            for before in entry.previous(1.0):
                entries.setdefault((before.road_id, before.lane_id), before)
        self.lights[junction.id] = [_Light(1000 + number, entries[key]) for number, key in enumerate(sorted(entries))]


class ToyStage:
    """As ``evaluator.stage.Stage``; ``step`` lets a tick pass."""

    delta_s = DELTA_S

    def __init__(self, road_map: carla.Map, plan: Plan, seed: int = 0) -> None:
        self.map, self.plan = road_map, plan
        self.world = ToyWorld()
        self.rng = random.Random(seed)
        self.frame, self.time_s, self.progress_m = 0, 0.0, 0.0
        self.actors: dict[int, ToyActor] = {}
        self.ever: list[str] = []
        self._next = 1
        self.traffic, self.ambient = ToyTraffic(self), ToyAmbient()
        self.ego = self._make("vehicle.lincoln.mkz_2020", plan.points[0].transform)

    def _make(self, blueprint: str, transform: carla.Transform) -> ToyActor:
        words = blueprint.split(".")
        half = _BOXES.get(words[1]) or _BOXES.get(words[0]) or (0.4, 0.4)
        actor = ToyActor(self._next, blueprint, transform, _Box(_Extent(*half)))
        self._next += 1
        self.actors[actor.id] = actor
        return actor

    def spawn(
        self, blueprint: str, transform: carla.Transform, speed_m_s: float = 0.0, **attributes: str
    ) -> ToyActor | None:
        """None where a vehicle or walker would stand in something; props go anywhere."""
        actor = self._make(blueprint, transform)
        actor.speed = speed_m_s
        blocked = any(touching(actor, other, _SPAWN_GAP_M) for other in self.actors.values() if other is not actor)
        if blocked and not blueprint.startswith("static."):
            del self.actors[actor.id]
            return None
        self.ever.append(blueprint)
        return actor

    def destroy(self, actor: ToyActor) -> None:
        """Gone."""
        del self.actors[actor.id]

    def state(self, actor: ToyActor) -> State:
        """Now."""
        forward = actor.transform.get_forward_vector()
        velocity = carla.Vector3D(forward.x * actor.speed, forward.y * actor.speed, 0.0)
        return State(actor.transform.location, actor.transform.rotation, velocity, actor.speed)

    def distance_to_ego(self, actor: ToyActor) -> float:
        """Between the origins."""
        return float(actor.transform.location.distance(self.ego.transform.location))

    def something_ahead(self, actor: ToyActor, path: Sequence[Any], foresight_s: float = 0.0) -> bool:
        """Whether another is, or will be soon, on the actor's path within its braking distance and 5 m."""
        moments = [0.5 * number for number in range(int(foresight_s / 0.5) + 1)]
        others = [
            (other.transform.location, other.transform.get_forward_vector() * other.speed)
            for other in self.actors.values()
            if other is not actor and "dirtdebris" not in other.type_id
        ]
        spots = [
            place + motion * moment
            for place, motion in others
            for moment in (moments if motion.length() > 0.1 else [0.0])
        ]
        reach = actor.bounding_box.extent.x + 5.0 + actor.speed**2 / 12.0
        for place in path:
            spot = location_of(place)
            away = spot.distance(actor.transform.location)
            if away > reach + 3.0:
                return False
            if away < actor.bounding_box.extent.x:
                continue
            if any(
                abs(spot.x - there.x) < 2.0 and abs(spot.y - there.y) < 2.0 and spot.distance_2d(there) < 2.0
                for there in spots
            ):
                return True
        return False

    def ego_to(self, progress_m: float, speed: float) -> None:
        """Put the ego there on the plan."""
        self.progress_m = progress_m
        point = self.plan.point_at(progress_m)
        rest = progress_m - point.distance_m
        self.ego.transform = carla.Transform(
            point.location + point.transform.get_forward_vector() * rest, point.transform.rotation
        )
        self.ego.speed = speed

    def step(self) -> None:
        """Everybody moves but the ego."""
        self.frame += 1
        self.time_s += DELTA_S
        for actor in list(self.actors.values()):
            if actor is not self.ego:
                actor.advance()

    def hits(self) -> set[str]:
        """What the ego touches; what lies flat is driven over."""
        return {
            actor.type_id
            for actor in self.actors.values()
            if actor is not self.ego and "dirtdebris" not in actor.type_id and touching(self.ego, actor)
        }
