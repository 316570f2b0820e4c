"""What a route is before it is written, and how its scenario's numbers are drawn."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from towns.paths import Change, Spot

Parameters = dict[str, dict[str, str]]
"""Child element of the scenario -> attributes."""
Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Draft:
    """One route with one scenario.

    Attributes:
        town: Its name.
        type: Of the scenario, as CARLA names it.
        start: First spot.
        length: Metres.
        trigger: Where the scenario begins, metres along the route.
        parameters: Of the scenario.
        turns: At each fork.
        changes: Of lane.
    """

    town: str
    type: str
    start: Spot
    length: float
    trigger: float
    parameters: Parameters = field(default_factory=dict)
    turns: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


def draw(kind: str, number: int, ranges: Ranges) -> Parameters:
    """Whole numbers from ranges, the same for the same type and number; offsets have two digits after the point."""
    rng = random.Random(f"{kind}/{number}")
    found = {}
    for name, (low, high) in ranges.items():
        value = rng.uniform(low, high)
        found[name] = {"value": f"{value:.2f}" if high < 1 else f"{value:.0f}"}
    return found


def interval(kind: str, number: int, name: str, low: tuple[int, int], high: tuple[int, int]) -> Parameters:
    """A pair from-to, the same for the same type and number."""
    rng = random.Random(f"{kind}/{number}/{name}")
    return {name: {"from": str(rng.randint(*low)), "to": str(rng.randint(*high))}}


def place(name: str, where: Spot) -> Parameters:
    """A location, CARLA's axes."""
    pose = where.pose
    return {name: {"x": f"{pose.x:.2f}", "y": f"{-pose.y:.2f}", "z": "0.0"}}
