"""Which evaluator wrote a result file: re-derive ``score_penalty`` from the infraction messages under each rule.

Rules (the evaluators' statistics managers), for n events of a kind and speed checkpoints of v % below 100:

* ``leaderboard-1.0``: prod factor^n * prod(1 - outside)
* ``leaderboard-2.0`` (Fail2Drive): the same with timeouts and yielding, times prod(1 - 0.3 (1 - v/100))
* ``bench2drive``: as ``leaderboard-2.0`` without the speed term
* ``leaderboard-2.1``: prod(1 - outside) / (1 + sum n * coefficient + 0.4 sum(1 - v/100))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bestrand_drive.benchmarks.record_parsing import LANES_KIND, SPEED_KIND, RouteRecord, percentages
from bestrand_drive.benchmarks.records import PolicyResults

TOLERANCE = 2e-3
COMPOSED_TOLERANCE = 0.05
"""Driving-score points; scores are written rounded."""
TOLERATED_SHARE = 0.05
DECLARED_RULES = {"bench2drive": "bench2drive", "fail2drive": "leaderboard-2.0", "builtin": "bench2drive"}

_BASIC = {
    "collisions_pedestrian": 0.5,
    "collisions_vehicle": 0.6,
    "collisions_layout": 0.65,
    "red_light": 0.7,
    "stop_infraction": 0.8,
}
_FACTORS = _BASIC | {"scenario_timeouts": 0.7, "yield_emergency_vehicle_infractions": 0.7}
_COEFFICIENTS = {
    "collisions_pedestrian": 1.0,
    "collisions_vehicle": 0.7,
    "collisions_layout": 0.6,
    "red_light": 0.4,
    "stop_infraction": 0.25,
    "scenario_timeouts": 0.4,
    "yield_emergency_vehicle_infractions": 0.4,
}
_SPEED_WEIGHT_20 = 0.3
_SPEED_WEIGHT_21 = 0.4


@dataclass(frozen=True)
class RuleMatch:
    """How many records were checked under one rule, and how many agree within 2e-3."""

    checked: int
    matching: int

    @property
    def share(self) -> float:
        """Share of agreeing records, 0 to 1; 1 when none was checked."""
        return self.matching / self.checked if self.checked else 1.0


@dataclass(frozen=True)
class EvaluatorMatch:
    """Agreement of some records with every known rule.

    Attributes:
        rules: Rule -> agreement.
        best: The rule that most records agree with; the first of ``RULES`` among equals.
    """

    rules: Mapping[str, RuleMatch]
    best: str


def _inside_lanes(record: RouteRecord) -> float:
    return math.prod(1.0 - percent / 100.0 for percent in percentages(record, LANES_KIND))


def _slowness(record: RouteRecord) -> list[float]:
    """How far each speed checkpoint lies below the traffic's speed, as a share; faster ones are left out."""
    speeds = percentages(record, SPEED_KIND)
    return [1.0 - percent / 100.0 for percent in speeds if percent < 100.0]


def _product(record: RouteRecord, factors: Mapping[str, float]) -> float:
    events = math.prod(factor ** len(record.infractions.get(kind, ())) for kind, factor in factors.items())
    return events * _inside_lanes(record)


def _leaderboard_10(record: RouteRecord) -> float:
    return _product(record, _BASIC)


def _bench2drive(record: RouteRecord) -> float:
    return _product(record, _FACTORS)


def _leaderboard_20(record: RouteRecord) -> float:
    return _product(record, _FACTORS) * math.prod(1.0 - _SPEED_WEIGHT_20 * slow for slow in _slowness(record))


def _leaderboard_21(record: RouteRecord) -> float:
    events = sum(weight * len(record.infractions.get(kind, ())) for kind, weight in _COEFFICIENTS.items())
    return _inside_lanes(record) / (1.0 + events + _SPEED_WEIGHT_21 * sum(_slowness(record)))


RULES: Mapping[str, Callable[[RouteRecord], float]] = {
    "bench2drive": _bench2drive,
    "leaderboard-2.0": _leaderboard_20,
    "leaderboard-2.1": _leaderboard_21,
    "leaderboard-1.0": _leaderboard_10,
}


def identify_evaluator(records: Iterable[RouteRecord]) -> EvaluatorMatch:
    """Agreement of the written penalties with each rule; records without a score are left out."""
    scored = [record for record in records if math.isfinite(record.penalty)]
    rules = {
        name: RuleMatch(len(scored), sum(abs(rule(record) - record.penalty) <= TOLERANCE for record in scored))
        for name, rule in RULES.items()
    }
    return EvaluatorMatch(rules, max(rules, key=lambda name: rules[name].matching))


def check_evaluator(results: PolicyResults, declared: str) -> str | None:
    """Say whether the results were written by the declared benchmark's evaluator.

    Only records on which the declared rule and another one differ can tell; at most 5 % of them, and of all
    records, may disagree.

    Args:
        results: The policy's records.
        declared: ``bench2drive``, ``fail2drive`` or ``builtin``.

    Returns:
        None when they agree or nothing can tell, else the whole error message.
    """
    rule = RULES[DECLARED_RULES[declared]]
    scored = [record for record in results.records if math.isfinite(record.penalty)]
    inconsistent = [record for record in scored if abs(_composed(record) - record.driving_score) > COMPOSED_TOLERANCE]
    if len(inconsistent) > TOLERATED_SHARE * len(scored):
        record = inconsistent[0]
        return (
            f"{results.name} ({results.path}): in {len(inconsistent)} of {len(scored)} records the driving score is "
            f"not completion x penalty, first route {record.route_id} ({record.source}): {record.driving_score:g} "
            f"instead of {_composed(record):g}. The file was edited or is another evaluator's; "
            "--allow-evaluator-mismatch takes it."
        )
    telling = [record for record in scored if _tells(record, rule(record))]
    wrong = [record for record in scored if abs(rule(record) - record.penalty) > TOLERANCE]
    wrong_telling = [record for record in telling if abs(rule(record) - record.penalty) > TOLERANCE]
    if len(wrong_telling) <= TOLERATED_SHARE * len(telling) and len(wrong) <= TOLERATED_SHARE * len(scored):
        return None
    example = (wrong_telling or wrong)[0]
    match = identify_evaluator(telling if wrong_telling else scored)
    best = match.rules[match.best]
    fits = (
        "" if match.best == DECLARED_RULES[declared] else f" and {best.matching} ({best.share:.0%}) follow {match.best}"
    )
    return (
        f"{results.name} ({results.path}): the penalties are not those of {declared}'s evaluator. Of {best.checked} "
        f"records only {match.rules[DECLARED_RULES[declared]].matching} follow its rule{fits}. Example: route "
        f"{example.route_id} ({example.source}) has penalty {example.penalty:g}, the rule gives {rule(example):g}. "
        "Run the policy with the right evaluator, or pass --allow-evaluator-mismatch."
    )


def _composed(record: RouteRecord) -> float:
    """The driving score that completion and penalty make."""
    return record.route_completion * record.penalty


def _tells(record: RouteRecord, declared_penalty: float) -> bool:
    return any(abs(other(record) - declared_penalty) > TOLERANCE for other in RULES.values())
