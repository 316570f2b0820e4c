"""Ways through a junction, sides and conflicts."""

from __future__ import annotations

import itertools
import math

import carla
import pytest

from bestrand_drive.evaluator.route_file import Route
from bestrand_drive.evaluator.scenarios import junctions
from bestrand_drive.evaluator.scenarios.junction import AtJunction
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from tests.evaluator.scenarios.playing import Played, set_up, shipped_routes, shipped_towns


@pytest.fixture(scope="module")
def played() -> list[Played]:
    """One route of each type at a junction."""
    first: dict[str, Route] = {}
    for route in shipped_routes():
        first.setdefault(route.scenarios[0].type, route)
    every = [set_up(route, shipped_towns()) for route in first.values()]
    return [one for one in every if isinstance(one.scenario, AtJunction)]


@pytest.mark.parametrize(
    ("heading", "side"), [(90.0, "left"), (-90.0, "right"), (180.0, "opposite"), (5.0, "own"), (-20.0, "own")]
)
def test_who_comes_from_a_side_heads_to_the_other_one(heading: float, side: str) -> None:
    class Lane:
        transform = carla.Transform(carla.Location(), carla.Rotation(yaw=heading + 30.0))

    assert junctions.comes_from(30.0, junctions.Way(Lane(), Lane())) == side


def test_a_course_has_no_gap_and_passes_the_junction(played: list[Played]) -> None:
    assert len(played) > 5
    for one in played:
        assert isinstance(one.scenario, AtJunction)
        for way in junctions.ways(one.scenario.junction):
            path = junctions.course(way, 30.0, 20.0)
            inside = [waypoint.is_junction for waypoint in path]
            assert any(inside)
            gaps = [
                one.transform.location.distance(other.transform.location) for one, other in itertools.pairwise(path)
            ]
            assert max(gaps) < 2.5


def test_others_paths_meet_the_egos_where_both_are_near(played: list[Played]) -> None:
    compared = 0
    for one in played:
        scenario = one.scenario
        assert isinstance(scenario, AtJunction)
        try:
            path, met, _ = scenario.other_path("opposite", 30.0, 20.0)
        except ScenarioNotPossible:
            continue
        own = scenario.own_path(15.0)
        assert min(met.distance(point.location) for point in own) < 1e-6
        nearest = min(
            math.hypot(place.location.x - point.location.x, place.location.y - point.location.y)
            for place in path
            for point in own
        )
        assert nearest < 2.5
        compared += 1
    assert compared > 5


def test_the_junction_ahead_lies_between_its_two_points(played: list[Played]) -> None:
    for one in played:
        scenario, plan = one.scenario, one.stage.plan
        entry, leaving = junctions.after_junction(plan, scenario.at_m)
        between = [point for point in plan.points if entry.distance_m < point.distance_m < leaving.distance_m]
        assert between
        assert all(point.is_junction for point in between)
        assert not leaving.is_junction


def test_no_junction_ahead_is_said(played: list[Played]) -> None:
    plan = played[0].stage.plan
    with pytest.raises(ScenarioNotPossible, match="no junction ahead"):
        junctions.after_junction(plan, plan.length_m - 1.0)
