"""Routes over one junction: turns with cross traffic, lights, stop signs, pedestrians and blocked ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from towns import city
from towns.drafts import Draft, Parameters, draw, interval, place
from towns.network import DRIVING, Town
from towns.paths import SIDES, Spot, approach

_BEFORE_M = (37.0, 39.0, 51.0, 45.0, 49.0)
_AFTER_M = (20.0, 18.0, 40.0, 34.0, 36.0)
"""The first two of a type are the demo's, and short."""
_FLOW_M = 50.0


class Kind(NamedTuple):
    """A type: its routes as "column row side turn" (side: where the ego comes from), and whether traffic flows."""

    places: tuple[str, ...]
    flow: bool = False
    directions: tuple[str, ...] = ()


KINDS = {
    "PedestrianCrossing": Kind(("1 2 north straight", "2 0 west straight", "1 1 west straight", "2 2 south straight")),
    "VehicleTurningRoute": Kind(
        ("1 2 west right", "2 0 west left", "1 1 south right", "2 2 east left", "2 1 north left")
    ),
    "VehicleTurningRoutePedestrian": Kind(
        ("1 2 south left", "3 0 west left", "2 1 east right", "1 1 north left", "2 2 north right")
    ),
    "OppositeVehicleTakingPriority": Kind(
        ("1 2 west straight", "1 2 south straight", "2 0 west straight", "3 3 west straight", "1 2 east straight"),
        directions=("left", "right", "left", "right", "opposite"),
    ),
    "OppositeVehicleRunningRedLight": Kind(
        ("1 1 west straight", "2 1 south straight", "2 2 east straight", "1 1 north straight", "2 2 north left"),
        directions=("left", "right", "left", "right", "opposite"),
    ),
    "BlockedIntersection": Kind(("1 1 east right", "2 2 west right", "2 1 south left", "1 2 north right")),
    "SignalizedJunctionLeftTurn": Kind(
        ("1 1 south left", "2 1 west left", "2 2 east left", "1 0 west left", "3 1 north left"), flow=True
    ),
    "NonSignalizedJunctionLeftTurn": Kind(
        ("2 0 west left", "1 2 south left", "3 3 east left", "0 2 north left", "4 1 south left"), flow=True
    ),
    "SignalizedJunctionRightTurn": Kind(
        ("1 1 north right", "2 1 south right", "2 2 west right", "3 1 east right"), flow=True
    ),
    "NonSignalizedJunctionRightTurn": Kind(
        ("2 0 north right", "1 2 east right", "3 3 south right", "4 1 west right", "0 2 east right"), flow=True
    ),
    "VanillaSignalizedTurnEncounterRedLight": Kind(
        ("1 1 east left", "2 2 south right", "2 1 north right", "4 2 south left", "0 1 east right")
    ),
    "VanillaSignalizedTurnEncounterGreenLight": Kind(
        ("2 1 west right", "1 1 south left", "2 2 north left", "2 3 south right", "1 0 north left")
    ),
    "VanillaNonSignalizedTurnEncounterStopsign": Kind(
        ("3 3 south right", "1 2 west left", "2 0 north left", "0 2 east left", "4 1 west left")
    ),
    "EnterActorFlow": Kind(
        ("3 2 west straight", "3 2 south straight", "1 3 south right", "3 0 north right", "3 2 east straight")
    ),
}


def drafts(towns: dict[str, Town]) -> Iterator[Draft]:
    """All routes of these types."""
    town = towns[city.NAME]
    for name, kind in KINDS.items():
        for number, text in enumerate(kind.places):
            column, row, side, turn = text.split()
            node = (int(column), int(row))
            yield _draft(town, name, kind, number, (node, side, turn))


def _draft(town: Town, name: str, kind: Kind, number: int, where: tuple[city.Node, str, str]) -> Draft:
    node, side, turn = where
    middle = city.middle(node)
    circle = node == city.ROUNDABOUT
    mouth = approach(town, middle, side)
    lanes = mouth.road.lanes(DRIVING, along=mouth.lane < 0)
    lane = lanes[0] if turn == "left" else lanes[-1]
    before, after = _BEFORE_M[number], _AFTER_M[number]
    start = Spot(mouth.road, lane, mouth.at - before)
    turns = ("left", "right") if circle else (turn,)
    through = 2 * city.ROUNDABOUT_MOUTH_M if circle else 2 * city.MOUTH_M
    parameters = _parameters(town, name, kind, number, where)
    return Draft(town.name, name, start, before + through + after, 8.0 + 2.0 * (number % 4), parameters, turns)


def _parameters(town: Town, name: str, kind: Kind, number: int, where: tuple[city.Node, str, str]) -> Parameters:
    if kind.directions:
        return {"direction": {"value": kind.directions[number]}}
    if kind.flow:
        return draw(name, number, {"flow_speed": (7.0, 12.0)}) | _gaps(name, number)
    if name == "EnterActorFlow":
        return _flow(town, *where) | draw(name, number, {"flow_speed": (7.0, 12.0)}) | _gaps(name, number)
    return {}


def _gaps(name: str, number: int) -> Parameters:
    return interval(name, number, "source_dist_interval", (15, 26), (44, 70))


def _flow(town: Town, node: city.Node, side: str, turn: str) -> Parameters:
    """From the ego's left to where the ego goes."""
    middle = city.middle(node)
    come = SIDES.index(side)
    left, right, beyond = (SIDES[(come + quarters) % 4] for quarters in (3, 1, 2))
    source = approach(town, middle, left)
    sink = approach(town, middle, beyond if turn == "straight" else right, outward=True)
    return place("start_actor_flow", source._replace(at=source.at - _FLOW_M)) | place(
        "end_actor_flow", sink._replace(at=_FLOW_M)
    )
