"""Part 1 of bench_planner: errors at planned sizes, where the moments of all models are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from documents import markdown

from bestrand_drive.compression.planning.goals import p95_error, smallest_size
from bestrand_drive.compression.planning.laws import Law, equal_leftover, exchangeable_law
from bestrand_drive.compression.pool import pool_size
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
from bestrand_drive.workflows.planning.outlook import LEAST_POSITIVE
from bestrand_drive.workflows.studying.table_splits import table_problem
from bestrand_drive.workflows.studying.tables import TableStudy, read_scores

Row = dict[str, str | int | float | None]
PROBES, MATRICES = 5, 6
SELECTORS = ("random", "bestrand", "balanced")
FULL, MEAN = ", full covariances", "random, mean correlation"
SPLITS, DRAWS_A_SPLIT = 16, 1250


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
    """The matrices of part 1, by the rule of bench_planner."""
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
