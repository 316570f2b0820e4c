"""Errors as numbers to ask for, and the search for the smallest size."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.planning.goals import about_policies, p95_error, smallest_size
from bestrand_drive.compression.theory import TwoPhase, mean_mae


@pytest.mark.parametrize(("targets", "correlation"), [(1, 0.3), (4, 0.0), (4, 0.5), (20, 0.9)])
def test_errors_by_drawing_them(targets, correlation):
    """Standard error of a mean of 40,000 is about .4 %, of their 95th percentile about .7 %."""
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=(40_000, 1)), rng.normal(size=(40_000, targets))
    maes = np.abs(3.0 * (np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)).mean(axis=1)
    error = TwoPhase(9.0, 9.0 * correlation)
    assert mean_mae(error.sd) == pytest.approx(maes.mean(), rel=0.02)
    assert p95_error(error, targets) == pytest.approx(np.quantile(maes, 0.95), rel=0.03)


def test_no_error_and_opposed_errors():
    assert p95_error(TwoPhase(0.0, 0.0), 5) == 0.0
    assert p95_error(TwoPhase(1.0, -0.1), 5) == p95_error(TwoPhase(1.0, 0.0), 5)
    assert p95_error(TwoPhase(1.0, 1.0 + 1e-12), 5) == pytest.approx(1.959964, rel=1e-3)


def test_runs_add_noise_of_their_own():
    """Each policy's full run errs by itself: the variance grows, the covariance does not."""
    found = about_policies(TwoPhase(2.0, 1.5), noise_sd=10.0, items=50)
    assert (found.variance, found.covariance) == (pytest.approx(4.0), 1.5)


@pytest.mark.parametrize("goal", [1, 2, 7, 19, 20])
def test_the_smallest_size_is_found(goal):
    assert smallest_size(lambda k: k >= goal, 20) == goal


def test_a_goal_out_of_reach_has_none():
    assert smallest_size(lambda k: False, 20) is None
    assert smallest_size(lambda k: False, 1) is None


def test_a_sharp_size_below_is_found():
    """Whole shares of every stratum at 8 reach what 9 to 12 do not."""

    def met(k: int) -> bool:
        return k == 8 or k > 12

    assert smallest_size(met, 20, sharp=[16, 8, 4]) == 8
    assert smallest_size(met, 20, sharp=[]) == 13
