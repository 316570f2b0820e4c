"""Parameters as route files give them."""

from __future__ import annotations

import carla
import pytest

from bestrand_drive.evaluator.scenarios import parameters
from bestrand_drive.evaluator.scenarios.scenario import ScenarioConfig, ScenarioNotPossible


def config(**tags: dict[str, str]) -> ScenarioConfig:
    return ScenarioConfig("one", "Some", carla.Transform(), tags)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (20.0, 50.0)),
        ({"gap": {"from": "25", "to": "40"}}, (25.0, 40.0)),
        ({"gap": {"from": "40", "to": "25"}}, (25.0, 40.0)),
        ({"gap": {"value": "30"}}, (30.0, 30.0)),
    ],
)
def test_an_interval_is_in_order_or_the_default(
    given: dict[str, dict[str, str]], expected: tuple[float, float]
) -> None:
    assert parameters.interval(config(**given), "gap", (20.0, 50.0)) == expected


def test_a_place_needs_to_be_there() -> None:
    found = parameters.place(config(start={"x": "1.5", "y": "-2", "z": "3"}), "start")
    assert found == carla.Location(1.5, -2.0, 3.0)
    with pytest.raises(ScenarioNotPossible, match="start is missing"):
        parameters.place(config(), "start")


def test_a_side_is_right_unless_said_and_nothing_else() -> None:
    assert parameters.side(config()) == "right"
    assert parameters.side(config(direction={"value": "left"})) == "left"
    with pytest.raises(ScenarioNotPossible, match="not up"):
        parameters.side(config(direction={"value": "up"}))
