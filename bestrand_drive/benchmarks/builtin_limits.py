"""What the built-in evaluator cannot drive, said before anything is driven: scenario types and towns that it lacks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from bestrand_drive.errors import DataRefused

_TYPES = """
Accident AccidentTwoWays BlockedIntersection ConstructionObstacle ConstructionObstacleTwoWays ControlLoss
DynamicObjectCrossing EnterActorFlow EnterActorFlowV2 HardBreakRoute HazardAtSideLane
HazardAtSideLaneTwoWays HighwayCutIn HighwayExit InterurbanActorFlow InterurbanAdvancedActorFlow
InvadingTurn MergerIntoSlowTraffic MergerIntoSlowTrafficV2 NonSignalizedJunctionLeftTurn
NonSignalizedJunctionLeftTurnEnterFlow NonSignalizedJunctionRightTurn OppositeVehicleRunningRedLight
OppositeVehicleTakingPriority ParkedObstacle ParkedObstacleTwoWays ParkingCrossingPedestrian ParkingCutIn
PedestrianCrossing SequentialLaneChange SignalizedJunctionLeftTurn SignalizedJunctionLeftTurnEnterFlow
SignalizedJunctionRightTurn StaticCutIn T_Junction VanillaNonSignalizedTurn
VanillaNonSignalizedTurnEncounterStopsign VanillaSignalizedTurnEncounterGreenLight
VanillaSignalizedTurnEncounterRedLight VehicleTurningRoute VehicleTurningRoutePedestrian
YieldToEmergencyVehicle
"""
SCENARIO_TYPES = frozenset(_TYPES.split())
"""The names in the evaluator's catalog, which itself cannot be imported without ``carla``."""
_MOST_NAMED = 10


def refuse_types(types: Mapping[str, Iterable[str]]) -> None:
    """Refuse routes with scenarios that would silently be left out: their scores would be those of an easier route.

    Args:
        types: Route id -> the types of its scenarios.

    Raises:
        DataRefused: Naming types and routes.
    """
    lacking = defaultdict(list)
    for route_id, names in types.items():
        for name in dict.fromkeys(names):
            if name not in SCENARIO_TYPES:
                lacking[name].append(route_id)
    if lacking:
        said = "; ".join(f"{name!r} ({_routes(ids)})" for name, ids in lacking.items())
        raise DataRefused(f"the built-in evaluator has no scenario of type {said}. Leave these routes out.")


def refuse_towns(towns: Mapping[str, str], lacking: Collection[str], places: str) -> None:
    """Refuse routes in towns that are not there.

    Args:
        towns: Route id -> its town.
        lacking: Towns that are not there.
        places: Where they were looked for, and what helps.

    Raises:
        DataRefused: Naming towns and routes.
    """
    ids = defaultdict(list)
    for route_id, town in towns.items():
        if town in lacking:
            ids[town].append(route_id)
    if ids:
        said = "; ".join(f"{town!r} ({_routes(found)})" for town, found in ids.items())
        raise DataRefused(f"there is no town {said}: {places}")


def _routes(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"route{'s' if len(ids) > 1 else ''} {', '.join(ids[:_MOST_NAMED])}{more}"
