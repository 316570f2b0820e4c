"""How large errors are at the sizes that the planner chooses, beside the errors that were wanted.

    scripts/bench_planner --data DATA [--quick] [--json] [--check] [--docs docs/planner.md]

DATA holds matrices/*.csv.gz and bench2drive/{routes,results}. Part 1, "known": variance and correlation are those of
all models. For six matrices, four goals and three ways to choose, the planner says the smallest k whose error (mean
absolute error over all models that are no probes) stays under the goal in 95 of 100 suites; 400 suites of that size are
drawn, each with 5 random probes, and the 95th percentile of their errors is divided by the goal. Wanted: .88 to 1.10.

The six are chosen by a rule, before any figure: of the complete matrices with 0/1 scores the one with the most models
of each source (the part of the name before the first underscore; the one with most items among equals), and of these
the six with the most models.

Part 2, "probes": what `bestrand plan` predicts from 5 random probes alone at one size, over what it would predict for 5
probes with the moments of all models: median and the range of the middle 80 %, over 60 draws. On Bench2Drive 5 random
families of policies, over the mean of the draws.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from documents import markdown, put_into

from bestrand_drive.compression.planning.goals import p95_error, smallest_size
from bestrand_drive.compression.planning.laws import Law, equal_leftover, exchangeable_law
from bestrand_drive.compression.pool import kept_items
from bestrand_drive.compression.theory.moments import Moments, covariance_matrix, moments
from bestrand_drive.compression.theory.quantile import mae_draws
from bestrand_drive.compression.theory.shares import sampling_factor
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.cells import Cell, blocks, measure
from bestrand_drive.study.measures import draw_maes
from bestrand_drive.study.problem import Problem
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, table_evidence
from bestrand_drive.workflows.planning.plan_request import PlanRequest
from bestrand_drive.workflows.planning.planning import plan_evidence
from bestrand_drive.workflows.studying.study import TableStudy, read_scores, table_problem

Row = dict[str, str | int | float | None]
GOALS = (0.06, 0.04, 0.025, 0.015)
WANTED = (0.88, 1.10)
PROBES, SEEDS, DRAWS, MATRICES = 5, 400, 60, 6
SELECTORS = ("random", "bestrand", "balanced")
FULL = "random, full covariance"
SPREAD_KEEP = 0.1
"""Share of the items at which predictions from few probes are compared."""
FAMILIES = {
    "PDM-Lite": ("PDM-Lite",),
    "SimLingo": ("SimLingo",),
    "Zoo": ("UniAD-Base", "UniAD-Tiny", "VAD"),
    "MindDrive": ("MindDrive-0.5B",),
    "ORION": ("ORION",),
    "LEAD": ("LEAD-TFv6",),
    "TCP": ("TCP-traj",),
    "TransFuser++": ("TransFuser++",),
}


def six(data: Path) -> list[Path]:
    """The matrices of part 1, by the rule above."""
    best: dict[str, tuple[int, int, Path]] = {}
    for path in sorted((data / "matrices").glob("*.csv.gz")):
        scores, _ = read_scores(TableStudy(path))
        values = scores.masked(0)
        if not np.isin(values, (0.0, 1.0)).all():
            continue
        found = (len(scores.policies), len(scores.items), path)
        source = path.name.split("_")[0]
        best[source] = max(best.get(source, found), found)
    return [path for *_, path in sorted(best.values(), reverse=True)[:MATRICES]]


def law_of(selector: str, known: Moments) -> Law:
    """The planner's law by the moments of all models; variances to the divisor N as the theory has them."""
    arm, left = Arm.of(selector), 0.0
    if selector == "bestrand":
        left = equal_leftover(max(known.rho, 0.0), PROBES, arm.candidates)
    return exchangeable_law(
        known.variance,
        known.rho,
        probes=0 if selector == "random" else PROBES,
        items=known.items,
        factor=arm.pool_factor,
        imbalance=left,
    )


def known_rows(path: Path, seeds: int, goals: Sequence[float]) -> Iterator[Row]:
    """Part 1 of one matrix."""
    table = TableStudy(path, n_probes=PROBES)
    scores, dropped = read_scores(table)
    problem, known = table_problem(table, scores, dropped), moments(scores.masked(0))
    targets = len(scores.policies) - PROBES
    ways = {selector: p95_of(law_of(selector, known), targets) for selector in SELECTORS}
    ways[FULL] = full_p95_of(covariance_matrix(scores.masked(0)), known.items)
    for goal in goals:
        for way, p95 in ways.items():
            k = smallest_size(within(p95, goal), known.items)
            if k is None or k == known.items:
                continue
            reached, se = measured_p95(problem, way.split(",")[0], k, seeds)
            yield {
                "part": "known",
                "benchmark": problem.name,
                "selector": way,
                "goal": goal,
                "items": known.items,
                "models": known.models,
                "rho": known.rho,
                "positive": known.positive,
                "k": k,
                "predicted": p95(k),
                "measured": reached,
                "ratio": reached / goal,
                "se": se / goal,
            }


def p95_of(law: Law, targets: int) -> Callable[[int], float]:
    """The planner's P95 error by size."""
    return lambda k: p95_error(law(k), targets)


def full_p95_of(covariances: np.ndarray, items: int) -> Callable[[int], float]:
    """P95 error of random subsets by size for models with these covariances, which need not be alike."""
    unit = float(np.quantile(mae_draws(covariances), 0.95))
    return lambda k: sampling_factor(k, items) * unit


def within(p95: Callable[[int], float], goal: float) -> Callable[[int], bool]:
    """Whether a size has a 95th percentile within the goal."""
    return lambda k: p95(k) <= goal


def measured_p95(problem: Problem, selector: str, k: int, seeds: int) -> tuple[float, float]:
    """95th percentile of the error over suites of one size, and its standard error by 200 bootstraps."""
    cell = Cell(problem, Arm.of(selector), None, k, k / len(problem.scores.items))
    draws = np.concatenate(
        [draw_maes(measure(cell, block).error[:, :, 0].astype(np.float64)) for block in blocks(seeds)]
    )
    rng = np.random.default_rng(0)
    again = np.quantile(rng.choice(draws, (200, len(draws))), 0.95, axis=1)
    return float(np.quantile(draws, 0.95)), float(again.std(ddof=1))


def probe_rows(data: Path, paths: Sequence[Path], draws: int) -> Iterator[Row]:
    """Part 2."""
    for path in paths:
        whole = table_evidence(TableSource(path))
        groups = [(name,) for name in whole.scores.policies]
        known = moments(whole.scores.masked(0))
        sure = p95_error(law_of("balanced", known)(kept_items(known.items, SPREAD_KEEP)), 1)
        yield from spread_rows(path.name.split(".")[0], whole, groups, draws, {"score": sure})
    routes = data / "bench2drive" / "routes" / "bench2drive220.xml"
    results = data / "bench2drive" / "results"
    sources = [ResultSource(name, results / name) for members in FAMILIES.values() for name in members]
    driving = driving_evidence(load_benchmark("bench2drive", routes), sources)
    yield from spread_rows("bench2drive", driving, list(FAMILIES.values()), draws, {})


def spread_rows(
    name: str, whole: Evidence, groups: Sequence[tuple[str, ...]], draws: int, sure: Mapping[str, float]
) -> Iterator[Row]:
    """Predictions from random probes, one row a metric.

    They are divided by what as many probes would predict that knew the moments of all models, by metric (``sure``), or,
    where strata leave no such formula, by the mean over the draws.
    """
    k = kept_items(len(whole.scores.items), SPREAD_KEEP)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(draws):
        picked = [groups[number] for number in rng.choice(len(groups), PROBES, replace=False)]
        found.append(predicted(whole, picked, k))
    for metric in dict.fromkeys(name for one in found for name in one):
        values = np.array([one[metric][0] for one in found if metric in one])
        expected = sure.get(metric, float(values.mean()))
        ratios = values / expected
        doubts = np.array([one[metric][1] for one in found if metric in one])
        low, middle, high = np.quantile(ratios, (0.1, 0.5, 0.9))
        yield {
            "part": "probes",
            "benchmark": name,
            "metric": metric,
            "k": k,
            "predicted": expected,
            "median": float(middle),
            "low": float(low),
            "high": float(high),
            "sd": float(ratios.std(ddof=1)),
            "told": float(np.median(doubts)),
        }


def predicted(whole: Evidence, groups: Sequence[tuple[str, ...]], k: int) -> dict[str, tuple[float, float]]:
    """Predicted P95 error about this run of one target and the planner's own doubt, by metric."""
    names = [name for members in groups for name in members]
    infos = tuple(info for info in whole.probes if info.name in names)
    scores = whole.scores.with_policies(names)
    families = {members[0]: members for members in groups if len(members) > 1}
    evidence = replace(whole, scores=replace(scores, cost_s=None), probes=infos)
    plan = plan_evidence(evidence, PlanRequest(k=k, claim="run", families=families))
    return {one.outlook.name: (one.at.p95, one.outlook.doubt or 0.0) for one in plan.metrics if one.at is not None}


def known_table(rows: Sequence[Row]) -> str:
    """Part 1 as docs/planner.md shows it."""
    known = [row for row in rows if row["part"] == "known"]
    goals = sorted({float(row["goal"] or 0) for row in known}, reverse=True)
    body = []
    for name, selector in dict.fromkeys((str(row["benchmark"]), str(row["selector"])) for row in known):
        own = {float(row["goal"] or 0): row for row in known if (row["benchmark"], row["selector"]) == (name, selector)}
        one = next(iter(own.values()))
        cells = [f"{own[g]['ratio']:.2f} ({own[g]['se']:.2f}), k {own[g]['k']}" if g in own else "-" for g in goals]
        body.append([name, f"{one['items']} x {one['models']}; {one['rho']:.2f}", f"`{selector}`", *cells])
    return markdown(["matrix", "N x models; rho", "selector", *(f"goal {goal:g}" for goal in goals)], body)


def probes_table(rows: Sequence[Row]) -> str:
    """Part 2 as docs/planner.md shows it."""
    body = []
    for row in rows:
        if row["part"] == "probes":
            span, spreads = f"{row['low']:.2f} to {row['high']:.2f}", (f"{row['sd']:.2f}", f"{row['told']:.2f}")
            names = [str(row[key]) for key in ("benchmark", "metric", "k")]
            body.append([*names, f"{row['median']:.2f}", span, *spreads])
    return markdown(["benchmark", "metric", "k", "median", "middle 80 %", "sd", "sd as told"], body)


def main() -> int:
    """Measure and print; with --check leave with 1 when a cell of part 1 lies outside."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="folder of matrices/ and bench2drive/"
    )
    parser.add_argument("--quick", action="store_true", help="two matrices, two goals, fewer suites and draws")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    parser.add_argument("--check", action="store_true", help="leave with 1 when a ratio is outside .88 to 1.10")
    parser.add_argument("--docs", type=Path, help="document whose marked tables are written")
    options = parser.parse_args()
    torch.set_num_threads(1)
    paths = six(options.data)
    seeds, draws, goals = (100, 10, GOALS[1:3]) if options.quick else (SEEDS, DRAWS, GOALS)
    if options.quick:
        paths = paths[-2:]
    rows: list[Row] = []
    for path in paths:
        rows += known_rows(path, seeds, goals)
        print(f"{path.name}: measured", file=sys.stderr)
    rows += probe_rows(options.data, paths, draws)
    tables = {"bench_planner known": known_table(rows), "bench_planner probes": probes_table(rows)}
    print(json.dumps(rows, indent=1, allow_nan=False) if options.json else "\n\n".join(tables.values()))
    for name, text in tables.items() if options.docs else ():
        put_into(options.docs, name, text)
    ratios = [float(row["ratio"] or 0) for row in rows if row["part"] == "known"]
    outside = sum(not WANTED[0] <= ratio <= WANTED[1] for ratio in ratios)
    print(f"{len(ratios) - outside} of {len(ratios)} ratios within {WANTED[0]} to {WANTED[1]}", file=sys.stderr)
    return 1 if options.check and outside else 0


if __name__ == "__main__":
    sys.exit(main())
