"""The one correlation that stands for models that are not alike, against draws of their errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestrand_drive.compression.theory import mae_correlation, mae_draws, mae_quantile, mae_sd, moments_of
from bestrand_drive.compression.theory.unlike import absolute_covariance


def _alike(rho: float, models: int) -> np.ndarray:
    return np.full((models, models), rho) + (1 - rho) * np.eye(models)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.95, 1.0])
def test_models_alike_keep_their_correlation(rho):
    assert mae_correlation(7 * _alike(rho, 6)) == pytest.approx(rho, abs=1e-6)


def test_signs_do_not_matter():
    """Two opposed kinds, whose mean correlation is near 0, err as much as one kind."""
    signs = np.array([1, 1, 1, -1, -1, -1])
    opposed = _alike(0.6, 6) * np.outer(signs, signs)
    assert moments_of(opposed, 100).rho < 0
    assert mae_correlation(opposed) == pytest.approx(0.6, abs=1e-6)


def test_the_law_has_the_variance_and_nearly_the_95th_percentile_of_draws():
    """Loadings of both signs and unequal variances; the mean correlation says an error a third too small."""
    rng = np.random.default_rng(3)
    loadings = rng.normal(size=(12, 2))
    covariances = loadings @ loadings.T + np.diag(rng.uniform(0.1, 0.5, 12))
    drawn, scale = mae_draws(covariances, 200_000), float(np.sqrt(np.diag(covariances)).mean())
    rho = mae_correlation(covariances)
    spread = math.sqrt(mae_sd(rho, 12) ** 2 - (1 - 2 / math.pi) / 12)  # of the pairs alone, which rho is matched to
    variances = float((np.diag(covariances) / 12**2).sum()) * (1 - 2 / math.pi)
    assert math.sqrt(drawn.var() - variances) == pytest.approx(scale * spread, rel=0.02)
    wanted, plain = float(np.quantile(drawn, 0.95)), max(moments_of(covariances, 50).rho, 0.0)
    assert scale * mae_quantile(round(rho, 4), 12, 0.95) == pytest.approx(wanted, rel=0.05)
    assert scale * mae_quantile(round(plain, 4), 12, 0.95) < 0.85 * wanted


def test_models_without_spread_or_without_common_items_are_left_out():
    matrix = _alike(0.5, 4)
    matrix[0, 1] = matrix[1, 0] = np.nan
    assert mae_correlation(matrix) == pytest.approx(0.5, abs=1e-6)
    assert mae_correlation(np.zeros((3, 3))) == 0.0
    assert mae_correlation(np.ones((1, 1))) == 0.0
    constant = np.zeros((3, 3))
    constant[:2, :2] = _alike(0.5, 2)
    rho = mae_correlation(constant)  # one pair of three shares something, and the mean deviation is two thirds
    assert float(absolute_covariance(rho)) == pytest.approx(float(absolute_covariance(0.5)) / 3 / (2 / 3) ** 2)
    assert 0.4 < rho < 0.5
