"""Junctions that a scenario type needs and the route does not show lie ahead of its trigger, wherever that is."""

import math
from itertools import pairwise
from typing import Any

import pytest

from bestrand_drive.headless.roads.request import Place, Route, Scenario
from tests.headless.roads.driving_map import at, leads_to, off, town_of

KINDS = ("PedestrianCrossing", "NonSignalizedJunctionRightTurn", "OppositeVehicleTakingPriority", "HighwayExit")


def straight(end: int, gap: range = range(0)) -> tuple[Place, ...]:
    """A place every 2 m to the east, but in a gap."""
    return tuple((float(x), 0.0, 0.0) for x in range(0, end, 2) if x not in gap)


def bend() -> tuple[Place, ...]:
    """A curve of 60 m radius to the right, rounded as route files are."""
    return tuple((round(60 * math.sin(s / 60), 1), round(60 * (1 - math.cos(s / 60)), 1), 0.0) for s in range(0, 90, 2))


def with_trigger(places: tuple[Place, ...], *triggers: tuple[str, Place, float]) -> Route:
    return Route("1", "Town12", places, tuple(Scenario(kind, place, yaw) for kind, place, yaw in triggers))


def eastward(places: tuple[Place, ...], kind: str, x: float) -> Route:
    return with_trigger(places, (kind, (x, 0.0, 0.0), 0.0))


def metres_to_junction(town: Any, place: Place) -> float:
    """How far ahead of a place on its lane the next junction begins; infinite where none does."""
    lane, gone = at(town, place), 0.0
    while not lane.is_junction:
        onward = lane.next(0.5)
        if not onward:
            return math.inf
        lane, gone = onward[0], gone + 0.5
    return gone


def junctions(town: Any) -> set[int]:
    return {start.junction_id for start, _ in town.get_topology() if start.is_junction}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("x", [0, 20, 70, 80, 84, 86, 90, 100, 110, 117, 121, 127])
def test_on_a_route_without_a_gap_it_lies_within_forty_metres_of_any_trigger(kind: str, x: int) -> None:
    town = town_of(eastward(straight(120), kind, x))
    assert metres_to_junction(town, (x, 0.0, 0.0)) <= 40.5
    assert len(junctions(town)) == 1
    places = [place for place in straight(120) if not at(town, place).is_junction]
    assert max(off(at(town, place), place) for place in places) <= 0.1
    assert len(places) >= 60 - 15  # the rest lies in the junction
    for here, there in pairwise([places[0], places[-1]]):
        assert leads_to(at(town, here), at(town, there))


def test_behind_the_end_of_a_bend_it_lies_straight_on() -> None:
    places = bend()
    town = town_of(with_trigger(places, ("PedestrianCrossing", places[-4], 80.0)))
    assert metres_to_junction(town, places[-4]) <= 40.5
    assert max(off(at(town, place), place) for place in places) <= 0.15


@pytest.mark.parametrize("kind", KINDS)
def test_a_gap_that_lies_before_the_trigger_is_not_its_junction(kind: str) -> None:
    town = town_of(eastward(straight(300, range(21, 40)), kind, 100))
    assert metres_to_junction(town, (100.0, 0.0, 0.0)) <= 40.5
    assert len(junctions(town)) == 2


@pytest.mark.parametrize("x", [0, 10, 20, 24, 29, 39])
def test_a_gap_that_follows_the_trigger_or_holds_it_is_its_junction(x: int) -> None:
    town = town_of(eastward(straight(300, range(21, 40)), "PedestrianCrossing", x))
    assert len(junctions(town)) == 1
    assert metres_to_junction(town, (x, 0.0, 0.0)) <= 22.0


def test_each_scenario_that_needs_one_has_its_own() -> None:
    triggers = [("ControlLoss", 10.0), ("PedestrianCrossing", 100.0), ("HardBreakRoute", 250.0), ("T_Junction", 395.0)]
    route = with_trigger(straight(400, range(21, 40)), *((kind, (x, 0.0, 0.0), 0.0) for kind, x in triggers))
    town = town_of(route)
    assert len(junctions(town)) == 3
    assert max(metres_to_junction(town, (x, 0.0, 0.0)) for x in (100.0, 395.0)) <= 40.5


def test_a_type_that_needs_none_gets_none() -> None:
    assert junctions(town_of(eastward(straight(120), "ControlLoss", 100))) == set()


def test_traffic_of_a_scenario_goes_by_the_junction_ahead_of_its_trigger() -> None:
    places = straight(400, range(21, 40))
    places = tuple(place for place in places if not 150 < place[0] < 180)
    exits = {"start_actor_flow": (100.0, 3.5, 0.0), "end_actor_flow": (230.0, 30.0, 0.0)}
    route = Route("1", "Town12", places, (Scenario("HighwayExit", (100.0, 0.0, 0.0), 0.0, "", exits),))
    town = town_of(route)
    assert leads_to(at(town, exits["start_actor_flow"]), at(town, exits["end_actor_flow"]))
