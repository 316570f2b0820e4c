"""Measure what a gate sees and how often it cries wolf, on real run noise:

    scripts/bench_gate --data DATA [--draws 1000] [--quick] [--docs docs/gate.md]

DATA holds bench2drive/{routes,results} and fail2drive/{routes,results}. The noise is SimLingo's two runs on the 181
routes of Bench2Drive on which neither crashed, every route's pair swapped by a coin, and the three seeds of three
policies of Fail2Drive. A worse candidate is the same run with the drop taken off every route, so that the true
difference is known; scores are then not cut at zero. --docs writes the tables between the marks of a document; --quick
takes 60 draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from compare_worlds import Case, dropped, judged, recorded, without_crashes
from data_folder import add_data_option
from documents import markdown, put_into
from public_policies import FAIL2DRIVE_POLICIES as POLICIES

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.gating.rules import Question, Rule, Status

SEEN = ("noise", "metric", "k", "runs a side", "detectable drop", "at 90 %", "standard error")
ALARMS = (
    "noise",
    "metric",
    "k",
    "runs a side",
    "false alarms",
    "at the tolerated drop",
    "found at the detectable drop",
)
RUNS = {"Bench2Drive": (1,), "Fail2Drive": (1, 3)}
"""Runs a side: SimLingo has two, one for each side."""


def worlds(data: Path) -> Iterator[tuple[str, str, Case, tuple[int, ...]]]:
    """Benchmark, metric, a policy against itself, and the sizes of suites to look at."""
    twice = recorded(data, "bench2drive", {"SimLingo": ["SimLingo", "SimLingo-repeat"]}, kept=without_crashes)
    for metric in ("driving_score", "success"):
        runs = twice.runs["SimLingo"][:, :, twice.metrics.index(metric)]
        yield "Bench2Drive", metric, Case(twice.strata, runs, runs, 100.0, swap=True), (22, 44, 77, 110, 181)
    seeds = recorded(data, "fail2drive", {name: [name] for name in POLICIES})
    for name in POLICIES:
        runs = seeds.runs[name][:, :, seeds.metrics.index("base_driving_score")]
        yield "Fail2Drive", f"base_driving_score of {name}", Case(seeds.strata, runs, runs, 100.0), (20, 50)


def share(question: Question, found: list[PairedDifference], status: Status) -> float:
    """How often a gate says something."""
    return float(np.mean([question.status(one) is status for one in found]))


def tables(data: Path, draws: int) -> tuple[list[list[str]], list[list[str]]]:
    """Rows of what is seen, and of how often it is wrong."""
    seen, alarms = [], []
    asked = Question(Rule.REGRESSION, 0.95, None, higher_is_better=True)
    for benchmark, metric, case, sizes in worlds(data):
        for k in sizes:
            for runs in RUNS[benchmark]:
                found = [one for one, _ in judged(case, k, runs, draws, k)]
                sees = float(np.mean([one.detectable(0.95) or 0.0 for one in found]))
                loose = float(np.mean([one.detectable(0.9) or 0.0 for one in found]))
                error = float(np.mean([one.standard_error for one in found]))
                head = [benchmark, metric, str(k), str(runs)]
                seen.append([*head, f"{sees:.1f}", f"{loose:.1f}", f"{error:.1f}"])
                tolerated = replace(asked, max_drop=3.0)
                shares = [
                    share(asked, found, Status.FAILED),
                    share(tolerated, [dropped(one, 3.0) for one in found], Status.FAILED),
                    share(asked, [dropped(one, sees) for one in found], Status.FAILED),
                ]
                alarms.append([*head, *(f"{one:.3f}" for one in shares)])
    return seen, alarms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_data_option(parser, "bench2drive", "fail2drive")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--docs", type=Path)
    arguments = parser.parse_args()
    seen, alarms = tables(arguments.data, 60 if arguments.quick else arguments.draws)
    for name, heads, rows in (("bench_gate seen", SEEN, seen), ("bench_gate alarms", ALARMS, alarms)):
        print(markdown(heads, rows), flush=True)
        if arguments.docs:
            put_into(arguments.docs, name, markdown(heads, rows))


if __name__ == "__main__":
    main()
