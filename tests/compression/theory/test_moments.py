"""Moments against loops over pairs of columns."""

from itertools import combinations

import numpy as np
import pytest

from bestrand_drive.compression.theory import correlation_matrix, covariance_matrix, moments
from bestrand_drive.errors import DataRefused


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    ability = rng.standard_normal((60, 1))
    values = ability * rng.uniform(-0.3, 1, 5) + rng.standard_normal((60, 5)) * rng.uniform(0.5, 2, 5) + 7
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


def pair_covariance(one, two):
    both = ~np.isnan(one) & ~np.isnan(two)
    return float(np.mean((one[both] - one[both].mean()) * (two[both] - two[both].mean())))


def test_every_entry_is_of_the_items_that_both_have(scores):
    found = covariance_matrix(scores)
    for a in range(5):
        for b in range(5):
            assert found[a, b] == pytest.approx(pair_covariance(scores[:, a], scores[:, b]), rel=1e-10, abs=1e-12)


def test_moments_are_means_over_models_and_pairs(scores):
    found = moments(scores)
    variances = [np.nanvar(column) for column in scores.T]
    pairs = [pair_covariance(scores[:, a], scores[:, b]) for a, b in combinations(range(5), 2)]
    both = [
        pair / np.sqrt(variances[a] * variances[b])
        for pair, (a, b) in zip(pairs, combinations(range(5), 2), strict=True)
    ]
    assert (found.items, found.models, found.constant) == (60, 5, 0)
    assert found.variance == pytest.approx(np.mean(variances))
    assert found.sigma == pytest.approx(np.sqrt(np.mean(variances)))
    assert found.mean_sd == pytest.approx(np.mean(np.sqrt(variances)))
    assert found.mean_sd < found.sigma
    assert found.covariance == pytest.approx(np.mean(pairs))
    assert found.rho == pytest.approx(np.mean(pairs) / np.mean(variances))
    assert found.positive == np.mean(np.array(pairs) > 0)
    assert 0 < found.positive < 1
    assert found.variance_cv == pytest.approx(np.std(variances) / np.mean(variances))
    assert found.correlation == pytest.approx(np.mean(both))
    assert found.correlation_sd == pytest.approx(np.std(both))


def test_rho_and_variance_give_the_variance_of_the_mean_over_models():
    values = np.random.default_rng(1).random((40, 6)).round()
    found = moments(values)
    assert np.var(values.mean(axis=1)) == pytest.approx(found.variance * (found.rho + (1 - found.rho) / 6))


def test_a_constant_model_counts_in_the_variance_and_has_no_correlation():
    values = np.column_stack([[0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]]).astype(float)
    found = moments(values)
    assert found.constant == 1
    assert found.variance == pytest.approx((0.25 + 0.1875) / 3)
    assert found.correlation == pytest.approx(np.corrcoef(values[:, 0], values[:, 1])[0, 1])
    assert found.correlation_sd == 0


def test_nothing_that_varies_and_one_model_are_no_nan():
    still = moments(np.full((5, 3), 0.3))
    assert (still.variance, still.rho, still.correlation, still.variance_cv, still.positive) == (0, 0, 0, 0, 0)
    alone = moments(np.array([[0.0], [1.0]]))
    assert (alone.covariance, alone.rho, alone.positive) == (0, 0, 1)


def test_models_that_share_no_item_make_no_pair():
    values = np.array([[0, np.nan, 1], [1, np.nan, 0], [np.nan, 0, 1], [np.nan, 1, 0]], dtype=float)
    assert np.isnan(covariance_matrix(values)[0, 1])
    assert moments(values).covariance == pytest.approx(-0.25)


def test_what_cannot_be_is_refused():
    with pytest.raises(DataRefused, match="number 1 has no score"):
        moments(np.array([[0.0, np.nan], [1.0, np.nan]]))
    with pytest.raises(DataRefused, match="shape"):
        moments(np.zeros(4))


def test_correlations_are_those_of_the_pairs(scores):
    """Divided by each model's deviation over all its own items, so with gaps a pair can pass 1, which counts as 1."""
    found = correlation_matrix(covariance_matrix(scores))
    for a, b in combinations(range(5), 2):
        scale = np.nanstd(scores[:, a]) * np.nanstd(scores[:, b])
        assert found[a, b] == pytest.approx(pair_covariance(scores[:, a], scores[:, b]) / scale)
    gaps = np.array([[0, 0, 0], [9, 9, 0], [5, np.nan, 0], [4, np.nan, 0]], dtype=float)
    assert correlation_matrix(covariance_matrix(gaps))[0, 1] == 1
    assert np.isnan(correlation_matrix(covariance_matrix(gaps))[2]).all()
