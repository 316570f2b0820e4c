"""Two-phase variance against simulated draws, the left-over imbalance against random minima."""

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.theory import (
    common_sd,
    leftover,
    measured_leftover,
    r1_squared,
    rc_squared,
    sampling_variance,
    two_phase,
)
from bestrand_drive.errors import DataRefused, UsageError


def test_without_probes_it_is_simple_random_sampling_whatever_the_pool():
    for pool in (10, 40, 100):
        found = two_phase(10, pool, 100, variance=3, rho=0.3)
        assert found.variance == pytest.approx(3 * sampling_variance(10, 100))
        assert found.correlation == pytest.approx(0.3)
        assert found.common_sd(7) == pytest.approx(common_sd(found.sd, 0.3, 7))


def test_a_full_pool_leaves_what_probes_do_not_explain():
    found = two_phase(10, 100, 100, variance=1, rho=0.3, probes=5)
    base = sampling_variance(10, 100)
    assert found.variance == pytest.approx(base * (1 - r1_squared(0.3, 5)))
    assert found.common_sd(9) ** 2 == pytest.approx(base * (0.3 + 0.7 / 9) * (1 - rc_squared(0.3, 5, 9)))
    assert two_phase(10, 100, 100, variance=1, rho=0.3, probes=5, imbalance=1).variance == pytest.approx(base)


def test_the_published_floor_lacks_the_pools_own_error():
    """A quarter of what probes explain comes back with a pool of 4 k: .467 rather than .289 of the common variance."""
    r2 = rc_squared(0.33, 5, np.inf)
    found = two_phase(100, 400, 10**9, variance=1, rho=0.33, probes=5)
    assert found.covariance / (0.33 / 100) == pytest.approx(1 - r2 + r2 / 4, rel=1e-6)
    assert found.covariance / (0.33 / 100) == pytest.approx(0.467, abs=5e-4)
    assert 1 - r2 == pytest.approx(0.289, abs=5e-4)


def test_against_draws_of_pools_and_best_subsets():
    """Normal scores, all models alike: 3 probes, 2 targets, the best of 16 candidates of a pool of 40."""
    rng = np.random.default_rng(5)
    rho, k, pool, items, draws = 0.5, 10, 40, 400, 4000
    root = np.linalg.cholesky(np.full((5, 5), rho) + (1 - rho) * np.eye(5))
    scores = rng.standard_normal((items, 5))
    scores = (scores - scores.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(scores.T, ddof=0))).T @ root.T
    errors, least, every = [], [], []
    for _ in range(draws):
        pooled = scores[rng.choice(items, pool, replace=False)]
        means = np.stack([pooled[rng.permutation(pool)[:k]].mean(axis=0) for _ in range(16)])
        squares = ((means[:, :3] - pooled[:, :3].mean(axis=0)).mean(axis=1)) ** 2
        least.append(squares.min())
        every.append(squares.mean())
        errors.append(means[squares.argmin(), 3:] - scores[:, 3:].mean(axis=0))
    imbalance = np.mean(least) / np.mean(every)
    theory = two_phase(k, pool, items, variance=1, rho=rho, probes=3, imbalance=imbalance)
    found = np.cov(np.array(errors).T, ddof=0)
    tolerance = 4 * theory.variance * np.sqrt(2 / draws)
    assert found[0, 0] == pytest.approx(theory.variance, abs=tolerance)
    assert found[1, 1] == pytest.approx(theory.variance, abs=tolerance)
    assert found[0, 1] == pytest.approx(theory.covariance, abs=tolerance)
    published = two_phase(k, items, items, variance=1, rho=rho, probes=3, imbalance=imbalance)
    assert abs(found[0, 1] - published.covariance) > tolerance, "the pool's own error shows in these draws"


@pytest.mark.parametrize(("dimensions", "candidates"), [(1, 7), (5, 32), (5, 128), (20, 128), (2.5, 64)])
def test_leftover_against_random_minima(dimensions, candidates):
    rng = np.random.default_rng(2)
    least = stats.chi2(dimensions).isf(1 - rng.beta(1, candidates, 100_000)) / dimensions  # the least of m uniforms
    assert leftover(dimensions, candidates) == pytest.approx(least.mean(), abs=5 * least.std() / np.sqrt(100_000))


@pytest.mark.parametrize(("candidates", "figure"), [(32, 0.163), (128, 0.089), (1024, 0.037), (10**6, 0.002)])
def test_leftover_of_five_dimensions(candidates, figure):
    assert leftover(5, candidates) == pytest.approx(figure, abs=6e-4)


def test_closed_forms_of_the_leftover():
    assert leftover(3, 1) == pytest.approx(1)
    assert leftover(200, 1) == pytest.approx(1)
    assert leftover(2, 50) == pytest.approx(1 / 50)  # chi2_2 / 2 is exponential


def test_measured_leftover_is_the_least_over_the_mean():
    assert measured_leftover([[1, 2, 3], [4, 0, 2]]) == pytest.approx(0.5 / 2)
    assert measured_leftover([1, 3]) == pytest.approx(0.5)
    for nothing in ([], [[0, 0]]):
        with pytest.raises(DataRefused):
            measured_leftover(nothing)


def test_mistakes_are_told():
    with pytest.raises(UsageError, match="k <= pool"):
        two_phase(10, 9, 100, variance=1, rho=0.2)
    for dimensions, candidates in ((0, 5), (3, 0)):
        with pytest.raises(UsageError):
            leftover(dimensions, candidates)
    assert two_phase(5, 5, 5, variance=2, rho=0.4, probes=2).correlation == 0
