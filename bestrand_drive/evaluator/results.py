"""The result file: the leaderboard's schema in Bench2Drive's variant, rewritten after every route, whole or not at all.

Source: the checkpoint files that Bench2Drive's evaluator leaves.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bestrand_drive.evaluator.criteria.moment import Kind
from bestrand_drive.evaluator.scoring import Score
from bestrand_drive.files import dump_json, write_atomic

_ELIGIBLE = "Finished"
_DIGITS, _SCORE_DIGITS = 3, 6
_LABELS = {
    "Avg. driving score": "score_composed",
    "Avg. route completion": "score_route",
    "Avg. infraction penalty": "score_penalty",
    "Collisions with pedestrians": Kind.PEDESTRIAN,
    "Collisions with vehicles": Kind.VEHICLE,
    "Collisions with layout": Kind.LAYOUT,
    "Red lights infractions": Kind.RED_LIGHT,
    "Stop sign infractions": Kind.STOP,
    "Off-road infractions": Kind.OUTSIDE,
    "Route deviations": Kind.DEVIATION,
    "Route timeouts": Kind.ROUTE_TIMEOUT,
    "Agent blocked": Kind.BLOCKED,
    "Yield emergency vehicles infractions": Kind.YIELD,
    "Scenario timeouts": Kind.SCENARIO_TIMEOUT,
    "Min speed infractions": Kind.MIN_SPEED,
}


@dataclass(frozen=True)
class Record:
    """One route's record.

    Attributes:
        route_id: ``RouteScenario_<id>_rep<k>``.
        scenario_name: Of the first scenario.
        save_name: Folder that the agent saves under.
        town_name: The town.
        score: What the drive is worth.
        route_length_m: Of the plan.
        game_s: Simulated seconds.
        system_s: Wall seconds.
        skipped: Scenarios that did not take place, ``NAME: REASON``; a field that only this evaluator writes.
    """

    route_id: str
    scenario_name: str
    save_name: str
    town_name: str
    score: Score
    route_length_m: float
    game_s: float
    system_s: float
    skipped: tuple[str, ...] = ()

    def to_json(self, index: int) -> dict[str, Any]:
        """As the file holds it."""
        score = self.score
        return {
            "index": index,
            "route_id": self.route_id,
            "scenario_name": self.scenario_name,
            "weather_id": None,  # Bench2Drive looks weathers up in a table of its own; others have no name there
            "save_name": self.save_name,
            "status": score.status,
            "num_infractions": score.count,
            "infractions": score.infractions,
            "scores": {
                "score_route": score.completion,
                "score_penalty": score.penalty,
                "score_composed": score.composed,
            },
            "meta": {
                "route_length": round(self.route_length_m, _DIGITS),
                "duration_game": round(self.game_s, _DIGITS),
                "duration_system": round(self.system_s, _DIGITS),
                "skipped_scenarios": list(self.skipped),
            },
            "town_name": self.town_name,
        }


@dataclass
class Results:
    """All that is known of a run.

    Attributes:
        path: The file.
        total: Routes to drive.
        records: Of those that ended.
        sensors: Names as the leaderboard gives them.
        entry_status: ``Started``, ``Finished``, ``Rejected``, ``Crashed`` or ``Invalid``.
    """

    path: Path
    total: int
    records: list[Record] = field(default_factory=list)
    sensors: list[str] = field(default_factory=list)
    entry_status: str = "Started"

    def write(self, *, finished: bool = False) -> None:
        """Put the file down; with the totals once all is over."""
        records = [record.to_json(index) for index, record in enumerate(self.records)]
        totals = _totals(records, self.total) if finished else {}
        values = _values(totals) if finished else []
        checkpoint = {"global_record": totals, "progress": [len(records), self.total], "records": records}
        document = {
            "_checkpoint": checkpoint,
            "entry_status": self.entry_status,
            "eligible": self.entry_status == _ELIGIBLE,
            "sensors": self.sensors,
            "values": values,
            "labels": list(_LABELS) if finished else [],
        }
        write_atomic(self.path, dump_json(document))


def _totals(records: list[dict[str, Any]], total: int) -> dict[str, Any]:
    """Means, deviations and infractions per driven kilometre."""
    scores = {name: [record["scores"][name] for record in records] for name in list(_LABELS.values())[:3]}
    driven_km = sum(_driven_km(record) for record in records)
    failed = [record for record in records if "Failed" in record["status"]]
    perfect = all(record["status"] == "Perfect" for record in records)
    status = "Failed" if failed else "Perfect" if perfect else "Completed"
    durations = ("duration_game", "duration_system")
    return {
        "index": -1,
        "route_id": -1,
        "status": status,
        "infractions": {kind.value: _rate(records, kind, max(driven_km, 0.001)) for kind in Kind},
        "scores_mean": {name: round(sum(values) / total, _SCORE_DIGITS) for name, values in scores.items()},
        "scores_std_dev": {name: round(_deviation(values), _DIGITS) for name, values in scores.items()},
        "meta": {
            "total_length": sum(record["meta"]["route_length"] for record in records),
            **{name: sum(record["meta"][name] for record in records) for name in durations},
            "exceptions": [[record["route_id"], record["index"], record["status"]] for record in failed],
        },
    }


def _driven_km(record: dict[str, Any]) -> float:
    return float(record["meta"]["route_length"] / 1000.0 * record["scores"]["score_route"] / 100.0)


def _deviation(values: list[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0.0


def _rate(records: list[dict[str, Any]], kind: Kind, driven_km: float) -> float:
    """Infractions per kilometre; for those outside the lanes the kilometres themselves."""
    messages = [message for record in records for message in record["infractions"][kind.value]]
    if kind is not Kind.OUTSIDE:
        return round(len(messages) / driven_km, _DIGITS)
    metres = [float(message.split(" about ")[1].split()[0]) for message in messages]
    return round(sum(metres) / 1000.0, _DIGITS)


def _values(totals: dict[str, Any]) -> list[str]:
    return [
        str(totals["infractions"][key.value] if isinstance(key, Kind) else totals["scores_mean"][key])
        for key in _LABELS.values()
    ]
