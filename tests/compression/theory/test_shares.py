"""Factors and explained shares against exact sums over all subsets and against least squares on a covariance."""

import math
from itertools import combinations

import numpy as np
import pytest

from bestrand_drive.compression.theory import (
    common_sd,
    r1_squared,
    rc_squared,
    sampling_factor,
    sampling_variance,
    slope,
)
from bestrand_drive.errors import UsageError


@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_the_factor_is_that_of_all_subsets(k):
    values = np.array([0.0, 1, 1, 3, 4.5, -2, 0.25])
    means = [values[list(chosen)].mean() for chosen in combinations(range(7), k)]
    assert np.var(means) == pytest.approx(sampling_variance(k, 7) * np.var(values), abs=1e-14)
    assert sampling_variance(k, 7) * np.var(values) == pytest.approx((1 / k - 1 / 7) * np.var(values, ddof=1))
    assert sampling_factor(k, 7) ** 2 == pytest.approx(sampling_variance(k, 7))


def explained(rho, probes, models):
    """Share of the variance of a mean over new models that least squares on the probes explains."""
    size = probes + models
    matrix = np.full((size, size), rho) + (1 - rho) * np.eye(size)
    to_mean = matrix[:probes, probes:].mean(axis=1)
    return to_mean @ np.linalg.solve(matrix[:probes, :probes], to_mean) / matrix[probes:, probes:].mean()


@pytest.mark.parametrize("rho", [0.07, 0.33, 0.9])
@pytest.mark.parametrize("probes", [1, 5, 11])
def test_shares_are_those_of_least_squares(rho, probes):
    assert r1_squared(rho, probes) == pytest.approx(explained(rho, probes, 1))
    assert rc_squared(rho, probes, 1) == pytest.approx(r1_squared(rho, probes))
    assert rc_squared(rho, probes, 7) == pytest.approx(explained(rho, probes, 7))
    limit = rc_squared(rho, probes, math.inf)
    assert limit == pytest.approx(probes * rho / (1 + (probes - 1) * rho))
    assert rc_squared(rho, probes, 7) < limit


def test_the_slope_is_that_of_least_squares_on_the_probe_mean():
    rho, probes = 0.4, 5
    assert slope(rho, probes) == pytest.approx(rho / (1 / probes + (1 - 1 / probes) * rho))


@pytest.mark.parametrize("rho", [0, -0.1])
def test_probes_that_do_not_correlate_explain_nothing(rho):
    assert (r1_squared(rho, 5), rc_squared(rho, 5, 3), rc_squared(rho, 5, math.inf), slope(rho, 5)) == (0, 0, 0, 0)


def test_no_probes_explain_nothing_and_copies_everything():
    assert (r1_squared(0.5, 0), slope(0.5, 0)) == (0, 0)
    assert r1_squared(1, 1) == rc_squared(1, 1, 4) == 1


def test_the_common_error_of_finitely_many_models():
    assert common_sd(2, 0.3, math.inf) == pytest.approx(2 * math.sqrt(0.3))
    assert common_sd(2, 0.3, 1) == pytest.approx(2)
    assert common_sd(2, -1 / 3, 4) == pytest.approx(0, abs=1e-7)


def test_mistakes_are_told():
    for k in (0, 8):
        with pytest.raises(UsageError, match="within 1 and the 7"):
            sampling_variance(k, 7)
    with pytest.raises(UsageError, match="correlation"):
        r1_squared(1.2, 3)
    with pytest.raises(UsageError, match="0 or more"):
        r1_squared(0.2, -1)
    with pytest.raises(UsageError, match="1 or more"):
        rc_squared(0.2, 3, 0)
    assert sampling_variance(1, 1) == 0
