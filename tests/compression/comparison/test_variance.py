"""Variances of differences against enumeration, and the suite's estimators as weighted sums."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bestrand_drive.compression.comparison.linear import linear_estimator
from bestrand_drive.compression.comparison.variance import Frame, RunNoise, paired_difference, satterthwaite
from bestrand_drive.compression.difficulty import fit_difficulty
from bestrand_drive.compression.estimation import ProbeKnowledge, point_estimate
from bestrand_drive.compression.estimators.expc import fit_regression
from bestrand_drive.compression.estimators.sample import Sample
from tests.compression import reference

NONE = ProbeKnowledge()


def frame_of(
    values: np.ndarray, strata: np.ndarray, known: ProbeKnowledge = NONE, reach: float | None = 100.0
) -> Frame:
    sample = Sample(values, np.ones(len(values)), strata)
    return Frame(sample, linear_estimator(sample, known), reach)


def world(rng: np.random.Generator, kind: str) -> tuple[ProbeKnowledge, np.ndarray]:
    """What a suite of 40 items in 8 unequal strata knows, and the strata."""
    strata = np.sort(rng.integers(0, 8, 40)) if kind != "regression" else np.zeros(40, dtype=np.int64)
    strata = np.unique(strata, return_inverse=True)[1]
    columns = reference.family_average(rng.normal(size=(40, 5)) + rng.normal(size=(40, 1)), [(j,) for j in range(5)])
    every = np.arange(40)
    if kind == "model":
        return ProbeKnowledge(model=fit_difficulty(columns, strata, every)), strata
    return (ProbeKnowledge(regression=fit_regression(columns, every, 40)) if kind == "regression" else NONE), strata


@pytest.mark.parametrize("kind", ["model", "regression", "none"])
@pytest.mark.parametrize("k", [9, 22])
def test_the_difference_is_that_of_two_estimates(kind, k):
    """With the same items on both sides, whatever the estimator: its constants cancel."""
    rng = np.random.default_rng(k)
    known, strata = world(rng, kind)
    measured = rng.permutation(40)[:k]
    sides = np.full((2, 40), np.nan)
    sides[:, measured] = rng.normal(50, 20, (2, k))
    points = [point_estimate(Sample(side, np.ones(40), strata), known) for side in sides]
    d = sides[1] - sides[0]
    frame = frame_of(d, strata, known)
    found = paired_difference(frame, d[frame.estimator.used], None)
    assert found.value == pytest.approx(points[1].value - points[0].value, abs=1e-9)
    assert frame.estimator.weights.sum() == pytest.approx(1.0)


def test_residuals_are_those_of_the_probes_slopes():
    """Those of a difference are the difference of the sides' own, up to a constant."""
    rng = np.random.default_rng(3)
    known, strata = world(rng, "regression")
    measured = rng.permutation(40)[:24]
    sides = np.full((2, 40), np.nan)
    sides[:, measured] = rng.normal(size=(2, 24))
    points = [point_estimate(Sample(side, np.ones(40), strata), known) for side in sides]
    frame = frame_of(sides[0], strata, known)
    mine, fitted = frame.estimator.residuals((sides[1] - sides[0])[frame.estimator.used])
    assert 0 < fitted < 5
    assert mine - mine.mean() == pytest.approx(points[1].residuals - points[0].residuals, abs=1e-9)


def test_the_variance_is_right_on_average_over_all_suites_and_runs():
    """12 items, every suite of 6, two runs a side with noise that differs from item to item."""
    rng = np.random.default_rng(1)
    delta, sd = rng.normal(0, 8, 12), rng.uniform(1, 4, (2, 12))
    noisy, alone = [], []
    for suite in map(list, combinations(range(12), 6)):
        runs = sd[:, suite, None] * rng.normal(size=(2, 6, 2))
        d = np.full(12, np.nan)
        d[suite] = delta[suite] + runs[1].mean(axis=1) - runs[0].mean(axis=1)
        own = runs.var(axis=2, ddof=1) / 2
        noise = RunNoise(own.sum(axis=0), tuple((float(side.mean()), 6.0) for side in own))
        frame = frame_of(d, np.zeros(12, dtype=int), reach=None)
        noisy.append(paired_difference(frame, d[suite], noise).variance)
        alone.append(paired_difference(frame, d[suite], None).variance)
    true = delta.var(ddof=1) * (1 / 6 - 1 / 12) + float((sd**2).sum(axis=0).mean()) / 2 / 6
    assert np.mean(noisy) == pytest.approx(true, rel=0.03)
    assert np.mean(alone) == pytest.approx((delta.var(ddof=1) + float((sd**2).sum(axis=0).mean()) / 2) / 6, rel=0.03)


def test_the_formula_with_equal_weights():
    """V = (1 - k/N) S^2 / k + (s_c^2 / r_c + s_b^2 / r_b) / k."""
    rng = np.random.default_rng(2)
    d = np.full(50, np.nan)
    d[:20] = rng.normal(size=20)
    noise = RunNoise(np.full(20, 0.3), ((0.1, 20.0), (0.2, 40.0)))
    frame = frame_of(d, np.zeros(50, dtype=int), reach=None)
    found = paired_difference(frame, d[:20], noise)
    own = d[:20].var(ddof=1) - 0.3
    assert found.parts.items == pytest.approx((1 - 20 / 50) * own / 20)
    assert found.parts.noise == pytest.approx(0.3 / 20)
    assert found.variance == pytest.approx((1 - 20 / 50) * own / 20 + 0.3 / 20)
    terms = [(d[:20].var(ddof=1) * (1 / 20 - 1 / 50), 19.0), (0.1 / 50, 20.0), (0.2 / 50, 40.0)]
    assert found.df == pytest.approx(sum(v for v, _ in terms) ** 2 / sum(v * v / f for v, f in terms))
    alone = paired_difference(frame, d[:20], None)
    assert (alone.variance, alone.df) == pytest.approx((d[:20].var(ddof=1) / 20, 19))


def test_more_noise_than_spread_leaves_noise_alone():
    d = np.array([0.1, -0.1, 0.1, -0.1, *[np.nan] * 6])
    noise = RunNoise(np.full(4, 2.0), ((1.0, 4.0), (1.0, 4.0)))
    found = paired_difference(frame_of(d, np.zeros(10, dtype=int), reach=None), d[:4], noise)
    assert (found.parts.items, found.variance, found.df) == pytest.approx((0.0, 0.5, 8.0))


def test_all_items_measured_leave_run_noise_only():
    d = np.random.default_rng(0).normal(size=30)
    noise = RunNoise(np.full(30, 0.2), ((0.1, 30.0), (0.1, 30.0)))
    found = paired_difference(frame_of(d, np.zeros(30, dtype=int)), d, noise)
    assert found.parts.items == pytest.approx(0.0, abs=1e-12)
    assert found.variance == pytest.approx(0.2 / 30)


def test_strata_take_off_what_lies_between_them():
    rng = np.random.default_rng(4)
    strata = np.repeat(np.arange(10), 6)
    d = 10.0 * strata + rng.normal(size=60)
    d[np.arange(60) % 6 >= 3] = np.nan
    found = paired_difference(frame_of(d, strata), d[~np.isnan(d)], None)
    assert found.df == 20
    assert found.standard_error < 0.3
    few = np.where(np.arange(60) % 6 < 1, d, np.nan)
    plain = paired_difference(frame_of(few, strata), few[~np.isnan(few)], None)
    assert plain.df == 9, "one item a stratum tells nothing of the spread inside: all of it counts"
    assert plain.standard_error == pytest.approx(few[~np.isnan(few)].std(ddof=1) / np.sqrt(10))


def test_items_that_differ_by_rounding_do_not_differ():
    """Means of the same three scores in another order, kept in float32: the interval stays as open as without."""
    strata = np.zeros(40, dtype=np.int64)
    d = np.full(40, np.nan)
    d[:20] = 0.0
    frame = frame_of(d, strata)
    equal = paired_difference(frame, d[:20], None).interval(0.95)
    last = np.where(np.arange(20) == 3, 7.6e-6, 0.0)
    rounded = paired_difference(frame, last, None).interval(0.95)
    assert (rounded.low, rounded.high) == pytest.approx((equal.low, equal.high), abs=1e-4)
    assert equal.low < -10


def test_satterthwaite():
    assert satterthwaite([(2.0, 10.0)], 3.0) == pytest.approx(10.0)
    assert satterthwaite([(1.0, 5.0), (1.0, 5.0)], 3.0) == pytest.approx(10.0)
    assert satterthwaite([(0.0, 5.0)], 3.0) == 3.0
