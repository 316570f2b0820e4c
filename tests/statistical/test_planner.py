"""Suites of the planned size err as much as planned, and find the differences that they are said to find."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.difficulty import anova
from bestrand_drive.compression.planning.components import pair_components, stratum_model
from bestrand_drive.compression.planning.goals import p95_error, smallest_size
from bestrand_drive.compression.planning.laws import Design, equal_leftover, exchangeable_law
from bestrand_drive.compression.theory.moments import moments
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.cells import Cell, measure
from bestrand_drive.study.measures import draw_maes
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.splits import random_split
from bestrand_drive.workflows.planning.outlook import model_variance

SEEDS = 300


def toy(models: int = 24, items: int = 400) -> Problem:
    """0/1 scores by a shared difficulty; models of like ability."""
    rng = np.random.default_rng(5)
    hidden = rng.normal(size=(items, 1)) + rng.normal(size=(items, models)) + rng.normal(0, 0.2, size=models)
    scores = ScoreMatrix.from_arrays(
        (hidden > 0).astype(float)[:, :, None],
        items=[f"q{i}" for i in range(items)],
        policies=[f"m{i}" for i in range(models)],
        metrics=[MetricSpec("score", 0, 1, binary=True)],
    )
    return Problem("toy", scores, random_split(scores.masked(0).mean(axis=0), 5), "random 5 random")


@pytest.mark.parametrize("selector", ["random", "bestrand", "balanced"])
@pytest.mark.parametrize("goal", [0.06, 0.03])
def test_the_95th_percentile_is_the_goal(selector, goal):
    """300 suites tell it to about 4 %; .85 to 1.13 is three of that about the planner's own .97 or so."""
    problem = toy()
    known, arm = moments(problem.scores.masked(0)), Arm.of(selector)
    law = exchangeable_law(
        known.variance,
        known.rho,
        probes=0 if selector == "random" else 5,
        items=known.items,
        factor=arm.pool_factor,
        imbalance=equal_leftover(known.rho, 5, arm.candidates) if selector == "bestrand" else 0.0,
    )
    k = smallest_size(lambda size: p95_error(law(size), 19) <= goal, known.items)
    assert k is not None
    errors = measure(Cell(problem, arm, None, k, k / known.items), range(SEEDS)).error[:, :, 0]
    reached = float(np.quantile(draw_maes(errors.astype(np.float64)), 0.95))
    assert 0.85 < reached / goal < 1.13


def test_differences_on_stratified_suites():
    """The error of the difference of two policies' stratified means, by drawing them, beside what is predicted.

    Two policies differ by strata (variance 1 a policy) and by items (variance 4 a policy); 40 strata of 5 items.
    """
    rng = np.random.default_rng(2)
    strata = np.repeat(np.arange(40), 5)
    columns = rng.normal(size=(40, 8))[strata] + 2 * rng.normal(size=(200, 8)) + 3 * rng.normal(size=(200, 1))
    columns -= columns.mean(axis=0)
    pairs = pair_components(columns, strata, [[number] for number in range(8)])
    assert pairs is not None
    design = Design([str(code) for code in strata], np.arange(200), None, seed=0)
    variance = model_variance(stratum_model(pairs, strata), np.ones(200), 1.0)
    drawn = design.drawn(80, count=400)
    wanted = np.mean([variance(pool, measured) for pool, measured in drawn[:10]])
    gaps = columns[:, :4] - columns[:, 4:]
    errors = np.array([gaps[measured].mean(axis=0) for _, measured in drawn])
    assert np.mean(errors**2) == pytest.approx(wanted, rel=0.12)
    assert np.mean([anova(gap, strata)[1] for gap in gaps.T]) == pytest.approx(pairs[1], rel=0.15)
