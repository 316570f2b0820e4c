"""All routes in their order, and the leaderboard's XML of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from towns import ahead, open_roads, turns
from towns.drafts import Draft
from towns.network import Town
from towns.paths import Spot, trace
from towns.weathers import WEATHERS

DEMO_TYPES = (
    "DynamicObjectCrossing",
    "ParkingCrossingPedestrian",
    "ParkingCutIn",
    "StaticCutIn",
    "ConstructionObstacle",
    "Accident",
    "ParkedObstacle",
    "ParkedObstacleTwoWays",
    "ConstructionObstacleTwoWays",
    "ControlLoss",
    "YieldToEmergencyVehicle",
    "PedestrianCrossing",
    "VehicleTurningRoute",
    "SignalizedJunctionRightTurn",
    "OppositeVehicleTakingPriority",
    "OppositeVehicleRunningRedLight",
    "VanillaSignalizedTurnEncounterRedLight",
    "VanillaSignalizedTurnEncounterGreenLight",
    "VanillaNonSignalizedTurnEncounterStopsign",
    "HighwayCutIn",
)
DEMO_EACH = 2
"""The first routes of each of these types are the demo's. Types that make a driver wait for long, or that one who does
not give way never ends (``InvadingTurn``), are left to the whole set."""


def drafts(towns: dict[str, Town]) -> list[Draft]:
    """All routes, numbered from 1 by their place in this list."""
    return [*ahead.drafts(towns), *turns.drafts(towns), *open_roads.drafts(towns)]


def demo(routes: list[Draft]) -> list[int]:
    """Ids of the demo's routes."""
    seen = Counter[str]()
    chosen = []
    for number, draft in enumerate(routes, 1):
        seen[draft.type] += 1
        if draft.type in DEMO_TYPES and seen[draft.type] <= DEMO_EACH:
            chosen.append(number)
    return chosen


def write(towns: dict[str, Town], routes: list[Draft]) -> str:
    """The route file."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<routes>"]
    for number, draft in enumerate(routes, 1):
        lines += _route(towns[draft.town], number, draft)
    return "\n".join([*lines, "</routes>\n"])


def _route(town: Town, number: int, draft: Draft) -> Iterator[str]:
    way = trace(town, draft.start, draft.length, draft.turns, draft.changes)
    yield f' <route id="{number}" town="{draft.town}">'
    yield "  <waypoints>"
    for _, spot in way:
        yield f"   <position {_place(spot)}/>"
    yield "  </waypoints>"
    yield "  <scenarios>"
    yield f'   <scenario name="{draft.type}_1" type="{draft.type}">'
    trigger = next(spot for distance, spot in way if distance >= draft.trigger)
    yield f'    <trigger_point {_place(trigger)} yaw="{_yaw(trigger):.1f}"/>'
    for name, attributes in draft.parameters.items():
        yield f"    <{name} {_attributes(attributes)}/>"
    yield "   </scenario>"
    yield "  </scenarios>"
    yield "  <weathers>"
    weather = WEATHERS[(7 * number) % len(WEATHERS)]
    for share in (0, 100):
        yield f"   <weather {_attributes({'route_percentage': str(share)} | {k: str(v) for k, v in weather.items()})}/>"
    yield "  </weathers>"
    yield " </route>"


def _place(spot: Spot) -> str:
    """CARLA's axes: y to the south."""
    return f'x="{spot.pose.x:.2f}" y="{-spot.pose.y:.2f}" z="0.0"'


def _yaw(spot: Spot) -> float:
    """Degrees clockwise from x, in [0, 360)."""
    return round(-math.degrees(spot.pose.heading), 1) % 360.0


def _attributes(values: dict[str, str]) -> str:
    return " ".join(f'{name}="{value}"' for name, value in values.items())
