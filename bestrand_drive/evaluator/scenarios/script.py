"""Scenarios as scripts: a generator that gives way once a tick, so that what happens is read from top to bottom."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios.lanes import ahead
from bestrand_drive.evaluator.scenarios.scenario import Scenario, ScenarioConfig, ScenarioNotPossible

if TYPE_CHECKING:
    from bestrand_drive.evaluator.plan import PlanPoint
    from bestrand_drive.evaluator.stage import Stage

Script = Iterator[None]
ALONE_M = 250.0
TIMEOUT_S = 240.0
"""After which CARLA's scenarios that block the way count as timed out; Bench2Drive ends every drive at 200 s before."""
_CARS = (
    "dodge.charger_2020",
    "lincoln.mkz_2020",
    "mercedes.coupe_2020",
    "mini.cooper_s_2021",
    "nissan.patrol_2021",
    "tesla.model3",
)
_WALKERS = tuple(f"walker.pedestrian.{number:04d}" for number in (15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27))
SIREN = carla.VehicleLightState(carla.VehicleLightState.Special1 | carla.VehicleLightState.Special2)
"""Blue lights on."""
_DROP_M = 0.3  # vehicles are set down from so high, walkers have their origin in the middle of the body
_WALKER_M = 1.0


class Scripted(Scenario):
    """A scenario whose ``script`` runs a step a tick; when it ends, what the scenario spawned is removed.

    Attributes:
        at_m: Of the trigger along the plan.
        here: The lane at the trigger.
        actors: What it has spawned and not yet removed.
        clear_m: Ambient vehicles keep away as far from where it happens; ``ALONE_M`` where it brings its own traffic.
    """

    clear_m = 40.0

    def __init__(self, stage: Stage, config: ScenarioConfig) -> None:
        super().__init__(stage, config)
        self.actors: list[carla.Actor] = []
        self.at_m = stage.plan.metres_at(config.trigger.location)
        self._here: carla.Waypoint | None = None
        self._script: Script = iter(())

    @property
    def here(self) -> carla.Waypoint:
        """The lane at the trigger."""
        if self._here is None:
            self._here = self.stage.map.get_waypoint(self.config.trigger.location)
        return self._here

    @abstractmethod
    def script(self) -> Script:
        """What happens from the trigger on; it yields whenever a tick has to pass."""

    def start(self) -> None:
        """Send ambient vehicles away from where it happens; begin the script: up to its first tick."""
        place = self.stage.plan.point_at(self.happens_m()).location
        self.stage.ambient.keep_away(place, self.clear_m)
        self._script = self.script()
        self.tick()

    def tick(self) -> None:
        """One step of the script."""
        for _ in self._script:
            return
        self.finished = True
        self.tidy()

    def end(self, *, timed_out: bool) -> None:
        """Too late: nothing of it stays."""
        if timed_out:
            self._script = iter(())
            self.tidy()

    def tidy(self) -> None:
        """Remove what it spawned; scenarios that changed more give that back too."""
        for actor in list(self.actors):
            self.remove(actor)

    def happens_m(self) -> float:
        """Where it happens, as distance along the plan; at the distance that the route gives, or 30 m on."""
        return self.along(self.config.number("distance", 30.0))

    # Steps of scripts

    def wait(self, seconds: float) -> Script:
        """Let simulated time pass."""
        end = self.stage.time_s + seconds
        yield from self.until(lambda: self.stage.time_s >= end)

    def until(self, condition: Callable[[], bool], at_most_s: float = math.inf) -> Script:
        """Let ticks pass until something holds, or for so long."""
        end = self.stage.time_s + at_most_s
        while not condition() and self.stage.time_s < end:
            yield

    def until_near(self, place: carla.Location, seconds: float, distance_m: float) -> Script:
        """Until the ego, at its speed, is so many seconds from a place in a straight line, or so near to it."""
        yield from self.until(lambda: self.ego_is_near(place, seconds, distance_m))

    def until_due(self, place_m: float, seconds: float, distance_m: float) -> Script:
        """As ``until_near``, with the way along the plan: for places behind a bend."""

        def due() -> bool:
            away = place_m - self.stage.progress_m
            return away < distance_m or away < seconds * self.ego_speed_m_s

        yield from self.until(due)

    def until_past(self, distance_m: float) -> Script:
        """Until the ego is so far along the plan, or at its end."""
        end = min(distance_m, self.stage.plan.length_m - 2.0)
        yield from self.until(lambda: self.stage.progress_m >= end)

    # The ego

    def ego_is_near(self, place: carla.Location, seconds: float, distance_m: float) -> bool:
        """See ``until_near``."""
        ego = self.stage.state(self.stage.ego)
        away = math.hypot(place.x - ego.location.x, place.y - ego.location.y)
        return away < distance_m or away < seconds * ego.speed

    @property
    def ego_speed_m_s(self) -> float:
        """Of this tick."""
        return self.stage.state(self.stage.ego).speed

    # The plan

    def in_lane(self, distance_m: float) -> carla.Waypoint:
        """The lane so far after the trigger; it does not go into a junction."""
        return ahead(self.here, distance_m)

    def along(self, distance_m: float) -> float:
        """So far after the trigger, as distance along the plan."""
        return self.at_m + distance_m

    def plan_from(self, distance_m: float) -> list[PlanPoint]:
        """The rest of the plan."""
        return list(self.stage.plan.points[self.stage.plan.index_at(distance_m) :])

    # Actors

    def place(self, blueprint: str, transform: carla.Transform, role: str = "scenario") -> carla.Actor:
        """Spawn it.

        Raises:
            ScenarioNotPossible: The place is taken.
        """
        actor = self.try_place(blueprint, transform, role)
        if actor is None:
            spot = transform.location
            raise ScenarioNotPossible(f"no room for {blueprint} at ({spot.x:.1f}, {spot.y:.1f})")
        return actor

    def try_place(
        self, blueprint: str, transform: carla.Transform, role: str = "scenario", speed_m_s: float = 0.0
    ) -> carla.Actor | None:
        """Spawn it if there is room."""
        actor = self.stage.spawn(blueprint, transform, speed_m_s, role_name=role)
        if actor is not None:
            self.actors.append(actor)
        return actor

    def car(self) -> str:
        """Some car."""
        return "vehicle." + self.stage.rng.choice(_CARS)

    def place_walker(self, transform: carla.Transform) -> carla.Actor:
        """Some pedestrian who stands on the ground."""
        return self.place(self.stage.rng.choice(_WALKERS), lifted(transform, _WALKER_M), "pedestrian")

    def park(self, transform: carla.Transform, blueprint: str = "") -> carla.Actor:
        """A vehicle that stands with its hand brake on; some car unless said."""
        vehicle = self.place(blueprint or self.car(), lifted(transform, _DROP_M))
        vehicle.apply_control(carla.VehicleControl(hand_brake=True))
        return vehicle

    def launch(self, transform: carla.Transform, speed_m_s: float, blueprint: str = "") -> carla.Actor | None:
        """A vehicle that already moves when it appears; some car unless said."""
        return self.try_place(blueprint or self.car(), lifted(transform, _DROP_M), speed_m_s=speed_m_s)

    def remove(self, actor: carla.Actor) -> None:
        """Take it away."""
        self.actors.remove(actor)
        self.stage.destroy(actor)


def lifted(transform: carla.Transform, up_m: float) -> carla.Transform:
    """A copy so much higher."""
    here = transform.location
    return carla.Transform(carla.Location(here.x, here.y, here.z + up_m), transform.rotation)
