"""The posterior variance is the error's variance when the model holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.difficulty import DifficultyModel
from bestrand_drive.compression.estimators.blup import blup, expected_variance
from bestrand_drive.compression.estimators.sample import Sample

DRAWS = 1500


def _prior(rng: np.random.Generator) -> DifficultyModel:
    """A world of unequal strata with known constants."""
    strata = np.repeat(np.arange(9), [1, 2, 3, 5, 8, 5, 6, 4, 6])
    level = rng.normal(size=9)[strata] + rng.normal(size=len(strata))
    level -= level.mean()
    means = np.array([level[strata == h].mean() for h in range(9)])
    d = np.column_stack([level - means[strata], means[strata]])
    everywhere = np.ones(len(strata), dtype=bool)
    return DifficultyModel(
        d, strata, np.array([0.5, 0.7]), np.array([0.04, 0.09]), 0.5, 1.0, float(np.mean(d[:, 0] ** 2)), 1.0, everywhere
    )


def _target(model: DifficultyModel, rng: np.random.Generator) -> np.ndarray:
    slopes = model.beta + np.sqrt(model.v_b) * rng.normal(size=2)
    u = np.sqrt(model.s_u2) * rng.normal(size=int(model.strata.max()) + 1)
    return 3 * rng.normal() + model.d @ slopes + u[model.strata] + np.sqrt(model.s_e2) * rng.normal(size=len(model.d))


@pytest.mark.parametrize("weighted", [False, True])
def test_error_variance_and_coverage_in_worlds_from_the_prior(weighted: bool) -> None:
    square, covered = np.zeros(DRAWS), np.zeros(DRAWS)
    for t in range(DRAWS):
        rng = np.random.default_rng([int(weighted), t])
        model = _prior(rng)
        y, items = _target(model, rng), len(model.d)
        suite = np.sort(rng.permutation(items)[:12])
        weights = rng.random(items) + 0.1 if weighted else np.ones(items)
        values = np.full(items, np.nan)
        values[suite] = y[suite]
        found = blup(Sample(values, weights, model.strata), model)
        error = found.value - weights @ y / weights.sum()
        square[t] = error**2 / expected_variance(suite, weights, model)
        covered[t] = abs(error) < stats.t.ppf(0.975, found.df) * np.sqrt(found.variance)
    assert abs(square.mean() - 1) < 4 * square.std() / DRAWS**0.5
    assert 0.93 < covered.mean() < 0.975


def test_a_partial_pool_s_variance_is_what_it_adds() -> None:
    """Constants known, item difficulty drawn anew: the error grows by what ``pool_variance`` says."""
    square = np.zeros((DRAWS, 2))
    for t in range(DRAWS):
        rng = np.random.default_rng([2, t])
        strata = np.repeat(np.arange(12), 4)
        b, w = rng.normal(size=12), rng.normal(size=48)
        d_all = np.column_stack([w, b[strata]])
        pool = np.sort(rng.permutation(48)[:24])
        in_pool = np.isin(np.arange(48), pool)
        full = DifficultyModel(
            d_all, strata, np.array([0.9, 0.9]), np.full(2, 0.01), 0.1, 0.3, 1.0, 1.0, np.ones(48, dtype=bool)
        )
        y = _target(full, rng)
        level = w + b[strata]
        means = np.array(
            [level[in_pool & (strata == h)].mean() if (in_pool & (strata == h)).any() else 0 for h in range(12)]
        )
        d = np.column_stack([np.where(in_pool, level - means[strata], 0.0), means[strata]])
        model = replace(full, d=d, in_pool=in_pool)
        suite = pool[::3]
        values = np.full(48, np.nan)
        values[suite] = y[suite]
        error2 = (blup(Sample(values, np.ones(48), strata), model).value - y.mean()) ** 2
        with_pool = expected_variance(suite, np.ones(48), model)
        square[t] = (
            error2 / with_pool,
            error2 / expected_variance(suite, np.ones(48), replace(model, in_pool=full.in_pool)),
        )
    assert 0.9 < square[:, 0].mean() < 1.12
    assert square[:, 1].mean() > square[:, 0].mean() + 0.1
