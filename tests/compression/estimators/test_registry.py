"""Estimators by name, against libraries, textbook formulas and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize
from sklearn.linear_model import LinearRegression, Ridge

from bestrand_drive.compression.estimators.calibration import FACTOR_RANGE, SOFTNESS, calibration_factors
from bestrand_drive.compression.estimators.registry import guesses
from bestrand_drive.errors import Incomplete, UsageError
from tests.compression.histories import CHOSEN, answered, drawn, graded, source
from tests.compression.worlds import close


def _value(name: str, scores: np.ndarray, target: np.ndarray, indices: np.ndarray = CHOSEN) -> float:
    return guesses(name, target[indices][:, None], drawn(indices), source(scores))[0].value


def test_ppi_is_the_library_s() -> None:
    """ppi_py.ppi_mean_pointestimate (ppi-python 0.2.3) of these scores; the first has no use for the prediction."""
    scores, target = graded()
    close(_value("ppi", scores, target), 0.6102097480234774, rtol=1e-6)
    like = 0.8 * scores.mean(axis=0) + 0.2 * target
    close(_value("ppi", scores, like), 0.3100190526839794, rtol=1e-6)


def test_aipw_is_the_library_s_and_scikit_learn_s() -> None:
    """AIPWPred of benchpred 1.0.0 on these scores, and its formula with an independent ridge."""
    scores, target = graded()
    close(_value("aipw", scores, target), 0.5994628416056316, rtol=1e-6)
    rest = np.setdiff1d(np.arange(40), CHOSEN)
    fit = Ridge(alpha=10).fit(scores[:, CHOSEN].T, target[CHOSEN])
    residual = target[CHOSEN] - fit.predict(scores[:, CHOSEN].T)
    expected = fit.predict(scores[:, rest].T).mean() + residual.mean() / (1 + len(CHOSEN) / len(rest))
    close(_value("aipw", scores, target), expected, rtol=1e-6)


def test_unbounded_calibration_is_regression() -> None:
    """Where no factor meets its limit, calibrated means are least-squares predictions at the pool's means."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    x = x - x.mean(axis=0) + 0.02
    factors = calibration_factors(x, np.full(400, 1 / 400))
    assert factors.min() > FACTOR_RANGE[0]
    assert factors.max() < FACTOR_RANGE[1]
    close(factors @ y / 400, LinearRegression().fit(x, y).predict(np.zeros((1, 3)))[0], rtol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_calibration_factors_are_the_constrained_optimum(seed: int) -> None:
    """scipy's general optimiser on the penalised objective, with samples so lopsided that limits bind."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(12, 2)) + 0.9
    base = rng.random(12) + 0.5
    base /= base.sum()
    ridge = np.array([1e-12, *np.full(2, SOFTNESS / 12)])

    def objective(factors: np.ndarray) -> float:
        gap = (base * factors) @ np.column_stack([np.ones(12), x]) - np.array([1.0, 0.0, 0.0])
        return float(base @ (factors - 1) ** 2) + float((gap[1:] ** 2 / ridge[1:]).sum())

    found = calibration_factors(x, base)
    best = optimize.minimize(
        objective,
        np.ones(12),
        method="SLSQP",
        bounds=[FACTOR_RANGE] * 12,
        constraints=[{"type": "eq", "fun": lambda factors: float(base @ factors) - 1}],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    assert (np.isclose(found, FACTOR_RANGE[0]) | np.isclose(found, FACTOR_RANGE[1])).any()
    close(base @ found, 1.0, rtol=1e-5)
    close(found, best.x, rtol=1e-3, scale=1e7)
    assert objective(found) <= best.fun * (1 + 1e-4)


def test_a_calibrated_mean_reproduces_what_the_probes_say() -> None:
    """A target that is a mixture of probes is estimated exactly, up to the softness."""
    scores = np.random.default_rng(3).random((3, 200))
    target = 0.5 * scores[0] + 0.5 * scores[2]
    chosen = np.random.default_rng(4).permutation(200)[:40]
    chosen.sort()
    assert abs(_value("mean", scores, target, chosen) - target.mean()) > 0.005
    assert abs(_value("calibration", scores, target, chosen) - target.mean()) < 1e-4


def test_post_stratification_by_hand() -> None:
    """Two classes at the median of the probes' means; each class's mean counts for its share of the items."""
    scores = np.random.default_rng(5).random((4, 60))
    target = np.random.default_rng(6).random(60)
    chosen = np.sort(np.random.default_rng(7).permutation(60)[:20])
    level = scores.mean(axis=0)
    upper = level > np.sort(level)[int(0.5 * 59)]
    expected = sum(
        part.mean() * np.mean([target[i] for i in chosen if part[i]]) for part in (upper.astype(float), 1.0 - upper)
    )
    close(_value("poststratified", scores, target, chosen), expected, rtol=1e-6)


def test_post_stratification_of_a_partial_pool_speaks_of_the_pool() -> None:
    scores = np.random.default_rng(5).random((4, 60))
    pool = np.arange(0, 60, 2)
    known = source(scores, pool)
    whole = guesses("poststratified", np.random.default_rng(1).random((30, 1)), drawn(pool), known)[0]
    assert whole.variance is not None
    assert whole.variance > 0
    close(whole.value, np.random.default_rng(1).random((30, 1)).mean(), rtol=1e-6)


def test_the_exchangeable_slope_by_hand() -> None:
    scores, target = graded()
    covariance = np.cov(scores)
    v, c = np.trace(covariance) / 9, (covariance.sum() - np.trace(covariance)) / 72
    slope = c / (v / 9 + (1 - 1 / 9) * c)
    expected = target[CHOSEN].mean() + slope * (scores.mean() - scores[:, CHOSEN].mean())
    close(_value("exchangeable", scores, target), expected, rtol=1e-6)


def test_own_weights_and_missing_scores() -> None:
    scores, target = graded()
    values = target[CHOSEN][:, None].copy()
    values[3] = np.nan
    found = drawn(CHOSEN)
    weights = found.weights.numpy()
    weights[:] = np.arange(1, 11) / 55
    expected = np.average(np.delete(target[CHOSEN], 3), weights=np.delete(weights, 3))
    close(guesses("weighted", values, found, source(scores))[0].value, expected)


def test_what_is_measured_whole_is_not_estimated() -> None:
    scores, target = graded()
    for name in ("ppi", "aipw", "calibration", "expc", "blup"):
        found = guesses(name, target[:, None], drawn(np.arange(40)), source(scores))[0]
        close(found.value, target.mean())


@pytest.mark.parametrize("name", ["calibration", "ppi", "poststratified", "aipw", "exchangeable"])
def test_a_told_variance_is_about_the_squared_error(name: str) -> None:
    """Over random subsets of one matrix the mean told variance is within 30 % of the mean squared error."""
    scores = answered(9, 120, seed=2)
    target, known = scores[4], source(np.delete(scores, 4, axis=0))
    rng = np.random.default_rng(0)
    told, missed = [], []
    for _ in range(150):
        chosen = np.sort(rng.permutation(120)[:60])
        guess = guesses(name, target[chosen][:, None], drawn(chosen), known)[0]
        told.append(guess.variance)
        missed.append((guess.value - target.mean()) ** 2)
    assert 0.7 < np.mean(told) / np.mean(missed) < 1.4


def test_wrong_calls() -> None:
    scores, target = graded()
    with pytest.raises(UsageError, match="known are mean, weighted"):
        _value("median", scores, target)
    with pytest.raises(Incomplete):
        guesses("mean", np.full((10, 2), np.nan), drawn(CHOSEN), source(scores))
    for name, word in (("pirt", "tinybenchmarks"), ("anchor-predictor", "anchor-predictor"), ("sparse-network", "mlp")):
        with pytest.raises(UsageError, match=word):
            _value(name, scores, target)
