"""Ways between two places of a town."""

from __future__ import annotations

import itertools

import pytest

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.merging import trace
from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible
from tests.evaluator.scenarios.playing import road_map, shipped_routes, shipped_towns


def test_a_trace_follows_lanes_to_the_end_of_the_stream() -> None:
    with_streams = [route for route in shipped_routes() if "start_actor_flow" in route.scenarios[0].parameters]
    assert len({route.scenarios[0].type for route in with_streams}) >= 3
    for route in with_streams:
        town, config = road_map(shipped_towns() / f"{route.town}.xodr"), route.scenarios[0]
        start = town.get_waypoint(parameters.place(config, "start_actor_flow"))
        goal = town.get_waypoint(parameters.place(config, "end_actor_flow")).transform.location
        path = trace(start, goal)
        assert path[0].transform.location.distance(start.transform.location) < 1e-3
        assert path[-1].transform.location.distance(goal) < 5.0
        for before, after in itertools.pairwise(path):
            successors = [following.transform.location for following in before.next(2.0)]
            assert min(one.distance(after.transform.location) for one in successors) < 1e-2


def test_where_no_lane_leads_is_said() -> None:
    route = next(route for route in shipped_routes() if route.town == "BestrandHighway")
    town = road_map(shipped_towns() / "BestrandHighway.xodr")
    start = town.get_waypoint(route.scenarios[0].trigger.location)
    away = start.transform.location + start.transform.get_right_vector() * 5000.0
    with pytest.raises(ScenarioNotPossible, match="no lane leads"):
        trace(start, away)
