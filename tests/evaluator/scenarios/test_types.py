"""Each type on our own routes: who does not look meets somebody, who looks does not, and nothing of it stays."""

from __future__ import annotations

import pytest

from bestrand_drive.evaluator.route_file import Route
from bestrand_drive.evaluator.scenarios.catalog import TYPES
from tests.evaluator.scenarios.playing import blind, careful, play, set_up, shipped_routes, shipped_towns

MEET = {
    "Accident": "vehicle.",
    "BlockedIntersection": "vehicle.",
    "ConstructionObstacle": "static.prop.trafficwarning",
    "ConstructionObstacleTwoWays": "static.prop.trafficwarning",
    "DynamicObjectCrossing": "walker.",
    "HardBreakRoute": "vehicle.",
    "HazardAtSideLane": "vehicle.",
    "HighwayCutIn": "vehicle.",
    "OppositeVehicleRunningRedLight": "vehicle.",
    "OppositeVehicleTakingPriority": "vehicle.",
    "ParkedObstacle": "vehicle.",
    "ParkedObstacleTwoWays": "vehicle.",
    "ParkingCrossingPedestrian": "walker.",
    "ParkingCutIn": "vehicle.",
    "PedestrianCrossing": "walker.",
    "StaticCutIn": "vehicle.",
    "VehicleTurningRoute": "vehicle.diamondback.century",
    "VehicleTurningRoutePedestrian": "walker.",
}
"""Type -> what a driver who keeps one speed runs into."""
WAITING_HELPS = [
    "BlockedIntersection",
    "DynamicObjectCrossing",
    "HardBreakRoute",
    "HighwayCutIn",
    "OppositeVehicleRunningRedLight",
    "ParkingCrossingPedestrian",
    "ParkingCutIn",
    "PedestrianCrossing",
    "StaticCutIn",
    "VehicleTurningRoute",
    "VehicleTurningRoutePedestrian",
]
"""Types that a driver passes who stays on its lane and brakes in time."""


UNTIMED = {
    *("ControlLoss", "DynamicObjectCrossing", "HardBreakRoute", "HighwayCutIn", "OppositeVehicleRunningRedLight"),
    *("OppositeVehicleTakingPriority", "ParkingCrossingPedestrian", "ParkingCutIn", "PedestrianCrossing"),
    *("StaticCutIn", "VanillaNonSignalizedTurn", "VanillaNonSignalizedTurnEncounterStopsign"),
    *("VanillaSignalizedTurnEncounterGreenLight", "VanillaSignalizedTurnEncounterRedLight", "VehicleTurningRoute"),
    *("VehicleTurningRoutePedestrian", "YieldToEmergencyVehicle"),
}
"""Types whose classes in Bench2Drive's scenario_runner have no ``ScenarioTimeout``, which would stop the clock that
tells who is blocked."""


def of_type(scenario_type: str) -> list[Route]:
    """Our routes of a type."""
    return [route for route in shipped_routes() if route.scenarios[0].type == scenario_type]


def test_every_type_of_our_routes_is_known_and_has_routes() -> None:
    types = {route.scenarios[0].type for route in shipped_routes()}
    assert types <= set(TYPES)
    assert set(MEET) | set(WAITING_HELPS) <= types


@pytest.mark.parametrize("scenario_type", sorted(MEET))
def test_who_does_not_look_meets_somebody_on_every_route(scenario_type: str) -> None:
    missed = [
        route.id
        for route in of_type(scenario_type)
        if not any(name.startswith(MEET[scenario_type]) for name in play(route, shipped_towns(), blind).hits)
    ]
    assert missed == []


@pytest.mark.parametrize("scenario_type", WAITING_HELPS)
def test_who_brakes_in_time_arrives_unharmed(scenario_type: str) -> None:
    for route in of_type(scenario_type):
        played = play(route, shipped_towns(), careful)
        assert (played.hits, played.arrived) == (set(), True), route.id


@pytest.mark.parametrize("scenario_type", sorted({route.scenarios[0].type for route in shipped_routes()}))
def test_the_same_seed_plays_the_same(scenario_type: str) -> None:
    route = of_type(scenario_type)[0]
    one, again = (play(route, shipped_towns(), blind, seed=3) for _ in range(2))
    assert one.trace == again.trace
    assert one.hits == again.hits


def test_the_seed_matters() -> None:
    route = of_type("PedestrianCrossing")[0]
    traces = [play(route, shipped_towns(), blind, seed=seed).trace for seed in range(4)]
    assert len({str(trace) for trace in traces}) > 1


@pytest.mark.parametrize("scenario_type", sorted({route.scenarios[0].type for route in shipped_routes()}))
def test_what_is_over_or_took_too_long_leaves_nothing(scenario_type: str) -> None:
    played = play(of_type(scenario_type)[0], shipped_towns(), blind)
    if not played.scenario.finished:
        played.scenario.end(timed_out=True)
    assert list(played.stage.actors.values()) == [played.stage.ego]
    assert all(light.times == [10.0, 3.0, 2.0] for lights in played.stage.world.lights.values() for light in lights)


def test_every_one_of_our_routes_can_be_set_up_and_starts() -> None:
    for route in shipped_routes():
        played = set_up(route, shipped_towns())
        played.stage.ego_to(max(played.scenario.at_m - played.scenario.trigger_distance_m, 0.0), 8.0)
        played.scenario.start()
        assert not played.scenario.finished, route.id


@pytest.mark.parametrize("scenario_type", sorted(TYPES))
def test_which_scenarios_stop_the_clock_that_tells_who_is_blocked(scenario_type: str) -> None:
    timeout_s = TYPES[scenario_type].timeout_s  # type: ignore[attr-defined]
    assert timeout_s == (None if scenario_type in UNTIMED else 240.0)
