"""Measures of a cell against values worked out by hand and against scipy, and random against its formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.cells import Cell, Outcome, measure
from bestrand_drive.study.measures import _order_of, draw_maes, measures
from bestrand_drive.study.splits import random_split
from tests.study.worlds import binary_table, driving_problem, table_problem


def outcome(error: np.ndarray, covered: np.ndarray | None = None) -> Outcome:
    whole = error.astype(np.float32)[:, :, None]
    held = np.full(whole.shape, -1, np.int8) if covered is None else covered.astype(np.int8)[:, :, None]
    return Outcome("mean", whole, held, np.where(held >= 0, np.float32(0.5), np.nan), np.full(len(error), 5.0))


def cell(policies: int = 12) -> Cell:
    return Cell(table_problem(binary_table(policies=policies)), Arm.of("bestrand"), None, 12, 0.1)


def test_errors_by_hand():
    error = np.full((2, 12), np.nan)
    error[0, :2], error[1, 1:3] = [0.1, -0.3], [0.2, 0.4]
    found = measures(cell(), outcome(error), 0, None)
    assert found.mae == pytest.approx((0.2 + 0.3) / 2)
    assert found.mae_sd == pytest.approx(np.std([0.2, 0.3], ddof=1))
    assert found.mae_se == pytest.approx(np.std([0.2, 0.3], ddof=1) / np.sqrt(2))
    assert found.rmse == pytest.approx(np.sqrt((0.01 + 0.09 + 0.04 + 0.16) / 4))
    assert found.bias == pytest.approx(0.1)
    assert found.p95 == pytest.approx(np.quantile([0.2, 0.3], 0.95))
    assert found.targets == 3
    assert found.cost == pytest.approx(5 * 48 / 120)
    assert (found.risk_p70, found.spearman, found.coverage95, found.width) == (None, None, None, None)


def test_risks_are_against_random_s_draws():
    rng = np.random.default_rng(0)
    random = outcome(np.abs(rng.normal(size=(1000, 12))))
    same = measures(cell(), random, 0, random)
    assert same.risk_p70 == pytest.approx(0.3, abs=0.002)
    levels = draw_maes(random.error[:, :, 0].astype(float))
    assert same.risk_mean == pytest.approx((levels > levels.mean()).mean(), abs=0.002)
    assert measures(cell(), outcome(np.full((10, 12), 9.0)), 0, random).risk_p70 == 1
    assert measures(cell(), outcome(np.zeros((10, 12))), 0, random).risk_p70 == 0


def test_coverage_is_a_mean_over_targets_and_names_the_ends():
    problem = table_problem()
    problem.truth[:] = 0.5
    problem.truth[0], problem.truth[1] = 0.95, 0.05
    covered = np.full((4, 12), -1)
    covered[:, 0], covered[:3, 1], covered[:, 2] = 1, [0, 1, 1], [1, 1, 0, 0]
    found = measures(Cell(problem, Arm.of("random"), None, 12, 0.1), outcome(np.zeros((4, 12)), covered), 0, None)
    assert found.coverage95 == pytest.approx((1 + 2 / 3 + 0.5) / 3)
    assert found.coverage95_worst == pytest.approx(0.5)
    assert found.coverage95_high == 1
    assert found.coverage95_low == pytest.approx(2 / 3)
    assert found.width == 0.5


def test_the_best_of_a_metric_that_should_be_low_are_the_lowest():
    scores = replace(binary_table(), metrics=(MetricSpec("errors", 0.0, 1.0, higher_is_better=False),))
    found = []
    for told in (scores, binary_table()):
        problem = table_problem(told)
        problem.truth[:, 0] = np.arange(12) / 12
        error = np.zeros((4, 12))
        error[:, 11] = -0.4  # the highest comes to lie in the middle
        found.append(measures(Cell(problem, Arm.of("random"), None, 12, 0.1), outcome(error), 0, None))
    low, high = found
    assert (low.top3, high.top3) == pytest.approx((1.0, 2 / 3))
    assert (low.spearman, low.pairwise) == pytest.approx((high.spearman, high.pairwise))


def test_errors_of_rounding_alone_are_none():
    """Of a whole benchmark no draw is worse than another, so that a tenth of random's must not look like a risk."""
    rng = np.random.default_rng(0)
    whole = outcome(1e-12 * rng.normal(size=(50, 12)))
    found = measures(cell(), whole, 0, whole)
    assert (found.mae, found.rmse, found.risk_p70, found.risk_mean) == (0, 0, 0, 0)
    small = outcome(1e-8 * rng.normal(size=(50, 12)))
    assert measures(cell(), small, 0, small).risk_p70 == pytest.approx(0.3)


def test_orders_are_those_of_scipy():
    rng = np.random.default_rng(0)
    truth = np.round(rng.random((30, 7)), 1)
    guess = np.round(truth + rng.normal(0, 0.2, truth.shape), 1)
    found = _order_of(guess, truth)
    for row in range(30):
        assert found[row, 0] == pytest.approx(stats.spearmanr(guess[row], truth[row]).statistic)
        assert found[row, 1] == pytest.approx(stats.kendalltau(guess[row], truth[row]).statistic)
        pairs = [(i, j) for i in range(7) for j in range(i) if truth[row, i] != truth[row, j]]
        right = [
            1.0 if (guess[row, i] - guess[row, j]) * (truth[row, i] - truth[row, j]) > 0 else
            0.5 if guess[row, i] == guess[row, j] else 0.0
            for i, j in pairs
        ]  # fmt: skip
        assert found[row, 2] == pytest.approx(np.mean(right))
    assert _order_of(np.array([[4.0, 3, 2, 1]]), np.array([[1.0, 2, 3, 4]]))[0].tolist() == [-1, -1, 0, 2 / 3]


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1.0, 1e6])
def test_orders_do_not_depend_on_the_unit(unit):
    rng = np.random.default_rng(1)
    truth = np.tile(0.1 + 0.8 * rng.permutation(9) / 9, (20, 1))
    guess = truth + rng.normal(0, 0.2, truth.shape)
    guess[:, 3] = guess[:, 4]
    np.testing.assert_allclose(_order_of(unit * guess, unit * truth), _order_of(guess, truth))


def test_random_s_error_is_that_of_the_formula():
    """RMSE of the mean of a random subset: sqrt(mean over targets of s^2 / k (1 - k / N))."""
    problem = table_problem(binary_table(items=90, policies=20))
    for k in (9, 30, 72):
        found = measures(Cell(problem, Arm.of("random"), None, k, k / 90), measure_random(problem, k), 0, None)
        s2 = problem.values[:, :, 0].var(axis=0, ddof=1).mean()
        expected = np.sqrt(s2 / k * (1 - k / 90))
        assert found.rmse == pytest.approx(expected, rel=0.06)
        assert found.mae == pytest.approx(np.sqrt(2 / np.pi) * expected, rel=0.08)
        assert abs(found.bias or 0) < 4 * expected / np.sqrt(400)
        assert 0.94 < (found.coverage95 or 0) < 0.985, "Wilson's interval is wide at small k"


def measure_random(problem, k):
    return measure(Cell(problem, Arm.of("random"), None, k, k / 90), range(400))


def test_balanced_subsets_err_less():
    problem = table_problem(binary_table(items=150, policies=20), split=random_split(np.arange(20.0), 5))
    mae = {
        name: measures(
            Cell(problem, Arm.of(name), None, 20, 0.1), measure(Cell(problem, Arm.of(name), None, 20, 0.1), range(100)),
            0, None,
        ).mae
        for name in ("random", "bestrand", "balanced")
    }  # fmt: skip
    assert mae["bestrand"] < 0.95 * mae["random"]
    assert mae["balanced"] < 0.95 * mae["random"]


def test_nothing_is_ever_not_a_number():
    problem = driving_problem(gaps=0.8)
    for arm in ("random", "balanced"):
        here = Cell(problem, Arm.of(arm), None, 2, 0.05)
        found = measure(here, range(5))
        for metric in range(4):
            values = vars(measures(here, found, metric, found)).values()
            assert not any(isinstance(value, float) and np.isnan(value) for value in values)
