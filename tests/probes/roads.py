"""Paths without a simulator: lines of nodes whose lanes say only what they are asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import carla
from probe_driving.path import Path
from probe_driving.surroundings import Thing
from probe_driving.tracing import Node


def lane(*, junction: bool = False, left: Any = None, right: Any = None, number: int = -1) -> Any:
    return SimpleNamespace(
        is_junction=junction,
        lane_width=3.5,
        lane_type=carla.LaneType.Driving,
        lane_id=number,
        get_left_lane=lambda: left,
        get_right_lane=lambda: right,
    )


def path(points: Sequence[tuple[float, float]], lane_at: Callable[[int], Any] = lambda _: lane()) -> Path:
    return Path([Node(x, y, 0.0, lane_at(number)) for number, (x, y) in enumerate(points)])


def straight(length: int = 200, lane_at: Callable[[int], Any] = lambda _: lane()) -> Path:
    """Along x; node k lies 2 k metres from the start."""
    return path([(2.0 * number, 0.0) for number in range(length // 2 + 1)], lane_at)


def circle(radius: float) -> Path:
    """To the right (CARLA's y grows to the right), about three quarters."""
    angles = [number * 1.0 / radius for number in range(int(1.5 * math.pi * radius))]
    return path([(radius * math.sin(angle), radius * (1.0 - math.cos(angle))) for angle in angles])


def thing(kind: str, x: float, y: float, *, vx: float = 0.0, vy: float = 0.0, number: int = 7, **more: Any) -> Thing:
    size = {"vehicle": (2.4, 1.0), "walker": (0.2, 0.2), "static": (0.4, 0.4)}[kind]
    extent = SimpleNamespace(x=size[0], y=size[1])
    actor = SimpleNamespace(
        id=number, type_id=f"{kind}.prop.x", attributes={}, bounding_box=SimpleNamespace(extent=extent)
    )
    made = Thing(actor)
    made.x, made.y, made.vx, made.vy, made.speed = x, y, vx, vy, math.hypot(vx, vy)
    if made.speed:
        made.cos, made.sin = vx / made.speed, vy / made.speed
    for name, value in more.items():
        setattr(made, name, value)
    return made
