"""Routes along one road: obstacles, pedestrians, cut-ins and what else happens ahead of the ego."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from towns import city, highway
from towns.drafts import Draft, Parameters, Ranges, draw, interval
from towns.network import Town
from towns.paths import spot

_DISTANCE = {"distance": (38.0, 46.0)}
_OBSTACLE = {**_DISTANCE, "speed": (35.0, 60.0)}
_ANGLE = {"crossing_angle": (0.0, 12.0)}
_BLOCKERS = ("static.prop.advertisement", "static.prop.container", "static.prop.busstop", "static.prop.foodcart")
_LENGTHS = (100.0, 104.0, 140.0, 134.0, 146.0, 130.0)
"""Of the routes of a type, one after the other; the first two are the demo's."""
_ROADS_END_M = 4.0


class Kind(NamedTuple):
    """A type: where its routes are ("road lane metres"), what is drawn for it, and on which side things stand."""

    places: tuple[str, ...]
    ranges: Ranges = {}  # noqa: RUF012  never changed
    direction: str = ""
    frequency: bool = False


KINDS = {
    "DynamicObjectCrossing": Kind(
        ("h1.0 -2 8", "h1.2 2 10", "v3.0 -1 8", "v2.1 -2 6", "h0.1 -1 6", "v4.1 1 8"), {**_DISTANCE, **_ANGLE}, "right"
    ),
    "ParkingCrossingPedestrian": Kind(
        ("h2.0 -2 8", "v1.1 2 6", "v3.0 1 6", "h2.1 2 8", "v1.2 -2 6"), {"distance": (36.0, 44.0), **_ANGLE}, "right"
    ),
    "ParkingCutIn": Kind(("h2.1 -2 6", "v1.0 -2 8", "v3.0 -1 6", "h2.0 2 6", "v1.2 2 8"), {}, "right"),
    "StaticCutIn": Kind(("h1.1 -1 6", "v2.0 1 8", "h1.3 1 6", "outer1.between -2 20"), _DISTANCE, "right"),
    "HardBreakRoute": Kind(("h1.1 2 6", "h0.2 -1 8", "v2.2 -2 6", "outer.turn2 -2 10", "h3.1 1 6")),
    "ConstructionObstacle": Kind(
        ("h1.2 -2 6", "v2.0 -2 6", "h2.0 -2 6", "v1.1 -2 8", "inner1.between -3 20"), _OBSTACLE, "right"
    ),
    "Accident": Kind(("h1.0 2 6", "v2.1 2 6", "h2.1 2 6", "v1.2 -2 8", "outer2.between -3 20"), _OBSTACLE, "right"),
    "ParkedObstacle": Kind(
        ("v2.2 2 6", "h1.3 -2 8", "h2.1 -2 10", "v1.0 2 6", "inner2.between -3 30"), _OBSTACLE, "right"
    ),
    "HazardAtSideLane": Kind(
        ("h1.1 -2 8", "v2.0 2 6", "h2.0 2 8", "v1.0 -2 6"),
        {**_OBSTACLE, "bicycle_drive_distance": (60.0, 100.0), "bicycle_speed": (6.0, 11.0)},
    ),
    "ParkedObstacleTwoWays": Kind(("h0.1 -1 6", "bend1 -1 4", "v3.0 -1 6", "v0.1 1 6"), _DISTANCE, frequency=True),
    "ConstructionObstacleTwoWays": Kind(("h3.2 1 6", "v4.1 -1 6", "h0.2 1 6", "bend2 1 4"), _DISTANCE, frequency=True),
    "ControlLoss": Kind(
        ("h3.1 -1 8", "v4.1 1 6", "h1.2 -1 6", "bend3 -1 60", "inner.turn1 -2 10"),
        {"steer": (0.34, 0.5), "reach": (3.0, 5.0)},
    ),
    "YieldToEmergencyVehicle": Kind(
        ("h1.0 -1 44", "v2.1 -1 46", "h1.3 2 44", "outer.turn1 -2 60"), {"distance": (24.0, 30.0)}
    ),
    "InvadingTurn": Kind(
        ("bend1 -1 90", "bend4 1 95", "bend2 1 84", "bend3 -1 88", "bend2 -1 92"),
        {"distance": (48.0, 60.0), "offset": (0.22, 0.4)},
    ),
}


def drafts(towns: dict[str, Town]) -> Iterator[Draft]:
    """All routes of these types."""
    for name, kind in KINDS.items():
        for number, text in enumerate(kind.places):
            yield _draft(towns, name, kind, number, text)


def _draft(towns: dict[str, Town], name: str, kind: Kind, number: int, text: str) -> Draft:
    road, lane, at = text.split()
    town = towns[highway.NAME if "." in road and road[0] in "oi" else city.NAME]
    start = spot(town, road, int(lane), float(at))
    length = min(_LENGTHS[number], start.road.length - start.at - _ROADS_END_M)
    parameters = draw(name, number, kind.ranges) | _extras(name, kind, number)
    return Draft(town.name, name, start, length, 10.0 + 2.0 * (number % 4), parameters)


def _extras(name: str, kind: Kind, number: int) -> Parameters:
    """What is not drawn from a range."""
    found: Parameters = {}
    if kind.direction:
        found["direction"] = {"value": kind.direction}
    if kind.frequency:
        found |= interval(name, number, "frequency", (80, 110), (180, 240))
    if name == "ControlLoss":
        found["parked"] = {"value": "true"}
    if name == "DynamicObjectCrossing":
        found["blocker_model"] = {"value": _BLOCKERS[number % len(_BLOCKERS)]}
    return found
