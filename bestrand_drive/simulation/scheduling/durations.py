"""How long routes are expected to take, by earlier results of other policies, else by their length.

Only the order is used, which a common factor does not change: seconds are those of the earlier policies, not scaled to
the one that is to be run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bestrand_drive.benchmarks.route_scan import RouteElement

OWN_SHARE = 0.7
"""What a route's own durations weigh; its scenario type's mean has the rest (docs/scheduling.md)."""


@dataclass(frozen=True)
class Durations:
    """What is expected of each route.

    Attributes:
        expected: Route id -> seconds, or metres where nothing better is known.
        unit: Which of them.
        source: By what, in words.
        known: Routes with an earlier duration; the others go by their length.
    """

    expected: Mapping[str, float]
    unit: Literal["s", "m"]
    source: str
    known: int

    @property
    def said(self) -> str:
        """The order and its reason, a sentence for people."""
        if not self.known:
            return f"order: longest route first, by {self.source}"
        rest = len(self.expected) - self.known
        others = f"; {rest} without one by their length" if rest else ""
        return f"order: longest expected route first, by {self.source}{others}"


def expect(routes: Mapping[str, RouteElement], earlier: Sequence[Mapping[str, float]], source: str) -> Durations:
    """What to expect of routes.

    A route's mean over the earlier policies is drawn towards the mean of its scenario type. A policy's gaps are filled
    by what the others took there, at its own level. A route that nobody drove is given its length at its type's pace,
    or at everybody's.

    Args:
        routes: By id.
        earlier: Of each earlier policy, route id -> seconds, positive; of other routes, too.
        source: Where they are from.
    """
    columns = [{name: column[name] for name in routes if name in column} for column in earlier]
    means = _means([column for column in columns if column])
    if not means:
        return Durations({name: one.length_m for name, one in routes.items()}, "m", "route length", 0)
    types = {name: one.scenario_types[0] if one.scenario_types else "" for name, one in routes.items()}
    of_type = _means_by(types, means)
    everywhere = _pace(routes, means)
    paces = {
        kind: _pace(routes, {name: seconds for name, seconds in means.items() if types[name] == kind})
        for kind in of_type
    }
    expected = {
        name: OWN_SHARE * means[name] + (1 - OWN_SHARE) * of_type[types[name]]
        if name in means
        else routes[name].length_m * (paces.get(types[name]) or everywhere)
        for name in routes
    }
    return Durations(expected, "s", source, len(means))


def _means(columns: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean seconds of every route that somebody drove, over policies whose gaps are filled."""
    levels = [math.fsum(column.values()) / len(column) for column in columns]
    relative: dict[str, list[float]] = defaultdict(list)
    for column, level in zip(columns, levels, strict=True):
        for name, seconds in column.items():
            relative[name].append(seconds / level)
    typical = {name: math.fsum(shares) / len(shares) for name, shares in relative.items()}
    filled = {
        name: [column.get(name, share * level) for column, level in zip(columns, levels, strict=True)]
        for name, share in typical.items()
    }
    return {name: math.fsum(seconds) / len(seconds) for name, seconds in filled.items()}


def _means_by(types: Mapping[str, str], means: Mapping[str, float]) -> dict[str, float]:
    """Mean seconds of the known routes of each scenario type."""
    held: dict[str, list[float]] = defaultdict(list)
    for name, seconds in means.items():
        held[types[name]].append(seconds)
    return {kind: math.fsum(seconds) / len(seconds) for kind, seconds in held.items()}


def _pace(routes: Mapping[str, RouteElement], means: Mapping[str, float]) -> float:
    """Seconds a metre; 0 where there is neither."""
    length = math.fsum(routes[name].length_m for name in means)
    return math.fsum(means.values()) / length if length else 0.0
