"""What a route file says of a scenario beyond numbers and words: sides, intervals, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import carla

from bestrand_drive.evaluator.scenarios.scenario import ScenarioNotPossible

if TYPE_CHECKING:
    from bestrand_drive.evaluator.scenarios.scenario import ScenarioConfig

KMH = 1 / 3.6
"""Metres a second in one kilometre an hour."""


def interval(config: ScenarioConfig, tag: str, default: tuple[float, float]) -> tuple[float, float]:
    """``<tag from="..." to="..."/>`` in ascending order, or its default; a single ``value`` is both ends."""
    only = config.number(tag, default[0]), config.number(tag, default[1])
    low, high = config.number(tag, only[0], "from"), config.number(tag, only[1], "to")
    return min(low, high), max(low, high)


def place(config: ScenarioConfig, tag: str) -> carla.Location:
    """``<tag x="..." y="..." z="..."/>`` in metres of CARLA's axes.

    Raises:
        ScenarioNotPossible: It is missing.
    """
    if tag not in config.parameters:
        raise ScenarioNotPossible(f"{tag} is missing")
    return carla.Location(*(config.number(tag, 0.0, axis) for axis in "xyz"))


def side(config: ScenarioConfig) -> str:
    """``direction``: the side of the road, right unless said.

    Raises:
        ScenarioNotPossible: It is neither left nor right.
    """
    given = config.text("direction", "right")
    if given not in ("left", "right"):
        raise ScenarioNotPossible(f"direction must be left or right, not {given}")
    return given
