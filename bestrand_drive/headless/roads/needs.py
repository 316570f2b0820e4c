"""What a scenario type needs of the road, as scenario_runner reads the map: lanes beside it, a junction, lights.

Found by reading ``srunner/scenarios`` of Bench2Drive and Fail2Drive: each class walks lanes with ``get_left_lane`` and
``get_right_lane`` and looks for the next junction; where it does not find what it wants the evaluator skips it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bestrand_drive.headless.roads import sections
from bestrand_drive.headless.roads.request import Scenario
from bestrand_drive.headless.roads.sections import Section


class Control(Enum):
    """What rules a junction; the route must stop, or all the others."""

    LIGHTS = "lights"
    STOP = "stop"
    PRIORITY = "priority"


class Layout(Enum):
    """How a junction is laid out."""

    CROSSING = "crossing"
    MERGE = "merge"


@dataclass(frozen=True)
class Need:
    """What a route's scenarios need.

    Attributes:
        section: Lanes beside the route's; none: any.
        wanted: A junction is needed even where the route shows none.
        control: Of its junctions.
        layout: Of its junctions.
        returns: The road after the junction must lead back to it.
    """

    section: Section | None = None
    wanted: bool = False
    control: Control = Control.LIGHTS
    layout: Layout = Layout.CROSSING
    returns: bool = False


def _junction(control: Control, section: Section | None = None) -> Need:
    return Need(section, wanted=True, control=control)


def _merge(*, returns: bool = False) -> Need:
    section = sections.RURAL if returns else sections.CARRIAGEWAY
    return Need(section, wanted=True, control=Control.PRIORITY, layout=Layout.MERGE, returns=returns)


_LIT = _junction(Control.LIGHTS)
_STOPS = _junction(Control.STOP)
_HAS_PRIORITY = _junction(Control.PRIORITY)
_ANY = Need()
_OBSTACLE, _TWO_WAY = Need(sections.OUTER), Need(sections.TWO_WAY)

NEEDS = {
    "Accident": _OBSTACLE,
    "AccidentTwoWays": _TWO_WAY,
    "BadParkingObstacle": _OBSTACLE,
    "BadParkingObstacleTwoWays": _TWO_WAY,
    "BlockedIntersection": _LIT,
    "ConstructionObstacle": _OBSTACLE,
    "ConstructionObstacleOppositeLane": _TWO_WAY,
    "ConstructionObstaclePedestrian": _OBSTACLE,
    "ConstructionObstacleRightLane": Need(sections.INNER),
    "ConstructionObstacleTwoWays": _TWO_WAY,
    "ControlLoss": _ANY,
    "CrossingBicycleFlow": _junction(Control.LIGHTS, sections.CYCLED),
    "CustomObstacle": _OBSTACLE,
    "CustomObstacleTwoWays": _TWO_WAY,
    "DynamicObjectCrossing": Need(sections.PARKING_RIGHT),
    "EnterActorFlow": _STOPS,
    "EnterActorFlowV2": _STOPS,
    "HardBrakeNoLights": _ANY,
    "HardBreakRoute": _ANY,
    "HazardAtSideLane": _OBSTACLE,
    "HazardAtSideLaneTwoWays": _TWO_WAY,
    "HighwayCutIn": _merge(),
    "HighwayExit": _merge(),
    "ImageOnObject": _ANY,
    "InterurbanActorFlow": _merge(),
    "InterurbanAdvancedActorFlow": _merge(returns=True),
    "InvadingTurn": _TWO_WAY,
    "MergerIntoSlowTraffic": _merge(),
    "MergerIntoSlowTrafficV2": _merge(),
    "NonSignalizedJunctionLeftTurn": _STOPS,
    "NonSignalizedJunctionLeftTurnEnterFlow": _STOPS,
    "NonSignalizedJunctionRightTurn": _STOPS,
    "NormalVehicleRunningRedLight": _LIT,
    "NormalVehicleTakingPriority": _HAS_PRIORITY,
    "ObscuredStopSign": _STOPS,
    "OppositeVehicleRunningRedLight": _LIT,
    "OppositeVehicleTakingPriority": _HAS_PRIORITY,
    "ParkedObstacle": _OBSTACLE,
    "ParkedObstacleTwoWays": _TWO_WAY,
    "ParkingCrossingPedestrian": Need(sections.PARKING_RIGHT),
    "ParkingCutIn": Need(sections.PARKING_RIGHT),
    "ParkingExit": Need(sections.PARKING_RIGHT),
    "PedestrianCrossing": _LIT,
    "PedestrianCrowd": _ANY,
    "PedestriansOnRoad": _ANY,
    "PermutedConstructionObstacle": _OBSTACLE,
    "PermutedConstructionObstacleTwoWays": _TWO_WAY,
    "PriorityAtJunction": _LIT,
    "RoadBlocked": _ANY,
    "SequentialLaneChange": _ANY,
    "SignalizedJunctionLeftTurn": _LIT,
    "SignalizedJunctionLeftTurnEnterFlow": _LIT,
    "SignalizedJunctionRightTurn": _LIT,
    "StaticCutIn": Need(sections.INNER),
    "T_Junction": _LIT,
    "VanillaNonSignalizedTurn": _HAS_PRIORITY,
    "VanillaNonSignalizedTurnEncounterStopsign": _STOPS,
    "VanillaSignalizedTurnEncounterGreenLight": _LIT,
    "VanillaSignalizedTurnEncounterRedLight": _LIT,
    "VehicleOpensDoorTwoWays": _TWO_WAY,
    "VehicleTurningRoute": _LIT,
    "VehicleTurningRoutePedestrian": _LIT,
    "YieldToEmergencyVehicle": Need(sections.INNER),
}
"""Scenario type -> need, of Bench2Drive and Fail2Drive; a type that is not here gets a plain street."""

_LEFT_HANDED = {
    "ParkingCutIn": sections.PARKING_LEFT,
    "ParkingExit": sections.PARKING_LEFT,
    "ParkingCrossingPedestrian": sections.PARKING_LEFT,
    "StaticCutIn": sections.OUTER,
}
"""Sections where the scenario's direction is left; an obstacle on the left stands at the edge of a one-way road, since
the classes walk to the left until the lanes end, which across the dividing line they never do."""


def need_of(scenarios: tuple[Scenario, ...]) -> Need:
    """The needs of a route's scenarios together: the first section, the first junction, lights if any wants them."""
    needs = [(scenario, NEEDS[scenario.type]) for scenario in scenarios if scenario.type in NEEDS]
    section = next((_handed(scenario, need.section) for scenario, need in needs if need.section is not None), None)
    junctions = [need for _, need in needs if need.wanted]
    if not junctions:
        return Need(section)
    lit = any(need.control is Control.LIGHTS for need in junctions)
    first = junctions[0]
    return Need(section, True, Control.LIGHTS if lit else first.control, first.layout, first.returns)


def wanting(scenarios: tuple[Scenario, ...]) -> tuple[Scenario, ...]:
    """Those whose type needs a junction ahead of its trigger."""
    return tuple(one for one in scenarios if one.type in NEEDS and NEEDS[one.type].wanted)


def _handed(scenario: Scenario, section: Section) -> Section:
    """The section, or its counterpart where the scenario is set up on the left."""
    if scenario.direction != "left" or section is sections.TWO_WAY:
        return section
    return _LEFT_HANDED.get(scenario.type, sections.EDGE_LEFT)
