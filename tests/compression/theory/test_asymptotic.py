"""The published forms: their constant, how far they are from the exact law, and that bounds are bounds."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from bestrand_drive.compression.theory import (
    C0,
    U_STAR,
    common_sd,
    mae_law,
    mean_mae,
    mode,
    tail_bound,
    tail_quantile,
    y0,
)
from bestrand_drive.errors import UsageError


def test_the_constant_is_the_peak_of_a_normal_added_to_a_chi_square_near_zero():
    """exp(-u^2/4) D_{-1/2}(-u) is, up to a factor, the integral of x^{-1/2} phi(u - x); x = w^2 takes the pole away."""

    def density(u):
        return integrate.quad(lambda w: stats.norm.pdf(u - w * w), 0, 4)[0]

    peak = optimize.minimize_scalar(lambda u: -density(u), bounds=(0, 2), method="bounded", options={"xatol": 1e-7})
    assert pytest.approx(peak.x, abs=1e-5) == U_STAR
    assert pytest.approx(0.764951, abs=1e-6) == U_STAR
    assert pytest.approx(0.57793, abs=5e-6) == C0


@pytest.mark.parametrize(
    ("rho", "models", "excess"),
    [
        *((0.33, 5, 0.21), (0.33, 10, 0.11), (0.33, 20, 0.06), (0.33, 50, 0.026), (0.33, 100, 0.014)),
        *((0.33, 400, 0.003), (0.1, 20, 0.11), (0.1, 100, 0.03)),
    ],
)
def test_the_published_mode_is_too_large_for_few_models(rho, models, excess):
    assert mode(1, rho, models) / mae_law(rho, models).mode - 1 == pytest.approx(excess, abs=0.005)


def test_the_published_mode_is_right_in_the_limit():
    assert mode(3, 0.5, 5000) == pytest.approx(3 * mae_law(0.5, 5000).mode, rel=1e-3)


def test_y0_is_no_lower_end():
    assert mae_law(0.1, 5).mode < y0(1, 0.1)
    assert mae_law(0.33, 20).cdf(y0(1, 0.33)) > 0.1
    assert mae_law(0.5, 5000).cdf(0.93 * y0(1, 0.5)) < 1e-6


@pytest.mark.parametrize("rho", [0.05, 0.2, 0.5, 0.9])
def test_the_tail_bound_is_a_bound_and_its_inverse_too_small(rho):
    law = mae_law(rho, 12)
    s = common_sd(1, rho, 12)
    for error in (0.3, 0.9, 1.5, 2.2):
        assert tail_bound(error, s) <= 1 - law.cdf(error) + 1e-9
    assert tail_quantile(0.95, s) <= law.quantile(0.95)
    assert tail_bound(tail_quantile(0.95, s), s) == pytest.approx(0.05)


def test_how_loose_the_tail_bound_is():
    """At the true P95 of many models it says about .04 for rho = .33 and next to nothing for .1."""
    said = {rho: tail_bound(mae_law(rho, 50).quantile(0.95), common_sd(1, rho, math.inf)) for rho in (0.1, 0.33, 0.8)}
    assert 0.001 < said[0.1] < 0.016
    assert 0.03 < said[0.33] < 0.045
    assert 0.045 < said[0.8] < 0.05


def test_the_mean_needs_no_limit():
    drawn = np.abs(np.random.default_rng(0).standard_normal(200_000) * 2.5)
    assert mean_mae(2.5) == pytest.approx(drawn.mean(), abs=5 * drawn.std() / math.sqrt(200_000))
    assert mean_mae(2.5) == pytest.approx(2.5 * mae_law(0.4, 7).mean)


def test_no_error_at_all():
    assert tail_bound(0, 0) == 1
    assert tail_bound(0.1, 0) == 0
    assert tail_bound(-1, 1) == 1, "a probability"
    assert y0(1, 1 + 3e-16) == 0, "rounding of models that err alike"


@pytest.mark.parametrize("call", [lambda: mode(1, 0.3, 0), lambda: common_sd(1, 0.3, 0)])
def test_no_model_has_no_error(call):
    with pytest.raises(UsageError, match="0 models: give 1 or more"):
        call()
    assert tail_quantile(0.95, 0) == 0
