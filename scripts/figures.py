"""Measure how wrong estimates from suites are, on result files of real policies.

Leave one family of policies out as targets, choose by all others, replay over many seeds:

    python scripts/figures.py bench2drive --data DATA [--seeds 2000] [--json OUT.json]
    python scripts/figures.py fail2drive  --data DATA

DATA holds bench2drive/routes, bench2drive/results, fail2drive/routes and fail2drive/results.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import torch

from bestrand_drive.benchmarks.definitions import definition
from bestrand_drive.compression.policy_estimates import HarmonicRule
from bestrand_drive.compression.pool import kept_items
from bestrand_drive.compression.selectors.balanced import Balanced
from bestrand_drive.compression.selectors.base import ChoiceSettings
from bestrand_drive.compression.selectors.bestrand import Bestrand
from bestrand_drive.compression.selectors.random import Random
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.study.replay import Arm, Case, Outcomes, replay
from bestrand_drive.study.summary import MetricRow, RelativeRow, flawless_coverage, metric_row, relative_row
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence

KEEPS = (0.05, 0.1, 0.2, 0.35, 0.5)
BENCH2DRIVE_FAMILIES = {
    "PDM-Lite": ["PDM-Lite"],
    "SimLingo": ["SimLingo", "SimLingo-repeat"],
    "Zoo": ["UniAD-Base", "UniAD-Tiny", "VAD"],
    "MindDrive": ["MindDrive-0.5B"],
    "ORION": ["ORION"],
    "LEAD": ["LEAD-TFv6"],
    "TCP": ["TCP-traj"],
    "TransFuser": ["TransFuser++"],
}
FAIL2DRIVE_POLICIES = ["AlignDrive", "BevAD", "TFv6"]


def bench2drive_cases(data: Path) -> list[Case]:
    """One case a family of policies with at least 200 records."""
    benchmark = definition("bench2drive").load(data / "routes/bench2drive220.xml")
    names = [name for members in BENCH2DRIVE_FAMILIES.values() for name in members]
    evidence = driving_evidence(benchmark, [ResultSource(name, data / "results" / name) for name in names])
    scores = evidence.scores.with_metrics(["driving_score", "success", "efficiency"])
    return [_case(scores, family, BENCH2DRIVE_FAMILIES) for family in BENCH2DRIVE_FAMILIES]


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
        cases.append(Case(name, _unguarded(whole.with_policies(others)), [[0], [1]], _unguarded(runs), rules))
    return cases


def _case(scores: ScoreMatrix, family: str, families: dict[str, list[str]]) -> Case:
    others = {name: members for name, members in families.items() if name != family}
    names = [name for members in others.values() for name in members]
    numbers = [[names.index(name) for name in members] for members in others.values()]
    return Case(
        family, _unguarded(scores.with_policies(names)), numbers, _unguarded(scores.with_policies(families[family]))
    )


def _unguarded(scores: ScoreMatrix) -> ScoreMatrix:
    return replace(scores, domains={}, cost_s=None)


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


def run_case(task: tuple[Case, int, int]) -> dict[str, Outcomes]:
    """All arms of one family and size, by arm name."""
    torch.set_num_threads(1)
    case, k, seeds = task
    return {arm.name: replay(case, arm, k, range(seeds)) for arm in arms(case, k)}


def measure(benchmark: str, cases: Sequence[Case], seeds: int, workers: int) -> list[dict[str, object]]:
    """All rows of the table, printed as they come."""
    names = cases[0].metric_names
    rows: list[dict[str, object]] = []
    for keep in KEEPS:
        k = kept_items(len(cases[0].probes.items), keep)
        start = time.monotonic()
        with ProcessPoolExecutor(workers) as executor:
            outcomes = list(executor.map(run_case, [(case, k, seeds) for case in cases]))
        by_arm = {
            arm: {case.family: found[arm] for case, found in zip(cases, outcomes, strict=True)} for arm in outcomes[0]
        }
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", choices=["bench2drive", "fail2drive"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    find = bench2drive_cases if arguments.benchmark == "bench2drive" else fail2drive_cases
    rows = measure(arguments.benchmark, find(arguments.data / arguments.benchmark), arguments.seeds, arguments.workers)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
