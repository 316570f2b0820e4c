"""Rows of a theory check against a world in which the theory is true, and against loops over the parts."""

import numpy as np
import pytest

from bestrand_drive.compression import theory
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.study import Plan, outcome_of, run_study
from bestrand_drive.study.theory_check import SELECTORS, theory_rows
from tests.study.worlds import binary_table, table_problem

SEEDS = 400


def normal_table(items=400, policies=14, rho=0.4, gaps=0.0):
    rng = np.random.default_rng(7)
    values = np.sqrt(rho) * rng.standard_normal((items, 1)) + np.sqrt(1 - rho) * rng.standard_normal((items, policies))
    values[rng.random(values.shape) < gaps] = np.nan
    return ScoreMatrix.from_arrays(
        values[:, :, None],
        items=[f"q{number}" for number in range(items)],
        policies=[f"m{number}" for number in range(policies)],
        metrics=[MetricSpec("score", None, None)],
    )


def plan_of(folder, scores, keeps, seeds=SEEDS, probes=5):
    arms = [Arm.of(name) for name in SELECTORS]
    plan = Plan([(table_problem(scores, probes), arms)], ("mean",), keeps, seeds, folder)
    run_study(plan, 1, lambda done, total, what: None)
    return plan


@pytest.fixture(scope="module")
def normal(tmp_path_factory):
    plan = plan_of(tmp_path_factory.mktemp("normal"), normal_table(), (0.05, 0.4))
    return plan, list(theory_rows(plan))


def test_where_models_are_alike_the_exact_law_is_right(normal):
    for row in normal[1]:
        assert row["mae"] == pytest.approx(row["mean_theory"], rel=0.06), row
        assert row["mean_error_sd"] == pytest.approx(row["s"], rel=5 / np.sqrt(2 * SEEDS)), row
        assert abs(row["p95_ratio"] - 1) < 4 * row["p95_ratio_se"], row
        assert abs(row["p95_covariance_ratio"] - 1) < 4 * row["p95_ratio_se"] + 0.02, row
        assert abs(row["mode"] - row["mode_kernel"]) < 5 * row["mode_se"], row
        assert row["tail_bound"] < 0.06
        assert row["p95_tail_bound"] < row["p95_exact"]


def test_figures_are_those_of_the_parts(normal):
    plan, rows = normal
    for cell, row in zip(plan.cells(), rows, strict=True):
        error = outcome_of(plan, cell).error[:, :, 0].astype(float)
        maes = [np.mean(np.abs(line[~np.isnan(line)])) for line in error]
        assert row["mae"] == pytest.approx(np.mean(maes))
        assert row["p95"] == pytest.approx(np.quantile(maes, 0.95))
        assert row["below_y0"] == pytest.approx(np.mean(np.array(maes) < row["y0"]))
        assert row["mean_error_sd"] == pytest.approx(np.std([np.nanmean(line) for line in error]))
        assert (row["k"], row["keep"], row["targets"], row["seeds"]) == (cell.k, cell.keep, 9, SEEDS)


def test_theory_takes_the_pool_and_the_search_into_account(normal):
    random, best = [row for row in normal[1] if row["keep"] == 0.05]
    moments = theory.moments(normal_table().masked(0))
    assert (random["probes"], random["imbalance"], random["r1_squared"]) == (0, None, 0)
    assert random["scale"] == pytest.approx(theory.sampling_factor(20, 400) * moments.sigma)
    assert (best["probes"], best["pool"]) == (5, 80)
    assert 0 < best["imbalance"] < 0.1
    phase = theory.two_phase(
        20, 80, 400, variance=moments.variance, rho=moments.rho, probes=5, imbalance=best["imbalance"]
    )
    assert (best["scale"], best["error_rho"]) == pytest.approx((phase.sd, phase.correlation))
    assert best["p95_exact"] == pytest.approx(phase.sd * theory.mae_quantile(phase.correlation, 9, 0.95))


def test_gaps_make_samples_smaller(tmp_path):
    """A third of the scores are missing: the error of the mean is that of two thirds of the items."""
    rows = list(theory_rows(plan_of(tmp_path, normal_table(gaps=1 / 3), (0.1,), seeds=150)))
    for row in rows:
        assert row["mean_error_sd"] == pytest.approx(row["s"], rel=5 / np.sqrt(2 * 150))
        assert row["mae"] == pytest.approx(row["mean_theory"], rel=0.09)


def test_a_whole_benchmark_has_no_error_and_no_nan(tmp_path):
    rows = list(theory_rows(plan_of(tmp_path, binary_table(40, 6), (1.0,), seeds=3, probes=2)))
    for row in rows:
        assert (row["scale"], row["p95_exact"], row["mode_exact"]) == (0, 0, 0)
        assert row["p95_ratio"] is row["mode"] is row["tail_bound"] is None


def test_scores_that_never_vary_have_no_error(tmp_path):
    scores = ScoreMatrix.from_arrays(
        np.ones((30, 6, 1)),
        items=[f"q{number}" for number in range(30)],
        policies=[f"m{number}" for number in range(6)],
        metrics=[MetricSpec("score", 0.0, 1.0)],
    )
    for row in theory_rows(plan_of(tmp_path, scores, (0.5,), seeds=3, probes=2)):
        assert row["rho"] == row["scale"] == 0
        assert row["p95_ratio"] is None
        assert all(value == value for value in row.values()), "no NaN"
