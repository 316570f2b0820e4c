"""Measure how near to the earliest possible end the order of routes comes, by replaying real durations on 8 servers.

Every policy's drives are replayed in the order that a run would take, with what is expected of each route learned from
the policies of other families only, beside other orders:

    scripts/bench_schedule --data DATA [--seeds 30] [--servers 8] [--load 30] [--json] [--docs docs/scheduling.md]

DATA holds bench2drive/{routes,results} and fail2drive/{routes,results}. The end is given over the lower bound
max(sum of all drives / servers, longest drive), which no order can beat and most cannot reach. Durations are those of
the drive as evaluators record them, without loads, starts and agents' set-up. Routes without a record, or with a crash
of the simulator in its place, are left out of the policy's replay. A suite is a stratified sample of 77 routes
(Fail2Drive: 38 pairs), one a seed; each seed of a Fail2Drive policy is a run of its own.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from data_folder import add_data_option
from documents import markdown, put_into
from schedule_cases import Case, cases_of

from bestrand_drive.simulation.scheduling.durations import expect
from bestrand_drive.simulation.scheduling.queue import Job, Queue

RANDOM = 20
"""Random orders of each case."""
ORDERS = ("expected", "relatives", "length", "clairvoyant", "file", "random", "contiguous")
WORDS = {
    "expected": "longest expected first (other families' results)",
    "relatives": "the same by its own family's other runs, where there are any",
    "length": "longest route first (nothing known)",
    "clairvoyant": "longest first, durations known",
    "file": "order of the file",
    "random": "random order",
    "contiguous": "contiguous split (Bench2Drive's own scripts)",
}


def replay(queue: Queue, names: Sequence[str], case: Case, servers: int, load_s: float = 0.0) -> tuple[float, int]:
    """The end, and how many worlds were loaded: where a server begins, and where it changes its town."""
    free, towns = [(0.0, slot) for slot in range(servers)], dict[int, str]()
    end, loads = 0.0, 0
    while queue:
        now, slot = heapq.heappop(free)
        number = queue.take(towns.get(slot))
        assert number is not None
        town = case.routes[names[number]].town
        loaded = towns.get(slot) != town
        towns[slot], loads = town, loads + loaded
        now += case.run.seconds[names[number]] + load_s * loaded
        end = max(end, now)
        heapq.heappush(free, (now, slot))
    return end, loads


def bound(case: Case, servers: int) -> float:
    """What no order can beat."""
    drives = [case.run.seconds[name] for name in case.driven]
    return max(sum(drives) / servers, *drives)


def by_amounts(case: Case, amounts: Mapping[str, float], servers: int) -> float:
    """The end when the largest amount is first."""
    names = case.driven
    return replay(Queue([Job(amounts[name]) for name in names], servers, by_town=False), names, case, servers)[0]


def by_chance(case: Case, servers: int) -> float:
    """The mean end over random orders."""
    draws = np.random.default_rng([max(case.seed, 0), len(case.driven)])
    ends = [
        by_amounts(case, dict(zip(case.driven, draws.permutation(len(case.driven)).tolist(), strict=True)), servers)
        for _ in range(RANDOM)
    ]
    return statistics.fmean(ends)


def split(case: Case, servers: int) -> float:
    """The end when each server has its own stretch of the file (tools/split_xml.py of Bench2Drive)."""
    names, (size, more) = list(case.routes), divmod(len(case.routes), servers)
    starts = [part * size + min(part, more) for part in range(servers + 1)]
    return max(sum(case.run.seconds.get(name, 0.0) for name in names[a:b]) for a, b in itertools.pairwise(starts))


def expected(case: Case) -> Mapping[str, float]:
    """What a run would expect."""
    return expect(case.routes, case.earlier, "").expected


METHODS: dict[str, Callable[[Case, int], float]] = {
    "expected": lambda case, servers: by_amounts(case, expected(case), servers),
    "relatives": lambda case, servers: by_amounts(case, expect(case.routes, case.relatives, "").expected, servers),
    "length": lambda case, servers: by_amounts(case, expect(case.routes, (), "").expected, servers),
    "clairvoyant": lambda case, servers: by_amounts(case, case.run.seconds, servers),
    "file": lambda case, servers: by_amounts(case, dict.fromkeys(case.routes, 1.0), servers),
    "random": by_chance,
    "contiguous": split,
}


@dataclass(frozen=True)
class Row:
    """What one order comes to on one policy's runs.

    Attributes:
        benchmark: On which routes.
        suites: Whether on suites, else on all routes.
        policy: Name.
        order: A key of ``METHODS``.
        ratio: End over the lower bound, mean over runs and seeds.
        worst: The largest.
    """

    benchmark: str
    suites: bool
    policy: str
    order: str
    ratio: float
    worst: float


def measure(cases: Sequence[Case], servers: int) -> list[Row]:
    """All orders on all cases."""
    groups: dict[tuple[str, bool, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.run.benchmark, case.seed >= 0, case.run.policy), []).append(case)
    rows = []
    for (benchmark, suites, policy), own in groups.items():
        for order in (one for one in ORDERS if one != "relatives" or own[0].relatives):
            ratios = [METHODS[order](case, servers) / bound(case, servers) for case in own]
            rows.append(Row(benchmark, suites, policy, order, statistics.fmean(ratios), max(ratios)))
    return rows


@dataclass(frozen=True)
class Towns:
    """What staying in a town is worth on one benchmark.

    Attributes:
        benchmark: On which routes.
        suites: Whether on suites.
        by_town: Whether slots stay.
        ratio: End, loads included, over the lower bound of the drives alone: median over policies.
        worst: Of the policy where it is largest.
        loads: Worlds loaded, mean.
        routes: Driven, mean.
    """

    benchmark: str
    suites: bool
    by_town: bool
    ratio: float
    worst: float
    loads: float
    routes: float


def measure_towns(cases: Sequence[Case], servers: int, load_s: float) -> list[Towns]:
    """Longest expected first, with and without."""
    rows = []
    for benchmark, suites, by_town in (
        (b, s, t) for b in ("bench2drive", "fail2drive") for s in (False, True) for t in (False, True)
    ):
        own = [case for case in cases if case.run.benchmark == benchmark and (case.seed >= 0) == suites]
        ratios: dict[str, list[float]] = {}
        counts = []
        for case in own:
            amounts, names = expected(case), case.driven
            jobs = [Job(amounts[name], case.routes[name].town) for name in names]
            end, loads = replay(Queue(jobs, servers, by_town=by_town), names, case, servers, load_s)
            ratios.setdefault(case.run.policy, []).append(end / bound(case, servers))
            counts.append(loads)
        means = [statistics.fmean(values) for values in ratios.values()]
        routes = statistics.fmean(len(case.driven) for case in own)
        rows.append(
            Towns(benchmark, suites, by_town, statistics.median(means), max(means), statistics.fmean(counts), routes)
        )
    return rows


def summary(rows: Sequence[Row]) -> Iterable[list[str]]:
    """Median and worst over policies of each order."""
    for order in ORDERS:
        cells = [WORDS[order]]
        for benchmark, suites in (
            ("bench2drive", False),
            ("bench2drive", True),
            ("fail2drive", False),
            ("fail2drive", True),
        ):
            own = [row for row in rows if (row.benchmark, row.suites, row.order) == (benchmark, suites, order)]
            cells.append(f"{statistics.median(row.ratio for row in own):.3f}, {max(row.ratio for row in own):.3f}")
        yield cells


def per_policy(rows: Sequence[Row]) -> Iterable[list[str]]:
    """Each policy's ends."""
    found = {(row.benchmark, row.policy, row.suites, row.order): row.ratio for row in rows}
    for benchmark, policy in dict.fromkeys((row.benchmark, row.policy) for row in rows):
        yield [
            policy,
            *(
                " / ".join(f"{found[benchmark, policy, suites, order]:.3f}" for suites in (False, True))
                if (benchmark, policy, True, order) in found
                else ""
                for order in ("expected", "relatives", "length", "clairvoyant", "file", "contiguous")
            ),
        ]


def town_lines(rows: Sequence[Towns]) -> Iterable[list[str]]:
    """As docs/scheduling.md shows them."""
    for row in rows:
        what = f"{'Bench2Drive, were servers reused' if row.benchmark == 'bench2drive' else 'Fail2Drive'}, "
        size = "suite" if row.suites else "all"
        stays = "yes" if row.by_town else "no"
        yield [what + size, stays, f"{row.ratio:.3f}, {row.worst:.3f}", f"{row.loads:.0f} of {row.routes:.0f}"]


def tables(rows: Sequence[Row], towns: Sequence[Towns], load_s: float) -> str:
    """All three."""
    heads = ("order", "Bench2Drive, all", "Bench2Drive, 77", "Fail2Drive, all", "Fail2Drive, 38 pairs")
    names = ("policy: all / suite", "expected", "own family", "length", "clairvoyant", "file", "contiguous")
    staying = ("routes", "slots stay in a town", f"end with loads of {load_s:g} s", "loads")
    return "\n\n".join(
        (
            markdown(heads, summary(rows)),
            markdown(names, per_policy(rows)),
            markdown(staying, town_lines(towns)),
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "bench2drive", "fail2drive")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--servers", type=int, default=8)
    parser.add_argument("--load", type=float, default=30.0, help="seconds to load a world")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--docs", type=Path)
    arguments = parser.parse_args()
    cases = cases_of(arguments.data, arguments.seeds)
    rows, towns = measure(cases, arguments.servers), measure_towns(cases, arguments.servers, arguments.load)
    text = tables(rows, towns, arguments.load)
    if arguments.json:
        found = {"servers": arguments.servers, "seeds": arguments.seeds, "load_s": arguments.load}
        print(
            json.dumps(found | {"rows": [vars(row) for row in rows], "towns": [vars(row) for row in towns]}, indent=1)
        )
    else:
        print(text)
    if arguments.docs:
        put_into(arguments.docs, "bench_schedule", text)


if __name__ == "__main__":
    main()
