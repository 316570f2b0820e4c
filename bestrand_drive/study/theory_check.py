"""Theory beside what a study found: does the exact law, and does the published one, hold for these scores?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bestrand_drive.compression import theory
from bestrand_drive.compression.pool import pool_size
from bestrand_drive.study.cells import BLOCK, Cell, Outcome
from bestrand_drive.study.choosing import choose_batch
from bestrand_drive.study.kernel_mode import kernel_mode, law_mode
from bestrand_drive.study.measures import draw_maes
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.study import Plan, Row, outcome_of

SELECTORS = ("random", "bestrand")
"""Whose plain means the theory is of."""
LEVEL = 0.95
SETS = 16
"""Sets of targets whose covariances are drawn from."""
DRAWS = 1250
"""Draws of errors a set."""
Array = np.ndarray


@dataclass(frozen=True)
class Expected:
    """What the theory says of one cell and metric.

    Attributes:
        moments: Of the scores, over all models.
        phase: Variance and covariance of the targets' errors.
        imbalance: v_m as measured; None for random.
        probes: Mean number that guided the choice.
        targets: M.
        draws: float64 [draw], MAE from normal errors with the covariances of the scores themselves.
    """

    moments: theory.Moments
    phase: theory.TwoPhase
    imbalance: float | None
    probes: int
    targets: int
    draws: Array

    @property
    def law(self) -> theory.MaeLaw:
        """The exact law, in ``phase.sd``; a correlation below 0 counts as 0."""
        return theory.mae_law(max(self.phase.correlation, 0.0), self.targets)


def theory_rows(plan: Plan) -> Iterator[Row]:
    """One row a cell and metric, from kept parts.

    Args:
        plan: Of ``SELECTORS`` with the plain mean, one case a seed (the random split).
    """
    known = {
        problem.name: [theory.covariance_matrix(problem.values[:, :, number]) for number in _metrics(problem)]
        for problem, _ in plan.entries
    }
    for cell in plan.cells():
        outcome = outcome_of(plan, cell)
        imbalances = _imbalances(cell, range(min(BLOCK, plan.seeds)))
        for number in _metrics(cell.problem):
            head: Row = {"benchmark": cell.problem.name, "selector": cell.arm.label}
            head["metric"] = cell.problem.scores.metric_names[number]
            expected = _expected(cell, number, known[cell.problem.name][number], imbalances[number])
            yield head | _row(cell, outcome, number, expected)


def _metrics(problem: Problem) -> range:
    return range(len(problem.scores.metrics))


def _row(cell: Cell, outcome: Outcome, metric: int, expected: Expected) -> Row:
    moments, models = expected.moments, expected.targets
    row: Row = {"keep": cell.keep, "k": cell.k, "pool": _pool(cell), "seeds": len(outcome.error), "targets": models}
    row |= {"rho": moments.rho, "sigma": moments.sigma, "probes": expected.probes, "imbalance": expected.imbalance}
    row |= {
        "r1_squared": theory.r1_squared(moments.rho, expected.probes),
        "rc_squared": theory.rc_squared(moments.rho, expected.probes, models),
        "scale": expected.phase.sd,
        "error_rho": expected.phase.correlation,
    }
    error = outcome.error[:, :, metric].astype(np.float64)
    maes = draw_maes(error)
    return row | _found(expected, error[~np.isnan(maes)], maes[~np.isnan(maes)])


def _found(expected: Expected, error: Array, maes: Array) -> Row:
    """Empirical figures beside the formula's and the exact ones; None where nothing was drawn or nothing varies."""
    scale, rho, models = expected.phase.sd, expected.phase.correlation, expected.targets
    limit = theory.common_sd(scale, max(rho, 0.0), math.inf)
    row: Row = {
        "mean_theory": theory.mean_mae(scale),
        "s": expected.phase.common_sd(models),
        "mode_formula": theory.mode(scale, rho, models),
        "mode_exact": scale * expected.law.mode,
        "y0": theory.y0(scale, rho),
        "p95_exact": scale * expected.law.quantile(LEVEL),
        "p95_covariance": float(np.quantile(expected.draws, LEVEL)),
        "p95_tail_bound": theory.tail_quantile(LEVEL, limit),
    }
    names = ("mae", "mean_error_sd", "mode", "mode_se", "mode_kernel", "below_y0", "p95", "p95_ratio", "p95_ratio_se")
    row |= dict.fromkeys((*names, "p95_covariance_ratio", "tail_bound"))
    if len(maes) < 2 or not scale > 0 or not maes.std() > 0:
        return row
    mode = kernel_mode(maes)
    p95 = float(np.quantile(maes, LEVEL))
    density = expected.law.pdf(expected.law.quantile(LEVEL)) / scale
    return row | {
        "mae": float(maes.mean()),
        "mean_error_sd": float(np.nanmean(error, axis=1).std()),
        "mode": mode.value,
        "mode_se": mode.se,
        "mode_kernel": law_mode(expected.law, scale, mode.bandwidth),
        "below_y0": float((maes < float(row["y0"] or 0)).mean()),
        "p95": p95,
        "p95_ratio": p95 / float(row["p95_exact"] or 1),
        "p95_ratio_se": math.sqrt(LEVEL * (1 - LEVEL) / len(maes)) / density / float(row["p95_exact"] or 1),
        "p95_covariance_ratio": p95 / float(row["p95_covariance"] or 1),
        "tail_bound": theory.tail_bound(p95, limit),
    }


def _expected(cell: Cell, metric: int, covariances: Array, imbalance: float | None) -> Expected:
    """The theory of a cell; k, pool and N are means over the models of the items that have a score."""
    problem = cell.problem
    known = float((~np.isnan(problem.values[:, :, metric])).mean())
    items = len(problem.scores.items)
    sizes = [max(part * known, 1.0) for part in (cell.k, _pool(cell), items)]
    moments = theory.moments_of(covariances, items)
    roles = problem.split(0)[0]
    probes = len(roles.probes)
    phase = theory.two_phase(
        *sizes,
        variance=moments.variance,
        rho=moments.rho,
        probes=0 if imbalance is None else probes,
        imbalance=imbalance or 0.0,
    )
    draws = _covariance_draws(problem, np.nan_to_num(covariances), sizes, imbalance)
    return Expected(moments, phase, imbalance, 0 if imbalance is None else probes, len(roles.targets), draws)


def _covariance_draws(problem: Problem, matrix: Array, sizes: Sequence[float], imbalance: float | None) -> Array:
    """MAE of normal errors with each set's own covariances, less what its probes explain of them: float64 [draw]."""
    a1, a2 = theory.phase_factors(*sizes)
    drawn = []
    for seed in range(SETS):
        roles = problem.split(seed)[0]
        targets, probes = list(roles.targets), list(roles.probes)
        errors = (a1 + a2) * matrix[np.ix_(targets, targets)]
        if imbalance is not None:
            across = matrix[np.ix_(targets, probes)]
            inverse = np.linalg.pinv(matrix[np.ix_(probes, probes)], rcond=1e-6, hermitian=True)
            errors = errors - a1 * (1 - imbalance) * across @ inverse @ across.T
        drawn.append(theory.mae_draws(errors, DRAWS, seed))
    return np.concatenate(drawn)


def _imbalances(cell: Cell, seeds: Sequence[int]) -> list[float | None]:
    """v_m of each metric: squared imbalance of the probes' mean in the chosen subsets over that of random ones.

    The mean of the probes is what guides a prediction when models are alike. None for random.
    """
    problem = cell.problem
    metrics = _metrics(problem)
    if cell.arm.selector == "random":
        return [None for _ in metrics]
    roles = [problem.split(seed)[0] for seed in seeds]
    left, full = np.zeros(len(metrics)), np.zeros(len(metrics))
    for chosen in choose_batch(problem, cell.arm, cell.k, seeds, roles, 0):
        scores = problem.values[:, list(chosen.roles.probes)]
        pooled = _profile(scores[chosen.pool])
        size = len(chosen.pool)
        if size == cell.k:
            continue
        places = np.searchsorted(chosen.pool, chosen.indices)
        left += (np.nanmean(pooled[places], axis=0) - np.nanmean(pooled, axis=0)) ** 2
        full += (1 / cell.k - 1 / size) * np.nanvar(pooled, axis=0, ddof=1)
    return [float(a / b) if b > 0 else 0.0 for a, b in zip(left, full, strict=True)]


def _profile(scores: Array) -> Array:
    """Mean over probes of their deviations from their own pool means, float64 [pool item, metric]; 0 without any."""
    known = ~np.isnan(scores)
    means = np.where(known, scores, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    moved = np.where(known, scores - means, 0.0)
    return np.asarray(moved.sum(axis=1) / np.maximum(known.sum(axis=1), 1))


def _pool(cell: Cell) -> int:
    """P, items that the choice looks at; all for random, whose pool does not matter."""
    return pool_size(cell.k, cell.arm.pool_factor, len(cell.problem.scores.items))
