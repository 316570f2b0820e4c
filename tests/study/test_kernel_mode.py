"""The kernel mode on laws whose mode is known."""

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.theory import mae_law
from bestrand_drive.study.kernel_mode import kernel_mode, law_mode


def test_the_mode_of_a_gamma_law():
    draws = np.random.default_rng(0).gamma(5, 0.3, 20_000)
    found = kernel_mode(draws)
    assert found.value == pytest.approx(4 * 0.3, abs=4 * found.se + 0.02)
    assert 0.002 < found.se < 0.1


def test_the_estimate_is_that_of_a_plain_kernel_sum():
    draws = np.random.default_rng(1).gamma(6, 1, 300)
    found = kernel_mode(draws)
    grid = np.linspace(draws.min(), draws.max(), 4000)
    density = stats.norm.pdf((grid[:, None] - draws[None, :]) / found.bandwidth).sum(axis=1)
    assert found.value == pytest.approx(grid[density.argmax()], abs=0.02)


def test_half_normal_draws_peak_at_zero():
    """Mass that a kernel pushes over 0 comes back: without that the mode would be a bandwidth away."""
    found = kernel_mode(np.abs(np.random.default_rng(2).standard_normal(5000)))
    assert found.value < 2 * found.se + found.bandwidth / 2


def test_the_law_through_a_kernel_is_where_many_draws_peak():
    rng = np.random.default_rng(3)
    rho, models = 0.4, 8
    common = np.sqrt(rho) * rng.standard_normal((40_000, 1))
    draws = 3 * np.abs(common + np.sqrt(1 - rho) * rng.standard_normal((40_000, models))).mean(axis=1)
    found = kernel_mode(draws)
    assert law_mode(mae_law(rho, models), 3, found.bandwidth) == pytest.approx(found.value, abs=5 * found.se)
    assert law_mode(mae_law(rho, models), 3, 0.03) == pytest.approx(3 * mae_law(rho, models).mode, abs=0.02)
