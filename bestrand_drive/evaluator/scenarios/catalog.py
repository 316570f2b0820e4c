"""Which class plays which scenario type of the route files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bestrand_drive.evaluator.scenarios import (
    blocked,
    braking,
    control_loss,
    crossing,
    cut_in,
    emergency,
    hazard,
    invading,
    merging,
    obstacles,
    priority,
    turns,
    vanilla,
)
from bestrand_drive.evaluator.scenarios.scenario import Scenario, ScenarioConfig
from bestrand_drive.evaluator.stage import Stage

TYPES: Mapping[str, Callable[[Stage, ScenarioConfig], Scenario]] = {
    "Accident": obstacles.Accident,
    "AccidentTwoWays": obstacles.AccidentTwoWays,
    "BlockedIntersection": blocked.BlockedIntersection,
    "ConstructionObstacle": obstacles.ConstructionObstacle,
    "ConstructionObstacleTwoWays": obstacles.ConstructionObstacleTwoWays,
    "ControlLoss": control_loss.ControlLoss,
    "DynamicObjectCrossing": crossing.DynamicObjectCrossing,
    "EnterActorFlow": merging.EnterActorFlow,
    "EnterActorFlowV2": merging.MergerIntoSlowTraffic,
    "HardBreakRoute": braking.HardBreakRoute,
    "HazardAtSideLane": hazard.HazardAtSideLane,
    "HazardAtSideLaneTwoWays": hazard.HazardAtSideLaneTwoWays,
    "HighwayCutIn": cut_in.HighwayCutIn,
    "HighwayExit": merging.HighwayExit,
    "InterurbanActorFlow": merging.InterurbanActorFlow,
    "InterurbanAdvancedActorFlow": merging.InterurbanActorFlow,
    "InvadingTurn": invading.InvadingTurn,
    "MergerIntoSlowTraffic": merging.MergerIntoSlowTraffic,
    "MergerIntoSlowTrafficV2": merging.MergerIntoSlowTraffic,
    "NonSignalizedJunctionLeftTurn": turns.NonSignalizedJunctionLeftTurn,
    "NonSignalizedJunctionLeftTurnEnterFlow": turns.NonSignalizedJunctionLeftTurn,
    "NonSignalizedJunctionRightTurn": turns.NonSignalizedJunctionRightTurn,
    "OppositeVehicleRunningRedLight": priority.OppositeVehicleRunningRedLight,
    "OppositeVehicleTakingPriority": priority.OppositeVehicleTakingPriority,
    "ParkedObstacle": obstacles.ParkedObstacle,
    "ParkedObstacleTwoWays": obstacles.ParkedObstacleTwoWays,
    "ParkingCrossingPedestrian": crossing.ParkingCrossingPedestrian,
    "ParkingCutIn": cut_in.ParkingCutIn,
    "PedestrianCrossing": crossing.PedestrianCrossing,
    "SequentialLaneChange": vanilla.SequentialLaneChange,
    "SignalizedJunctionLeftTurn": turns.SignalizedJunctionLeftTurn,
    "SignalizedJunctionLeftTurnEnterFlow": turns.SignalizedJunctionLeftTurn,
    "SignalizedJunctionRightTurn": turns.SignalizedJunctionRightTurn,
    "StaticCutIn": cut_in.StaticCutIn,
    "T_Junction": vanilla.TJunction,
    "VanillaNonSignalizedTurn": vanilla.VanillaNonSignalizedTurn,
    "VanillaNonSignalizedTurnEncounterStopsign": vanilla.VanillaNonSignalizedTurnEncounterStopsign,
    "VanillaSignalizedTurnEncounterGreenLight": vanilla.VanillaSignalizedTurnEncounterGreenLight,
    "VanillaSignalizedTurnEncounterRedLight": vanilla.VanillaSignalizedTurnEncounterRedLight,
    "VehicleTurningRoute": crossing.VehicleTurningRoute,
    "VehicleTurningRoutePedestrian": crossing.VehicleTurningRoutePedestrian,
    "YieldToEmergencyVehicle": emergency.YieldToEmergencyVehicle,
}
"""Type -> what makes it; routes with another type are refused (``benchmarks.builtin_limits`` lists these names too)."""
