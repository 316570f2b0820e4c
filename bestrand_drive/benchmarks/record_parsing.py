"""One record of a result file, checked field by field and turned into a ``RouteRecord``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bestrand_drive.benchmarks.outcomes import Outcome, classify
from bestrand_drive.benchmarks.strict_json import JsonObject
from bestrand_drive.errors import DataRefused

_SCORES = (("score_route", 100.0), ("score_penalty", 1.0), ("score_composed", 100.0))
SPEED_KIND = "min_speed_infractions"
LANES_KIND = "outside_route_lanes"
_PERCENT = re.compile(r"\b([0-9]+(?:\.[0-9]+)?)%")


@dataclass(frozen=True)
class RouteRecord:
    """What one policy did on one route, once.

    Attributes:
        route_id: The route's id, digits without leading zeros.
        repeat: Label of the repeat, "0" when there is only one.
        status: As the evaluator wrote it.
        outcome: Whose result it is.
        reason: Why it is missing; "" when it is scored.
        route_completion: Percent, 0 to 100; NaN only when the outcome is infrastructure.
        penalty: Factor, 0 to 1; NaN likewise.
        driving_score: 0 to 100; NaN likewise.
        infractions: Messages per kind.
        duration_system_s: Wall time of the drive, NaN when not recorded.
        duration_game_s: Simulated time, NaN when not recorded.
        route_length_m: NaN when not recorded.
        save_name: Folder name the agent saved under, "" when not recorded.
        scenario_name: As recorded by Bench2Drive, else "".
        source: File under the results root, "#", index in that file.
    """

    route_id: str
    repeat: str
    status: str
    outcome: Outcome
    reason: str
    route_completion: float
    penalty: float
    driving_score: float
    infractions: Mapping[str, tuple[str, ...]]
    duration_system_s: float
    duration_game_s: float
    route_length_m: float
    save_name: str
    scenario_name: str
    source: str


def parse_record(raw: JsonObject, *, route_id: str, repeat: str, source: str, where: str) -> RouteRecord:
    """Check one record.

    Args:
        raw: The JSON object.
        route_id: Id of the route it belongs to.
        repeat: Label of the repeat.
        source: File and index, kept with the record.
        where: The same with the full path, for messages.

    Raises:
        DataRefused: A required key is missing or a value has a wrong type or range.
    """
    status = _text(raw, "status", where)
    outcome, reason = classify(status)
    scores = {key: _score(_member(raw, "scores", where), key, high, where) for key, high in _SCORES}
    if outcome is not Outcome.INFRASTRUCTURE and not all(map(math.isfinite, scores.values())):
        outcome, reason = Outcome.INFRASTRUCTURE, "the score is not a number"
    if outcome is Outcome.INFRASTRUCTURE:
        scores = dict.fromkeys(scores, math.nan)
    meta = _member(raw, "meta", where) if "meta" in raw else {}
    return RouteRecord(
        route_id,
        repeat,
        status,
        outcome,
        reason,
        scores["score_route"],
        scores["score_penalty"],
        scores["score_composed"],
        _infractions(raw, where),
        _number(meta, "duration_system", where),
        _number(meta, "duration_game", where),
        _number(meta, "route_length", where),
        _text(raw, "save_name", where, required=False),
        _text(raw, "scenario_name", where, required=False),
        source,
    )


def skipped_scenarios(raw: JsonObject) -> tuple[str, ...]:
    """Scenarios that did not take place, ``NAME: REASON`` each; only the built-in evaluator writes them down."""
    meta = raw.get("meta")
    said = meta.get("skipped_scenarios") if isinstance(meta, dict) else None
    return tuple(map(str, said)) if isinstance(said, list) else ()


def percentages(record: RouteRecord, kind: str) -> list[float]:
    """The first percentage in each message of a kind; messages without one are left out."""
    found = (_PERCENT.search(message) for message in record.infractions.get(kind, ()))
    return [float(match[1]) for match in found if match]


def looks_fallen_through(record: RouteRecord) -> bool:
    """Whether the car seems to have fallen through the map (Bench2Drive #203): complete, yet all outside its lanes."""
    return record.route_completion >= 100.0 and any(share >= 99.5 for share in percentages(record, LANES_KIND))


def record_id(raw: JsonObject, where: str) -> str:
    """The record's own ``route_id``.

    Raises:
        DataRefused: It is missing or not a text.
    """
    return _text(raw, "route_id", where)


def _text(raw: JsonObject, key: str, where: str, *, required: bool = True) -> str:
    value = raw.get(key, None if required else "")
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        raise DataRefused(f"{where}: {key!r} is missing or not a text. The file is damaged or not an evaluator's.")
    return value


def _member(raw: JsonObject, key: str, where: str) -> JsonObject:
    value = raw.get(key)
    if not isinstance(value, dict):
        raise DataRefused(f"{where}: {key!r} is missing or not an object. The file is damaged or not an evaluator's.")
    return value


def _number(holder: JsonObject, key: str, where: str) -> float:
    """A number that may be absent; NaN when absent, null, or not finite."""
    value = holder.get(key)
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataRefused(f"{where}: {key!r} is not a number. The file is damaged or not an evaluator's.")
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _score(scores: JsonObject, key: str, high: float, where: str) -> float:
    if key not in scores:
        raise DataRefused(f"{where}: {key!r} is missing. The file is damaged or not an evaluator's.")
    value = _number(scores, key, where)
    if not (math.isnan(value) or -1e-6 <= value <= high + 1e-6):
        raise DataRefused(f"{where}: {key!r} is {value:g}, outside 0 to {high:g}. The file is damaged.")
    return value


def _infractions(raw: JsonObject, where: str) -> dict[str, tuple[str, ...]]:
    kinds = _member(raw, "infractions", where)
    for kind, messages in kinds.items():
        if not isinstance(messages, list) or not all(isinstance(message, str) for message in messages):
            raise DataRefused(
                f"{where}: infractions of kind {kind[:40]!r} are not a list of texts. The file is damaged."
            )
    return {kind: tuple(messages) for kind, messages in kinds.items()}
