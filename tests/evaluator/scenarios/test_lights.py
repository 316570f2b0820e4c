"""A junction's lights held and given back."""

from __future__ import annotations

from typing import Any, cast

import carla
import pytest

from bestrand_drive.evaluator.scenarios.junction import AtJunction
from bestrand_drive.evaluator.scenarios.lights import Lights
from tests.evaluator.scenarios.playing import Played, set_up, shipped_routes, shipped_towns

GREEN, RED = carla.TrafficLightState.Green, carla.TrafficLightState.Red


@pytest.fixture
def played() -> Played:
    route = next(one for one in shipped_routes() if one.scenarios[0].type == "SignalizedJunctionLeftTurn")
    return set_up(route, shipped_towns())


def test_the_egos_light_stands_where_its_lane_enters(played: Played) -> None:
    scenario = played.scenario
    assert isinstance(scenario, AtJunction)
    stops = {light.id: light.stop for light in played.stage.world.lights[scenario.junction.id]}
    own = stops[scenario.own_light()]
    assert (own.road_id, own.lane_id) == (scenario.entry.road_id, scenario.entry.lane_id)


def test_held_lights_stay_and_are_given_back_as_they_were(played: Played) -> None:
    scenario = played.scenario
    assert isinstance(scenario, AtJunction)
    toys = played.stage.world.lights[scenario.junction.id]
    toys[0].state, toys[0].times = GREEN, [7.0, 2.0, 1.0]
    before = [(light.state, list(light.times)) for light in toys]
    lights = Lights(cast("Any", played.stage.world), scenario.junction)
    lights.hold_green(toys[1].id)
    assert [light.state for light in toys] == [GREEN if light is toys[1] else RED for light in toys]
    assert all(min(light.times) > 1000.0 for light in toys)
    lights.hold_green()
    assert {str(light.state) for light in toys} == {"Red"}
    lights.give_back()
    assert [(light.state, light.times) for light in toys] == before
