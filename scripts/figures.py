"""Measure how wrong estimates from suites are, on result files of real policies.

Leave one family of policies out as targets, choose by all others, replay over many seeds:

    python scripts/figures.py bench2drive --data DATA [--seeds 2000] [--json OUT.json] [--docs docs/figures.md]
    python scripts/figures.py fail2drive  --data DATA

DATA holds bench2drive/{routes,results} and fail2drive/{routes,results}. --json is what scripts/make_route_configs.py
--figures takes; --docs writes the table between the marks of a document.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from data_folder import add_data_option
from documents import markdown, put_into
from public_policies import BENCH2DRIVE, BENCH2DRIVE_POLICIES, FAIL2DRIVE_POLICIES
from replaying import replayed

from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.compression.pool import kept_items
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.study.problem import unguarded
from bestrand_drive.study.replay import Arm, Case
from bestrand_drive.study.summary import MetricRow, RelativeRow, flawless_coverage, metric_row, relative_row
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence

Row = Mapping[str, object]
HEADS = (
    *("kept", "k", "method", "metric", "MAE (SE over families)", "P95", "interval held (worst family)"),
    *("relative error (SE)", "chance of a bad draw: one policy / mean of policies"),
)
RISKS = "{risk_p70:.3f} / {risk_p70_mean:.3f}"
KEEPS = (0.05, 0.1, 0.2, 0.35, 0.5)


def bench2drive_cases(data: Path) -> list[Case]:
    """One case a family."""
    benchmark = definition("bench2drive").load(data / "routes/bench2drive220.xml")
    sources = [ResultSource(name, data / "results" / name) for name in BENCH2DRIVE_POLICIES]
    evidence = driving_evidence(benchmark, sources)
    scores = evidence.scores.with_metrics(["driving_score", "success", "efficiency"])
    return [_case(scores, family, BENCH2DRIVE) for family in BENCH2DRIVE]


def fail2drive_cases(data: Path) -> list[Case]:
    """One case a policy: its single seeds are the targets, the other policies' means over seeds the probes."""
    benchmark = definition("fail2drive").load(data / "routes")
    whole = driving_evidence(benchmark, [ResultSource(n, data / "results" / n) for n in FAIL2DRIVE_POLICIES]).scores
    rules = [HarmonicRule(*rule) for rule in definition("fail2drive").harmonic]
    cases = []
    for name in FAIL2DRIVE_POLICIES:
        others = [other for other in FAIL2DRIVE_POLICIES if other != name]
        seeds = sorted(path for path in (data / "results" / name).iterdir() if path.is_dir())
        runs = driving_evidence(benchmark, [ResultSource(f"{name}-{path.name}", path) for path in seeds]).scores
        cases.append(Case(name, unguarded(whole.with_policies(others)), [[0], [1]], unguarded(runs), rules))
    return cases


def _case(scores: ScoreMatrix, family: str, families: dict[str, list[str]]) -> Case:
    others = {name: members for name, members in families.items() if name != family}
    names = [name for members in others.values() for name in members]
    numbers = [[names.index(name) for name in members] for members in others.values()]
    return Case(
        family, unguarded(scores.with_policies(names)), numbers, unguarded(scores.with_policies(families[family]))
    )


def arms(case: Case, k: int) -> list[Arm]:
    """The methods that are compared on the full pool, and the default on a pool of 4 k where that is smaller."""
    first = case.probes.metric_names[0]
    alone = ChoiceSettings(metric_weights={first: 1.0})
    default = Balanced(ChoiceSettings(families=case.families))
    partial = (
        [Arm("balanced, pool 4k", default, plain=False, pool_factor=4.0)] if 4 * k < len(case.probes.items) else []
    )
    return [
        Arm("random", Random(), plain=True),
        Arm(f"bestrand, {first} only", Bestrand(alone), plain=True),
        Arm("bestrand, all metrics", Bestrand(), plain=True),
        Arm("balanced", default, plain=False),
        *partial,
    ]


def measure(benchmark: str, cases: Sequence[Case], seeds: int, workers: int) -> list[Row]:
    """All rows of the table, printed as they come."""
    names = cases[0].metric_names
    rows: list[Row] = []
    for keep in KEEPS:
        k = kept_items(len(cases[0].probes.items), keep)
        start = time.monotonic()
        by_arm = replayed(cases, partial(arms, k=k), k, seeds, workers)
        print(f"\n{benchmark}, keep {keep}, k = {k}, {seeds} seeds, {time.monotonic() - start:.0f} s")
        for arm, by_family in by_arm.items():
            relative = relative_row(by_family, by_arm["random"], range(len(names)))
            print(f"  {arm}: {_words(relative)}")
            for number, metric in enumerate(names):
                row, (draws, held) = metric_row(by_family, number), flawless_coverage(by_family, number)
                flawless = {"flawless_draws": draws, "flawless_coverage": held if draws else None}
                print(
                    f"    {metric:30s} {_words(row)}" + (f"  flawless {draws}: {held:.3f}" if draws else ""), flush=True
                )
                where = {
                    "benchmark": benchmark,
                    "selector": arm,
                    "metric": metric,
                    "keep": keep,
                    "k": k,
                    "seeds": seeds,
                }
                rows.append(where | asdict(row) | asdict(relative) | flawless)
    return rows


def _words(row: MetricRow | RelativeRow) -> str:
    return "  ".join(f"{name} {value:.3f}" for name, value in asdict(row).items() if value is not None)


def table(rows: Sequence[Row]) -> str:
    """As docs/figures.md shows it; random's errors are what the others' are measured by."""
    return markdown(HEADS, map(_cells, rows))


def _cells(row: Row) -> list[str]:
    held = "" if row["coverage95"] is None else "{coverage95:.3f} ({coverage95_worst:.3f})"
    forms = ("{keep}", "{k}", "{selector}", "{metric}", "{mae:.2f} ({mae_se:.2f})", "{p95:.2f}", held)
    return [form.format(**row) for form in (*forms, "{relative:.3f} ({relative_se:.3f})", RISKS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", choices=["bench2drive", "fail2drive"])
    add_data_option(parser, "bench2drive", "fail2drive")
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path, help="file for the rows")
    parser.add_argument("--docs", type=Path, help="document whose marked table is written")
    arguments = parser.parse_args()
    find = bench2drive_cases if arguments.benchmark == "bench2drive" else fail2drive_cases
    rows = measure(arguments.benchmark, find(arguments.data / arguments.benchmark), arguments.seeds, arguments.workers)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    if arguments.docs:
        put_into(arguments.docs, f"figures {arguments.benchmark}", table(rows))


if __name__ == "__main__":
    main()
