"""The law of the MAE against draws, closed forms, and its exact moments."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from bestrand_drive.compression.theory import mae_draws, mae_law, mae_quantile, mae_sd
from bestrand_drive.errors import UsageError


def draws_of(rho, models, count=200_000, seed=3):
    rng = np.random.default_rng(seed)
    common = math.sqrt(rho) * rng.standard_normal((count, 1))
    return np.abs(common + math.sqrt(1 - rho) * rng.standard_normal((count, models))).mean(axis=1)


@pytest.mark.parametrize("rho", [0, 0.1, 0.33, 0.8, 0.99])
@pytest.mark.parametrize("models", [2, 6, 40])
def test_the_law_is_that_of_draws(rho, models):
    """Each level's share of draws under the quantile, within five standard errors."""
    law, drawn = mae_law(rho, models), draws_of(rho, models)
    for level in (0.02, 0.3, 0.7, 0.95, 0.995):
        tolerance = 5 * math.sqrt(level * (1 - level) / len(drawn))
        assert (drawn <= law.quantile(level)).mean() == pytest.approx(level, abs=tolerance)
        assert law.cdf(law.quantile(level)) == pytest.approx(level, abs=1e-9)
    assert drawn.std() == pytest.approx(mae_sd(rho, models), rel=0.01)


@pytest.mark.parametrize("rho", [0, 0.3])
def test_levels_beyond_a_double_s_digits_are_the_ends_of_the_grid(rho):
    law = mae_law(rho, 5)
    assert law.quantile(1 - 1e-9) < law.quantile(1 - 1e-16) <= law.grid[-1]
    assert law.grid[0] <= law.quantile(1e-300) < law.quantile(1e-9)


@pytest.mark.parametrize("rho", [0, 0.05, 0.5, 0.999])
@pytest.mark.parametrize("models", [2, 30, 5000])
def test_the_grid_keeps_the_exact_mean_and_spread(rho, models):
    law = mae_law(rho, models)
    above = 1 - law.below
    mean = law.grid[0] + integrate.simpson(above, x=law.grid)
    square = law.grid[0] ** 2 + 2 * integrate.simpson(above * law.grid, x=law.grid)
    assert mean == pytest.approx(law.mean, abs=1e-5)
    assert math.sqrt(square - mean**2) == pytest.approx(mae_sd(rho, models), rel=2e-3)
    assert (np.diff(law.below) >= -1e-12).all()


def test_one_model_or_models_alike_are_half_normal():
    for law in (mae_law(0.3, 1), mae_law(1, 8), mae_law(-1, 2)):
        assert law.quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
        assert law.mode == 0
        assert law.pdf(0.4) == pytest.approx(2 * stats.norm.pdf(0.4))
        assert law.cdf(0.4) == pytest.approx(2 * stats.norm.cdf(0.4) - 1, abs=1e-6)
        assert law.cdf(-0.1) == law.pdf(-0.1) == 0


def test_two_independent_models():
    """(|X| + |Y|) / 2 <= x is a square turned by 45 degrees: (2 Phi(sqrt(2) x) - 1)^2."""
    law = mae_law(0, 2)
    for value in (0.2, 0.8, 1.7):
        assert law.cdf(value) == pytest.approx((2 * stats.norm.cdf(math.sqrt(2) * value) - 1) ** 2, abs=5e-6)


def test_two_models_of_opposite_errors_have_the_same_law():
    assert mae_quantile(-0.4, 2, 0.9) == mae_quantile(0.4, 2, 0.9)


def test_the_quantile_lies_between_those_of_no_and_full_correlation():
    found = [mae_quantile(rho, 20, 0.95) for rho in (0, 0.1, 0.3, 0.6, 0.9, 1)]
    assert found == sorted(found)
    assert len(set(found)) == 6


def test_the_density_is_that_of_the_cdf_and_greatest_at_the_mode():
    law = mae_law(0.33, 20)
    values = np.linspace(0.3, 2, 400)
    density = np.array([law.pdf(value) for value in values])
    assert integrate.trapezoid(density, values) == pytest.approx(law.cdf(2) - law.cdf(0.3), abs=1e-4)
    assert abs(values[density.argmax()] - law.mode) < 0.01
    assert law.pdf(law.mode) >= density.max() * (1 - 1e-6)


@pytest.mark.parametrize(
    ("rho", "models", "level", "said"),
    [
        (-0.2, 3, 0.9, r"computed from 0 on only"),
        (1.1, 3, 0.9, "a correlation lies within"),
        (-1.1, 2, 0.9, "a correlation lies within"),
        (0.2, 0, 0.9, "0 models: give a whole number"),
        (0.2, 2.5, 0.9, "2.5 models: give a whole number"),
        (0.2, 3, 1.0, "level 1.0: give a probability"),
        (0.2, 3, 0.0, "level 0.0: give a probability"),
    ],
)
def test_mistakes_are_told(rho, models, level, said):
    with pytest.raises(UsageError, match=said):
        mae_quantile(rho, models, level)


def test_draws_of_models_alike_have_the_law():
    rho, models = 0.3, 8
    drawn = mae_draws(4 * (np.full((models, models), rho) + (1 - rho) * np.eye(models)), 100_000, seed=1) / 2
    for level in (0.1, 0.5, 0.95):
        tolerance = 5 * math.sqrt(level * (1 - level) / len(drawn))
        assert (drawn <= mae_quantile(rho, models, level)).mean() == pytest.approx(level, abs=tolerance)


def test_draws_of_opposed_models_keep_their_mean_and_spread():
    """Signs of correlations do not matter to two; the same seed gives the same draws."""
    matrix = np.array([[1.0, -0.9], [-0.9, 1.0]])
    drawn = mae_draws(matrix, 100_000, seed=4)
    assert drawn.mean() == pytest.approx(math.sqrt(2 / math.pi), abs=5 * drawn.std() / math.sqrt(1e5))
    assert drawn.std() == pytest.approx(mae_sd(0.9, 2), rel=0.02)
    assert (mae_draws(matrix, 50, seed=4) == mae_draws(matrix, 50, seed=4)).all()
    assert not (mae_draws(matrix, 50, seed=4) == mae_draws(matrix, 50, seed=5)).any()


def test_draws_take_a_matrix_that_is_not_positive_semidefinite():
    matrix = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    assert np.linalg.eigvalsh(matrix)[0] < 0
    assert np.isfinite(mae_draws(matrix, 100)).all()
