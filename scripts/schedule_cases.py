"""The real drives that bench_schedule replays, and what was known before each of them."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from public_policies import BENCH2DRIVE, BENCH2DRIVE_POLICIES, BENCH2DRIVE_SHORT, FAIL2DRIVE_POLICIES

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.benchmarks.route_scan import RouteElement
from bestrand_drive.compression.stopping.order import suite_order
from bestrand_drive.simulation.attempts.route_set import RouteSet, read_route_set

SUITE = 77
PAIR = 1000
Seconds = Mapping[str, float]


@dataclass(frozen=True)
class Run:
    """One run of a policy.

    Attributes:
        benchmark: On which routes.
        policy: Its name.
        family: Policies that are not to tell of each other.
        repeat: Label.
        seconds: Route id -> of its drive.
    """

    benchmark: str
    policy: str
    family: str
    repeat: str
    seconds: Seconds


@dataclass(frozen=True)
class Case:
    """Some routes of a run, and what was known of them before.

    Attributes:
        run: Whose durations.
        seed: Of the suite, -1 for all routes.
        routes: In file order.
        earlier: What policies of other families took.
        relatives: What other runs of its own family took.
    """

    run: Run
    seed: int
    routes: Mapping[str, RouteElement]
    earlier: tuple[Seconds, ...]
    relatives: tuple[Seconds, ...]

    @property
    def driven(self) -> list[str]:
        """Ids with a duration, in file order."""
        return [name for name in self.routes if name in self.run.seconds]


def read_runs(data: Path, benchmark: str, policies: Sequence[str]) -> list[Run]:
    """The runs with durations; who has none is said."""
    families = {name: family for family, names in BENCH2DRIVE.items() for name in names} | BENCH2DRIVE_SHORT
    runs = []
    for name in policies:
        held: dict[str, dict[str, float]] = {}
        records = read_results(data / benchmark / "results" / name, name=name, benchmark=benchmark).records
        for record in records:
            if record.outcome is not Outcome.INFRASTRUCTURE and record.duration_system_s > 0:
                held.setdefault(record.repeat, {})[record.route_id] = record.duration_system_s
        if not held:
            print(f"{benchmark}, {name}: no durations recorded, left out", file=sys.stderr)
        runs += [Run(benchmark, name, families.get(name, name), label, own) for label, own in held.items()]
    return runs


def means_of(runs: Sequence[Run]) -> tuple[Seconds, ...]:
    """Mean seconds over a policy's repeats, one a policy."""
    found = []
    for policy in dict.fromkeys(run.policy for run in runs):
        own = [run.seconds for run in runs if run.policy == policy]
        names = dict.fromkeys(name for seconds in own for name in seconds)
        found.append({name: statistics.fmean(seconds[name] for seconds in own if name in seconds) for name in names})
    return tuple(found)


def suite_ids(routes: RouteSet, benchmark: str, seed: int) -> set[str]:
    """A stratified sample: of routes by scenario type, or of whole pairs by class."""
    pairs = benchmark == "fail2drive"
    items = {name: str(int(name) % PAIR) if pairs else name for name in routes.routes}
    kinds: dict[str, str] = {}
    for name, route in routes.routes.items():
        kinds.setdefault(items[name], routes.files[name].path.stem.split("_")[1] if pairs else route.scenario_types[0])
    chosen = set(suite_order(tuple(kinds), tuple(kinds.values()), seed).items[: SUITE // 2 if pairs else SUITE])
    return {name for name, item in items.items() if item in chosen}


def cases_of(data: Path, seeds: int) -> list[Case]:
    """Every run on all routes and on the suites."""
    cases = []
    b2d = (*BENCH2DRIVE_POLICIES, *BENCH2DRIVE_SHORT)
    for benchmark, policies in (("bench2drive", b2d), ("fail2drive", FAIL2DRIVE_POLICIES)):
        place = data / benchmark / "routes" / ("bench2drive220.xml" if benchmark == "bench2drive" else "")
        routes = read_route_set(place, benchmark)
        runs = read_runs(data, benchmark, policies)
        for seed in range(-1, seeds):
            inside = set(routes.routes) if seed < 0 else suite_ids(routes, benchmark, seed)
            part = {name: route for name, route in routes.routes.items() if name in inside}
            for run in runs:
                others = means_of([other for other in runs if other.family != run.family])
                own = means_of([other for other in runs if other.family == run.family and other is not run])
                cases.append(Case(run, seed, part, others, own))
    return cases
