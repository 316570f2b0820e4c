"""Toy benchmarks in the evaluators' own forms: route files, result files and score tables with known contents.

Scores follow shared difficulty: a route has one, its type has one, and a policy has a level. Penalties obey the rule
of the evaluator that is said to have written the file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.conftest import Builders

TYPES = (
    "Accident",
    "ParkedObstacle",
    "HighwayCutIn",
    "ParkingExit",
    "SignalizedJunctionLeftTurn",
    "ParkingCutIn",
    "ControlLoss",
    "PedestrianCrossing",
    "InvadingTurn",
    "YieldToEmergencyVehicle",
    "T_Junction",
    "VanillaSignalizedTurnEncounterRedLight",
)
"""Together they test all five abilities."""
CLASSES = {"Animals": 6, "BadParking": 6, "FullyBlocked": 4, "HardBrake": 4, "Wall": 4}
LEVELS = {"Ann": 1.6, "Bob": 0.6, "Cid": -0.4, "Dan": 0.9, "Eve": 0.1}
"""Policies, the better the higher; Ann, Bob and Cid are meant as probes."""
PROBES = ("Ann", "Bob", "Cid")
Record = dict[str, Any]


def drive(route: int | str, badness: float, rng: np.random.Generator, rule: str = "bench2drive") -> Record:
    """A record whose infractions grow with badness: none, one or two collisions, blocked."""
    events: dict[str, list[str]] = {}
    status, completion, penalty = "Completed", 100.0, 1.0
    if badness > -0.2:
        events["collisions_vehicle"] = ["Agent collided against object with type=vehicle.x and id=7 at (x=1, y=2, z=0)"]
        penalty *= 0.6
    if badness > 0.8:
        events["red_light"] = ["Agent ran a red light 5 at (x=1, y=2, z=0)"]
        penalty *= 0.7
    if badness > 1.2:
        events["vehicle_blocked"] = ["Agent got blocked at (x=1, y=2, z=0)"]
        status, completion = "Failed - Agent got blocked", round(float(rng.uniform(5, 90)), 2)
    if rng.random() < 0.9:
        speeds = np.round(rng.uniform(40, 160) * rng.uniform(0.8, 1.2, 4), 2)
        events["min_speed_infractions"] = [
            f"Average speed is {speed}% of the surrounding traffic's one" for speed in speeds
        ]
        if rule == "leaderboard-2.0":
            penalty *= float(np.prod([1 - 0.3 * (1 - speed / 100) for speed in speeds if speed < 100]))
    record = Builders.record(f"RouteScenario_{route}_rep0", status, completion, round(penalty, 6), events)
    record["num_infractions"] = sum(len(messages) for messages in events.values())
    return record


@dataclass(frozen=True)
class Bench:
    """A toy Bench2Drive: 60 routes of 12 types, five each, in an order that is not that of their ids."""

    folder: Path
    routes: Path
    ids: tuple[str, ...]
    types: Mapping[str, str]

    def results(self, policy: str) -> Path:
        """Result folder of a policy."""
        return self.folder / "results" / policy

    def probes(self, names: Iterable[str] = PROBES) -> list[str]:
        """Command-line arguments."""
        return [part for name in names for part in ("--probe", f"{name}={self.results(name)}")]

    def records(self, policy: str, level: float, *, rule: str = "bench2drive", run: int = 0) -> list[Record]:
        """One run of one policy on every route."""
        shared = np.random.default_rng(5)
        kinds = {kind: shared.normal(0, 0.7) for kind in TYPES}
        hard = {route: kinds[self.types[route]] + shared.normal(0, 0.4) for route in self.ids}
        minutes = {route: shared.uniform(1, 20) for route in self.ids}
        rng = np.random.default_rng([*policy.encode(), run])
        out = []
        for number, route in enumerate(self.ids):
            record = drive(route, hard[route] - level + rng.normal(0, 0.5), rng, rule)
            record["save_name"] = f"RouteScenario_{route}_rep0_Town12_x"
            record["index"] = number
            record["meta"]["duration_system"] = round(60 * minutes[route] * rng.uniform(0.9, 1.1), 3)
            out.append(record)
        return out

    def put(self, folder: Path, records: list[Record]) -> Path:
        """Write records as two shards."""
        half = len(records) // 2 or 1
        Builders.write(folder / "shard_0.json", records[:half])
        if records[half:]:
            Builders.write(folder / "shard_1.json", records[half:])
        return folder


def _element(number: int, route: str, kind: str) -> str:
    """Route elements that differ in everything a rewriter might normalise."""
    plain = Builders.route(route, kind, "Town12" if number % 3 else "Town13")
    forms = (
        plain,
        plain.replace('id="', "id = '").replace('" town', "' town").replace("\n", "\r\n"),
        plain.replace("  <scenarios>", "  <!-- kept as it is: < & > é -->\n\t<scenarios>"),
        plain.replace("</waypoints>", "</waypoints>\n\n  <weathers><weather  cloudiness='5.0'/></weathers>"),
    )
    return forms[number % len(forms)]


def make_bench(folder: Path) -> Bench:
    """Write the route file and the results of all policies."""
    ids = [str(2000 + 11 * ((37 * number) % 60)) for number in range(60)]
    types = {route: TYPES[number % 12] for number, route in enumerate(ids)}
    folder.mkdir(parents=True, exist_ok=True)
    routes = folder / "toy60.xml"
    elements = [_element(number, route, types[route]) for number, route in enumerate(ids)]
    routes.write_bytes(b"<?xml version='1.0' encoding='UTF-8'?>\n" + Builders.routes(*elements))
    bench = Bench(folder, routes, tuple(ids), types)
    for policy, level in LEVELS.items():
        bench.put(bench.results(policy), bench.records(policy, level))
    return bench


@dataclass(frozen=True)
class Fail:
    """A toy Fail2Drive: 24 pairs of 5 classes; Ann and Dan were driven with three seeds, Bob and Eve with one."""

    folder: Path
    routes: Path
    pairs: tuple[str, ...]

    def results(self, policy: str) -> Path:
        """Result folder of a policy."""
        return self.folder / "results" / policy

    def probes(self, names: Iterable[str] = ("Ann", "Bob")) -> list[str]:
        """Command-line arguments."""
        return [part for name in names for part in ("--probe", f"{name}={self.results(name)}")]

    def stems(self, pair: str) -> tuple[str, str]:
        """File stems of a pair, base first."""
        kind, number = pair.rsplit("_", 1)
        return f"Base_{kind}_{number}", f"Generalization_{kind}_{int(number) + 1000}"

    def put(self, folder: Path, policy: str, level: float, seeds: int, *, rule: str = "leaderboard-2.0") -> Path:
        """Drive all pairs and write one file a route and seed."""
        shared = np.random.default_rng(6)
        hard = {pair: shared.normal(0, 0.8) for pair in self.pairs}
        for seed in range(1, seeds + 1):
            rng = np.random.default_rng([*policy.encode(), seed])
            for pair in self.pairs:
                for split, stem in enumerate(self.stems(pair)):
                    number = int(stem.rsplit("_", 1)[1])
                    badness = hard[pair] + 0.4 * split - level + rng.normal(0, 0.5)
                    Builders.write(folder / str(seed) / f"{stem}.json", [drive(number, badness, rng, rule)])
        return folder


def make_fail(folder: Path) -> Fail:
    """Write the route files and the results."""
    routes = folder / "split"
    routes.mkdir(parents=True, exist_ok=True)
    kinds = [kind for kind, count in CLASSES.items() for _ in range(count)]
    fail = Fail(folder, routes, tuple(f"{kind}_{number:04d}" for number, kind in enumerate(kinds)))
    for number, pair in enumerate(fail.pairs):
        for stem in fail.stems(pair):
            element = _element(number, str(int(stem.rsplit("_", 1)[1])), "DynamicObjectCrossing")
            (routes / f"{stem}.xml").write_bytes(Builders.routes(element))
    for policy, seeds in {"Ann": 3, "Bob": 1, "Dan": 3, "Eve": 1}.items():
        fail.put(fail.results(policy), policy, LEVELS[policy], seeds)
    return fail


@dataclass(frozen=True)
class Table:
    """A toy score table: 80 questions x 8 models, 0 or 1, and a table of the items."""

    scores: Path
    items: Path
    values: np.ndarray
    ids: tuple[str, ...]
    models: tuple[str, ...]

    @property
    def strata(self) -> list[str]:
        """Stratum of each item."""
        return [f"topic {number % 4}" for number in range(len(self.ids))]

    @property
    def groups(self) -> list[str]:
        """Group of each item: passages of one to four questions, inside one stratum."""
        return [f"text {number % 4}.{int((2 * (number // 4)) ** 0.5)}" for number in range(len(self.ids))]


def write_wide(path: Path, ids: Iterable[str], columns: Mapping[str, Iterable[float | str]]) -> Path:
    """A wide score table."""
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["item_id", *columns])
        rows.writerows(zip(ids, *columns.values(), strict=True))
    return path


def make_table(folder: Path) -> Table:
    """Write both files."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(8)
    ids = tuple(f"q{number:03d}" for number in range(80))
    hard = rng.normal(0, 1, 80) + np.tile(rng.normal(0, 0.7, 4), 20)
    levels = np.linspace(-1.2, 1.5, 8)
    values = (levels - hard[:, None] + rng.normal(0, 0.7, (80, 8)) > 0).astype(float)
    models = tuple(f"m{number}" for number in range(8))
    table = Table(folder / "scores.csv", folder / "items.csv", values, ids, models)
    write_wide(table.scores, ids, {name: values[:, column] for column, name in enumerate(models)})
    costs = np.round(rng.uniform(1, 30, 80), 2)
    write_wide(table.items, ids, {"stratum": table.strata, "group": table.groups, "cost_s": costs})
    return table


def drop_columns(source: Path, target: Path, *names: str) -> Path:
    """Copy a CSV without some columns."""
    with source.open(newline="") as stream:
        rows = [{key: value for key, value in row.items() if key not in names} for row in csv.DictReader(stream)]
    return write_wide(
        target, [row.pop("item_id") for row in rows], {key: [row[key] for row in rows] for key in rows[0]}
    )


def read_json(path: Path) -> Any:
    """Parse a file, strictly (no NaN)."""

    def no_constant(name: str) -> None:
        raise AssertionError(f"{path} holds {name}")

    return json.loads(path.read_text(), parse_constant=no_constant)
