"""From events to scores and a status word, by Bench2Drive's rule.

Sources: the leaderboard's and Bench2Drive's statistics: a factor an event, the share outside the lanes taken off, speed
logged only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bestrand_drive.evaluator.criteria.moment import Event, Kind

FACTORS = {
    Kind.PEDESTRIAN: 0.5,
    Kind.VEHICLE: 0.6,
    Kind.LAYOUT: 0.65,
    Kind.RED_LIGHT: 0.7,
    Kind.STOP: 0.8,
    Kind.SCENARIO_TIMEOUT: 0.7,
    Kind.YIELD: 0.7,
}
_ENDS = {
    Kind.ROUTE_TIMEOUT: "Agent timed out",
    Kind.DEVIATION: "Agent deviated from the route",
    Kind.BLOCKED: "Agent got blocked",
}
_DIGITS = 6


@dataclass(frozen=True)
class Score:
    """What a drive is worth.

    Attributes:
        status: As the leaderboard words it.
        completion: Percent.
        penalty: Factor.
        composed: The driving score, 0 to 100.
        infractions: Messages by kind, all kinds.
    """

    status: str
    completion: float
    penalty: float
    composed: float
    infractions: dict[str, list[str]]

    @property
    def count(self) -> int:
        """How many messages there are."""
        return sum(map(len, self.infractions.values()))


def penalty_of(events: Iterable[Event]) -> float:
    """Product of all factors."""
    return math.prod(
        1.0 - event.percent / 100.0 if event.kind is Kind.OUTSIDE else FACTORS.get(event.kind, 1.0) for event in events
    )


def score(events: Sequence[Event], completion: float, failure: str = "") -> Score:
    """Score a drive.

    Args:
        events: All that was found.
        completion: Percent of the route.
        failure: What ended the drive from outside, e.g. ``Agent crashed``; what the events say comes before it.
    """
    infractions: dict[str, list[str]] = {kind.value: [] for kind in Kind}
    for event in events:
        infractions[event.kind.value].append(event.message)
        failure = _ENDS.get(event.kind, failure)
    penalty = penalty_of(events)
    status = _status(completion, failure, clean=not events)
    composed = round(max(completion * penalty, 0.0), _DIGITS)
    return Score(status, round(completion, _DIGITS), round(penalty, _DIGITS), composed, infractions)


def _status(completion: float, failure: str, *, clean: bool) -> str:
    if completion >= 100.0:
        return "Perfect" if clean else "Completed"
    return f"Failed - {failure}" if failure else "Failed"
