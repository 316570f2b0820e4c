"""Thinning out a plan, as ``leaderboard.utils.route_manipulation``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_CHANGES = {"CHANGELANELEFT", "CHANGELANERIGHT"}


def downsample_route(route: Sequence[tuple[Any, Any]], sample_factor: float) -> list[int]:
    """Indices of the points that are kept.

    Rule (leaderboard 2.0): the first and the last, every point of a lane change, every point whose option differs from
    the one before (but just after a lane change), and one after every ``sample_factor`` metres.

    Args:
        route: Transforms and options.
        sample_factor: Metres.
    """
    kept: list[int] = []
    driven_m = 0.0
    for index, (transform, option) in enumerate(route):
        before = route[index - 1][1] if index else None
        turned = before is None or (option != before and before.name not in _CHANGES)
        if turned or option.name in _CHANGES or driven_m > sample_factor or index == len(route) - 1:
            kept.append(index)
            driven_m = 0.0
        else:
            driven_m += transform.location.distance(route[index - 1][0].location)
    return kept
