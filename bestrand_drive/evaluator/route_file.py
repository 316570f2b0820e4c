"""A route file as the evaluator drives it: waypoints, scenarios and weather of each route."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

import carla

from bestrand_drive.benchmarks.route_places import parsed, place_of
from bestrand_drive.benchmarks.routes import read_route_file
from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.evaluator.scenarios.scenario import ScenarioConfig
from bestrand_drive.evaluator.weather import Weather


@dataclass(frozen=True)
class Route:
    """One route.

    Attributes:
        id: As the file gives it.
        town: Where.
        waypoints: In order, one at least.
        scenarios: In order.
        weathers: By ascending percent, one at least.
    """

    id: str
    town: str
    waypoints: tuple[carla.Location, ...]
    scenarios: tuple[ScenarioConfig, ...]
    weathers: tuple[Weather, ...]


def read_routes(path: Path, subset: str = "") -> list[Route]:
    """The routes of a file, in its order.

    Args:
        path: The file.
        subset: ``"3,7,12-20"``: ids, and stretches from one id to another in the file's order; all without.

    Raises:
        DataRefused: The file is no sound route file.
        UsageError: The subset names a route that is not there.
    """
    file = read_route_file(path)
    ids = [route.id for route in file.routes]
    wanted = set(ids) if not subset else _chosen(ids, subset)
    return [_route(*parsed(file, part)) for part in file.routes if part.id in wanted]


def _chosen(ids: Sequence[str], subset: str) -> set[str]:
    wanted: set[str] = set()
    for part in subset.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        missing = [name for name in (first, last or first) if name not in ids]
        if missing:
            raise UsageError(f"--routes-subset: no route with id {missing[0]!r} in the file.")
        low, high = ids.index(first), ids.index(last or first)
        if high < low:
            raise UsageError(f"--routes-subset: in {part!r} the second id comes first in the file.")
        wanted |= set(ids[low : high + 1])
    return wanted


def _route(element: Element, where: str) -> Route:
    points = tuple(_location(position, where) for position in element.iterfind("waypoints/position"))
    scenarios = tuple(_scenario(scenario, where) for scenario in element.iterfind("scenarios/scenario"))
    weathers = [_weather(weather, where) for weather in element.iterfind("weathers/weather")]
    weathers.sort(key=lambda one: one[0])
    return Route(element.attrib["id"], element.attrib["town"], points, scenarios, tuple(weathers) or ((0.0, _base()),))


def _location(element: Element, where: str) -> carla.Location:
    return carla.Location(*place_of(element, where))


def _number(element: Element, name: str, where: str, default: str = "") -> float:
    text = element.attrib.get(name, default)
    try:
        return float(text)
    except ValueError as error:
        raise DataRefused(f"{where}: <{element.tag}> has {name}={text[:40]!r}, which is no number.") from error


def _scenario(element: Element, where: str) -> ScenarioConfig:
    name, trigger = element.attrib.get("name", ""), element.find("trigger_point")
    if trigger is None:
        raise DataRefused(f"{where}: scenario {name[:40]!r} has no trigger_point.")
    place = carla.Transform(_location(trigger, where), carla.Rotation(yaw=_number(trigger, "yaw", where, "0")))
    parameters = {child.tag: dict(child.attrib) for child in element if child.tag != "trigger_point"}
    return ScenarioConfig(name, element.attrib.get("type", ""), place, parameters)


def _base() -> carla.WeatherParameters:
    """What holds where the file says nothing, as in the leaderboard."""
    return carla.WeatherParameters(sun_altitude_angle=70.0, cloudiness=50.0)


def _weather(element: Element, where: str) -> Weather:
    weather = _base()
    for name in element.attrib:
        if hasattr(weather, name):
            setattr(weather, name, _number(element, name, where))
    return _number(element, "route_percentage", where), weather
