"""One route's scenario played on a toy stage, by drivers who look or do not look."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import carla

from bestrand_drive.evaluator.route_file import Route, read_routes
from bestrand_drive.evaluator.scenarios.catalog import TYPES
from bestrand_drive.evaluator.scenarios.script import Scripted
from bestrand_drive.evaluator.tracing import trace
from bestrand_drive.files import shipped_folder
from tests.evaluator.scenarios.toy_stage import DELTA_S, ToyStage

SPEED_M_S = 9.0
_SECONDS = 60.0

Driver = Callable[[ToyStage, float], float]
"""Stage and speed -> speed of the next tick."""


def blind(_stage: ToyStage, _speed: float) -> float:
    """One speed from the first tick on."""
    return SPEED_M_S


def careful(stage: ToyStage, speed: float) -> float:
    """Brakes for whoever is, or within 2.5 s will be, on the plan ahead."""
    rest = stage.plan.points[stage.plan.index_at(stage.progress_m) :]
    if stage.something_ahead(stage.ego, rest, 2.5):
        return max(speed - 8.0 * DELTA_S, 0.0)
    return min(speed + 3.0 * DELTA_S, SPEED_M_S)


@dataclass
class Played:
    """What came of it.

    Attributes:
        stage: As it was left.
        scenario: Likewise.
        hits: Blueprints that the ego touched.
        trace: Blueprint and place of all at the end of every second, rounded to millimetres.
    """

    stage: ToyStage
    scenario: Scripted
    hits: set[str] = field(default_factory=set)
    trace: list[Any] = field(default_factory=list)

    @property
    def arrived(self) -> bool:
        """The ego is at the plan's end."""
        return self.stage.progress_m >= self.stage.plan.length_m - 1.0


@functools.cache
def road_map(town: Path) -> carla.Map:
    """A town's map, without a server."""
    return carla.Map(town.stem, town.read_text())


@functools.cache
def shipped_routes() -> list[Route]:
    """Our own routes."""
    return read_routes(shipped_folder("route_configs") / "builtin" / "routes.xml")


def shipped_towns() -> Path:
    """Folder of our own towns."""
    return shipped_folder("route_configs") / "builtin" / "towns"


def set_up(route: Route, towns: Path, seed: int = 0) -> Played:
    """A stage with the route's first scenario prepared; all junctions on the way have lights."""
    town = road_map(towns / f"{route.town}.xodr")
    stage = ToyStage(town, trace(town, list(route.waypoints)), seed)
    for point in stage.plan.points:
        waypoint = town.get_waypoint(point.location) if point.is_junction else None
        if waypoint is not None and waypoint.is_junction:
            stage.world.light(waypoint.get_junction())
    config = route.scenarios[0]
    scenario = cast("Scripted", TYPES[config.type](cast("Any", stage), config))
    scenario.prepare()
    return Played(stage, scenario)


def play(route: Route, towns: Path, driver: Driver, seed: int = 0, seconds: float = _SECONDS) -> Played:
    """Until the ego is at the plan's end, or for so long."""
    played = set_up(route, towns, seed)
    stage, scenario = played.stage, played.scenario
    speed, started = 0.0, False
    while not played.arrived and stage.time_s < seconds:
        stage.step()
        speed = driver(stage, speed)
        stage.ego_to(stage.progress_m + speed * DELTA_S, speed)
        played.hits |= stage.hits()
        if started and not scenario.finished:
            scenario.tick()
        elif not started and stage.progress_m >= scenario.at_m - scenario.trigger_distance_m:
            started = True
            scenario.start()
        if stage.frame % 20 == 0:
            played.trace.append(_places(stage))
    return played


def _places(stage: ToyStage) -> list[tuple[str, float, float]]:
    actors = stage.actors.values()
    return [(one.type_id, round(one.transform.location.x, 3), round(one.transform.location.y, 3)) for one in actors]
