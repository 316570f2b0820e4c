"""Where routes go and where their scenarios begin, read from a checked route file. CARLA's axes; metres, degrees."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from bestrand_drive.benchmarks.routes import RouteElement, RouteFile
from bestrand_drive.errors import DataRefused

Place = tuple[float, float, float]
"""x, y, z in metres; x east, y south, z up."""


@dataclass(frozen=True)
class ScenarioPlaces:
    """One scenario of a route.

    Attributes:
        type: Name of its class in scenario_runner.
        trigger: Where it begins.
        yaw: Heading there, degrees, clockwise from x.
        direction: The scenario's own parameter "direction", or empty.
        places: Its other places by name, such as ``start_actor_flow``.
    """

    type: str
    trigger: Place
    yaw: float
    direction: str = ""
    places: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True)
class RoutePlaces:
    """Waypoints of a route in driving order, and its scenarios in file order."""

    waypoints: tuple[Place, ...]
    scenarios: tuple[ScenarioPlaces, ...]


def read_places(file: RouteFile, element: RouteElement) -> RoutePlaces:
    """The places of one route of a file that ``read_route_file`` has checked.

    Raises:
        DataRefused: A scenario has no trigger point with a yaw, or something that should be a place is none.
    """
    route, where = parsed(file, element)
    return RoutePlaces(
        tuple(place_of(position, where) for position in route.iterfind("waypoints/position")),
        tuple(_scenario(scenario, where) for scenario in route.iterfind("scenarios/scenario")),
    )


def parsed(file: RouteFile, element: RouteElement) -> tuple[Element, str]:
    """One route of a file that ``read_route_file`` has checked, and what to call its place in messages."""
    text = file.content[element.start : element.end].decode("utf-8", "replace")
    route = ElementTree.fromstring(text)  # noqa: S314  the file was checked: no DOCTYPE, no entities
    return route, f"{file.path}, line {element.line}"


def _scenario(element: Element, where: str) -> ScenarioPlaces:
    trigger = element.find("trigger_point")
    try:
        yaw = float(trigger.attrib["yaw"]) if trigger is not None else 0.0
    except (KeyError, ValueError):
        trigger = None
    if trigger is None:
        raise DataRefused(f"{where}: scenario {element.get('name', '')[:40]!r} has no trigger_point with a yaw.")
    direction = element.find("direction")
    return ScenarioPlaces(
        type=element.get("type", ""),
        trigger=place_of(trigger, where),
        yaw=yaw,
        direction="" if direction is None else direction.get("value", ""),
        places={one.tag: place_of(one, where) for one in element if {"x", "y", "z"} <= one.attrib.keys()},
    )


def place_of(element: Element, where: str) -> Place:
    """The place that an element names.

    Raises:
        DataRefused: It is none.
    """
    try:
        x, y, z = (float(element.attrib[axis]) for axis in "xyz")
    except (KeyError, ValueError) as error:
        raise DataRefused(f"{where}: <{element.tag[:40]}> needs numbers for x, y and z.") from error
    return x, y, z
