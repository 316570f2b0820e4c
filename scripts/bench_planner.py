"""How large errors are at the sizes that the planner chooses, beside the errors that were wanted.

    scripts/bench_planner --data DATA [--quick] [--json] [--check] [--docs docs/planner.md]

DATA holds matrices/*.csv.gz and bench2drive/{routes,results}. Part 1, "known": variance and correlation are those of
all models. For six matrices, four goals and three ways to choose, the planner says the smallest k whose error (mean
absolute error over all models that are no probes) stays under the goal in 95 of 100 suites; 400 suites of that size are
drawn, each with 5 random probes, and the 95th percentile of their errors is divided by the goal. Wanted: .88 to 1.10.
Beside random, and not counted, stands what the mean correlation in place of `theory.mae_correlation` would have said.

The six are chosen by a rule, before any figure: of the complete matrices with 0/1 scores those on which models are
alike as far as `bestrand plan` asks (``LEAST_POSITIVE`` of the pairs covary positively); of these the one with the most
models of each source (the part of the name before the first underscore; the one with most items among equals), and of
these the six with the most models. All complete 0/1 matrices that fail the check make a table of their own, "left out",
with the same figures and with those of the models' full covariances (``theory.mae_draws``).

Part 2, "probes": what `bestrand plan` predicts from 5 random probes alone at one size, over what it would predict for 5
probes with the moments of all models: median and the range of the middle 80 %, over 60 draws. On Bench2Drive 5 random
families of policies, over the mean of the draws.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from documents import markdown, put_into

from bestrand_drive.compression.planning.goals import p95_error, smallest_size
from bestrand_drive.compression.planning.laws import Law, equal_leftover, exchangeable_law
from bestrand_drive.compression.pool import kept_items, pool_size
from bestrand_drive.compression.theory import (
    Moments,
    correlation_matrix,
    covariance_matrix,
    leftover,
    mae_correlation,
    mae_draws,
    moments,
    phase_factors,
)
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.cells import Cell, blocks, measure
from bestrand_drive.study.measures import draw_maes
from bestrand_drive.study.problem import Problem
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.evidence.tabular import TableSource, table_evidence
from bestrand_drive.workflows.planning.outlook import LEAST_POSITIVE
from bestrand_drive.workflows.planning.plan_request import PlanRequest
from bestrand_drive.workflows.planning.planning import plan_evidence
from bestrand_drive.workflows.studying.table_splits import table_problem
from bestrand_drive.workflows.studying.tables import TableStudy, read_scores

Row = dict[str, str | int | float | None]
GOALS = (0.06, 0.04, 0.025, 0.015)
WANTED = (0.88, 1.10)
PROBES, SEEDS, DRAWS, MATRICES = 5, 400, 60, 6
SELECTORS = ("random", "bestrand", "balanced")
FULL, MEAN = ", full covariances", "random, mean correlation"
SPLITS, DRAWS_A_SPLIT = 16, 1250
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


@dataclass(frozen=True)
class Table:
    """A complete matrix with 0/1 scores.

    Attributes:
        path: File.
        known: Moments of all models.
    """

    path: Path
    known: Moments

    @property
    def alike(self) -> bool:
        """Whether it passes the check."""
        return self.known.positive >= LEAST_POSITIVE


def tables_of(data: Path) -> list[Table]:
    """All complete matrices with 0/1 scores, by name."""
    found = []
    for path in sorted((data / "matrices").glob("*.csv.gz")):
        values = read_scores(TableStudy(path))[0].masked(0)
        if np.isin(values, (0.0, 1.0)).all():
            found.append(Table(path, moments(values)))
    return found


def six(tables: Sequence[Table]) -> list[Path]:
    """The matrices of part 1, by the rule above."""
    best: dict[str, tuple[int, int, Path]] = {}
    for table in tables:
        if table.alike:
            source, one = table.path.name.split("_")[0], (table.known.models, table.known.items, table.path)
            best[source] = max(best.get(source, one), one)
    return [path for *_, path in sorted(best.values(), reverse=True)[:MATRICES]]


def law_of(selector: str, known: Moments, together: float) -> Law:
    """The planner's law by the moments of all models; variances to the divisor N as the theory has them.

    Args:
        selector: One of ``SELECTORS``.
        known: Moments.
        together: ``theory.mae_correlation``, for random.
    """
    arm, left = Arm.of(selector), 0.0
    if selector == "bestrand":
        left = equal_leftover(max(known.rho, 0.0), PROBES, arm.candidates)
    return exchangeable_law(
        known.variance,
        together if selector == "random" else known.rho,
        probes=0 if selector == "random" else PROBES,
        items=known.items,
        factor=arm.pool_factor,
        imbalance=left,
    )


def known_rows(path: Path, seeds: int, goals: Sequence[float], part: str) -> Iterator[Row]:
    """Part 1 of one matrix."""
    table = TableStudy(path, n_probes=PROBES)
    scores, notes = read_scores(table)
    problem, covariances = table_problem(table, scores, notes), covariance_matrix(scores.masked(0))
    known, targets = moments(scores.masked(0)), len(scores.policies) - PROBES
    together = mae_correlation(covariances)
    ways = {selector: p95_of(law_of(selector, known, together), targets) for selector in SELECTORS}
    if part == "known":
        ways[MEAN] = p95_of(law_of("random", known, known.rho), targets)
    else:
        ways |= {name + FULL: full_p95_of(name, problem, covariances) for name in SELECTORS}
    for goal in goals:
        for way, p95 in ways.items():
            k = smallest_size(within(p95, goal), known.items)
            if k is None or k == known.items:
                continue
            reached, se = measured_p95(problem, way.split(",")[0], k, seeds)
            yield {
                "part": part,
                "benchmark": problem.name,
                "selector": way,
                "goal": goal,
                "items": known.items,
                "models": known.models,
                "rho": known.rho,
                "together": together,
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


def full_p95_of(selector: str, problem: Problem, covariances: np.ndarray) -> Callable[[int], float]:
    """P95 error by size for models with these covariances, less what each one's best regression on the probes takes."""
    arm, items = Arm.of(selector), len(problem.scores.items)
    splits = [problem.split(seed)[0] for seed in range(SPLITS)]

    @lru_cache
    def p95(k: int) -> float:
        a1, a2 = phase_factors(k, pool_size(k, arm.pool_factor, items), items)
        drawn = []
        for seed, roles in enumerate(splits):
            targets, probes = list(roles.targets), list(roles.probes)
            own, across = covariances[np.ix_(probes, probes)], covariances[np.ix_(targets, probes)]
            errors = (a1 + a2) * covariances[np.ix_(targets, targets)]
            if selector != "random":
                left = covariance_leftover(own, arm.candidates) if selector == "bestrand" else 0.0
                errors = errors - a1 * (1 - left) * across @ np.linalg.pinv(own, hermitian=True) @ across.T
            drawn.append(mae_draws(errors, DRAWS_A_SPLIT, seed))
        return float(np.quantile(np.concatenate(drawn), 0.95))

    return p95


def covariance_leftover(own: np.ndarray, candidates: int) -> float:
    """As ``planning.laws.search_leftover``, for standardised probes of these covariances."""
    correlations = correlation_matrix(own)
    return leftover(len(own) ** 2 / float((correlations**2).sum()), candidates)


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
        sure = p95_error(law_of("balanced", known, known.rho)(kept_items(known.items, SPREAD_KEEP)), 1)
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


def known_table(rows: Sequence[Row], part: str) -> str:
    """Part 1 as docs/planner.md shows it: the six, or those left out."""
    known = [row for row in rows if row["part"] == part]
    goals = sorted({float(row["goal"] or 0) for row in known}, reverse=True)
    body = []
    for name, selector in dict.fromkeys((str(row["benchmark"]), str(row["selector"])) for row in known):
        own = {float(row["goal"] or 0): row for row in known if (row["benchmark"], row["selector"]) == (name, selector)}
        one = next(iter(own.values()))
        cells = [f"{own[g]['ratio']:.2f} ({own[g]['se']:.2f}), k {own[g]['k']}" if g in own else "-" for g in goals]
        spread = f"{one['positive']:.2f}; {one['rho']:.2f}, {one['together']:.2f}"
        body.append([name, f"{one['items']} x {one['models']}", spread, f"`{selector}`", *cells])
    return markdown(
        ["matrix", "N x models", "positive; rho, MAE's", "selector", *(f"goal {goal:g}" for goal in goals)], body
    )


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
    tables = tables_of(options.data)
    paths, failing = six(tables), [table.path for table in tables if not table.alike]
    seeds, draws, goals = (100, 10, GOALS[1:3]) if options.quick else (SEEDS, DRAWS, GOALS)
    if options.quick:
        paths, failing = paths[-2:], failing[:1]
    rows: list[Row] = []
    for path, part in [*((path, "known") for path in paths), *((path, "left out") for path in failing)]:
        rows += known_rows(path, seeds, goals, part)
        print(f"{path.name}: measured", file=sys.stderr)
    rows += probe_rows(options.data, paths, draws)
    texts = {f"bench_planner {part}": known_table(rows, part) for part in ("known", "left out")}
    texts["bench_planner probes"] = probes_table(rows)
    print(json.dumps(rows, indent=1, allow_nan=False) if options.json else "\n\n".join(texts.values()))
    for name, text in texts.items() if options.docs else ():
        put_into(options.docs, name, text)
    ratios = [float(row["ratio"] or 0) for row in rows if row["part"] == "known" and row["selector"] != MEAN]
    outside = sum(not WANTED[0] <= ratio <= WANTED[1] for ratio in ratios)
    print(f"{len(ratios) - outside} of {len(ratios)} ratios within {WANTED[0]} to {WANTED[1]}", file=sys.stderr)
    return 1 if options.check and outside else 0


if __name__ == "__main__":
    sys.exit(main())
