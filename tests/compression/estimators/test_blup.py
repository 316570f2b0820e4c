"""The prediction and its variance against kriging with the full N x N covariance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from bestrand_drive.compression.difficulty import DifficultyModel, fit_difficulty
from bestrand_drive.compression.estimators.blup import blup, expected_variance, pool_variance
from bestrand_drive.compression.estimators.sample import Sample
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds

SOUND = ("normal", "binary", "constant column", "copies", "dead probe")


def _model(world: World) -> DifficultyModel:
    """The model of a world; constants fitted to too few items for a variance are not of interest here."""
    assume(world.columns.shape[1] > 0)
    model = fit_difficulty(world.columns, world.strata, world.pool)
    assume(model.s_e2 > 1e-6)
    return model


def _covariance(model: DifficultyModel) -> np.ndarray:
    """Joint covariance of all items given mu, with what a partial pool leaves unknown."""
    components = {"v_b": model.v_b, "s_u2": model.s_u2, "s_e2": model.s_e2}
    covariance = reference.joint_covariance(model.d, model.strata, components)
    within, between = (model.beta**2 + model.v_b) * (model.within_variance, model.between_variance)
    outside = np.flatnonzero(~model.in_pool)
    for i in outside:
        for j in outside:
            if model.strata[i] != model.strata[j]:
                continue
            known = int((model.in_pool & (model.strata == model.strata[i])).sum())
            covariance[i, j] += within * (i == j) + (within / known if known else between)
    return covariance


def _scaled(sample: Sample, model: DifficultyModel) -> float:
    s = sample.measured
    if len(s) < 2:
        return 0.0
    residual = [sample.values[i] - model.d[i] @ model.beta for i in s]
    return float(np.var(residual, ddof=1) / (model.s_u2 + model.s_e2))


def _agree(world: World, weights: np.ndarray) -> None:
    model, sample = _model(world), world.sample(weights)
    offset, y = model.d @ model.beta, world.target[world.suite]
    plain = _covariance(replace(model, in_pool=np.ones_like(model.in_pool)))
    value, post = reference.kriging(y, world.suite, offset, plain, weights)
    same, whole = reference.kriging(y, world.suite, offset, _covariance(model), weights)
    found = blup(sample, model)
    close(found.value, value, rtol=1e-6, scale=1e3)
    close(same, value, scale=1e3)  # what nobody knows outside the pool moves no estimate
    close(pool_variance(weights, weights**2, world.suite, model), whole - post, rtol=1e-6, scale=1e4)
    close(expected_variance(world.suite, weights, model), whole, rtol=1e-6, scale=1e4)
    close(found.variance, post * _scaled(sample, model) + whole - post, rtol=1e-6, scale=1e4)


@LIGHT
@given(worlds(kinds=SOUND))
def test_estimate_and_variance_equal_kriging(world: World) -> None:
    _agree(world, world.weights)


@LIGHT
@given(worlds(kinds=SOUND))
def test_domains_equal_kriging_with_weights_of_zero(world: World) -> None:
    """An ability: some items count, the others still inform."""
    inside = (np.arange(len(world.target)) % 3 == 0) | (world.strata == world.strata[world.suite[0]])
    _agree(world, np.where(inside, world.weights, 0.0))


@LIGHT
@given(worlds(kinds=SOUND, partial=False))
def test_full_pools_equal_the_k_r_formulas(world: World) -> None:
    assume(len(world.suite) > 1)
    model, y = _model(world), world.target[world.suite]
    components = reference.variance_components(world.columns, world.strata)
    args = (y, world.suite, world.columns, world.strata, components)
    found = blup(world.sample(), model)
    close(found.value, reference.blup_kr(*args, world.weights)[0], rtol=1e-6, scale=1e3)
    close(found.variance, reference.blup_scaled(*args, world.weights), rtol=1e-6, scale=1e4)


@LIGHT
@given(worlds())
def test_counts_residuals_and_no_nan(world: World) -> None:
    model = fit_difficulty(world.columns, world.strata, world.pool)
    assume(model.s_u2 + model.s_e2 > 0)
    found = blup(world.sample(), model)
    assert np.isfinite([found.value, found.variance, found.df, found.spread2, *found.residuals]).all()
    assert found.variance >= 0
    assert (found.n, found.complete) == (len(world.suite), len(world.suite) == len(world.target))
    close(found.population, world.weights.sum() ** 2 / (world.weights**2).sum())
    assert found.df == max(len(world.suite) - 1, 1)
    close(found.residuals.mean(), 0.0, scale=10)
    close(found.values, world.target[world.suite])


@LIGHT
@given(worlds(kinds=SOUND))
def test_all_items_measured_give_the_exact_mean(world: World) -> None:
    model, everything = _model(world), np.arange(len(world.target))
    found = blup(Sample(world.target, world.weights, world.strata), model)
    close(found.value, world.weights @ world.target / world.weights.sum(), scale=10)
    close(found.variance, 0.0)
    close(pool_variance(world.weights, world.weights**2, everything, model), 0.0)


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0, 0.1]))
def test_affine_targets_move_and_scale_the_estimate(world: World) -> None:
    model = _model(world)
    scaled = replace(
        model,
        d=4 * model.d,
        s_u2=16 * model.s_u2,
        s_e2=16 * model.s_e2,
        within_variance=16 * model.within_variance,
        between_variance=16 * model.between_variance,
    )
    straight = blup(world.sample(), model)
    moved = blup(replace(world, target=4 * world.target - 9).sample(), scaled)
    close(moved.value, 4 * straight.value - 9, rtol=1e-6, scale=1e4)
    close(moved.variance, 16 * straight.variance, rtol=1e-6, scale=1e4)


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0]))
def test_permuting_items_changes_nothing(world: World) -> None:
    model = _model(world)
    order = np.random.default_rng(4).permutation(len(world.target))
    sample = world.sample()
    moved = blup(
        Sample(sample.values[order], sample.weights[order], sample.strata[order]),
        replace(model, d=model.d[order], strata=model.strata[order], in_pool=model.in_pool[order]),
    )
    straight = blup(sample, model)
    close(moved.value, straight.value, rtol=1e-6, scale=1e3)
    close(moved.variance, straight.variance, rtol=1e-6, scale=1e3)


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0]))
def test_what_lies_outside_the_suite_is_not_looked_at(world: World) -> None:
    model = _model(world)
    other = world.target + 1e3
    other[world.suite] = world.target[world.suite]
    assert blup(replace(world, target=other).sample(), model).value == blup(world.sample(), model).value


@pytest.mark.parametrize("probes", [1, 2])
def test_probes_that_agree_exactly_inside_strata_give_a_sound_estimate(probes: int) -> None:
    """Strata all passed or all failed by every probe: s_e2 is 0 and V singular without a floor."""
    strata = np.repeat(np.arange(4), 3)
    columns = np.repeat([0.5, -0.5, 0.5, -0.5], 3)[:, None] * np.ones((1, probes))
    model = fit_difficulty(columns, strata, np.arange(12))
    assert model.s_u2 + model.s_e2 > 0
    values = np.full(12, np.nan)
    values[::3] = [1.0, 0.0, 0.0, 0.0]
    found = blup(Sample(values, np.ones(12), strata), model)
    assert 0 <= found.value <= 1
    assert np.isfinite(found.variance)


@pytest.mark.parametrize("share", [1e-3, 1e-6, 1e-9, 0.0])
def test_a_small_item_variance_loses_no_digits(share: float) -> None:
    """Kriging with the same floor, 1e-6 of the whole variance, solved without the low-rank form."""
    strata = np.arange(12) // 3
    d = np.random.default_rng(0).normal(size=(12, 2))
    everywhere = np.ones(12, dtype=bool)
    model = DifficultyModel(d, strata, np.array([0.8, 0.9]), np.full(2, 0.01), 1 - share, share, 0.0, 0.0, everywhere)
    values = np.full(12, np.nan)
    values[::3] = [3.0, 1.0, 2.0, 2.0]
    found = blup(Sample(values, np.ones(12), strata), model)
    floored = replace(model, s_e2=max(share, 1e-6))
    value, variance = reference.kriging(values[::3], range(0, 12, 3), d @ model.beta, _covariance(floored), np.ones(12))
    close(found.value, value, rtol=1e-5)
    close(found.variance, variance * _scaled(Sample(values, np.ones(12), strata), floored), rtol=1e-3)


def test_copies_of_one_probe_do_not_blow_the_interval_up() -> None:
    """Leave-one-out residuals of copies are nearly 0, so that s2 / (s_u2 + s_e2) is no scale for the slopes' part."""
    rng = np.random.default_rng(0)
    strata = np.repeat(np.arange(10), 5)
    level = rng.normal(size=50)
    columns = np.stack([level, level], axis=1) - level.mean()
    model = fit_difficulty(columns, strata, np.arange(50))
    values = np.full(50, np.nan)
    values[::5] = level[::5] + rng.normal(size=10)
    found = blup(Sample(values, np.ones(50), strata), model)
    assert found.variance < 5 * found.spread2 / found.n


@pytest.mark.parametrize("name", ["bfcl_v2_20240811", "helmlite_mmlu", "lcb_repair"])
def test_real_matrices_equal_the_k_r_formulas(shared_data, name: str) -> None:
    from bestrand_drive.scores.matrix import ScoreMatrix
    from bestrand_drive.scores.tables import read_table

    table = read_table(shared_data / "matrices" / f"{name}.csv.gz").iloc[::9].head(90)
    scores = ScoreMatrix.from_frame(table).masked(0)
    strata = np.arange(len(scores)) // 6
    columns = reference.fill(scores[:, :5])
    components = reference.variance_components(columns, strata)
    suite = np.random.default_rng(1).permutation(len(scores))[:25]
    suite.sort()
    values = np.full(len(scores), np.nan)
    values[suite] = scores[suite, 7]
    suite = np.flatnonzero(~np.isnan(values))
    found = blup(Sample(values, np.ones(len(values)), strata), fit_difficulty(columns, strata, np.arange(len(values))))
    args = (values[suite], suite, columns, strata, components)
    close(found.value, reference.blup(*args)[0], rtol=1e-6)
    close(found.variance, reference.blup_scaled(*args), rtol=1e-6)


def test_items_that_may_not_count_enter_the_variance_by_their_expected_squares() -> None:
    """A weight that is a chance p adds p (1 - p) times the square of all that it may bring in, not only p^2 of it."""
    strata, chances = np.arange(12) // 3, np.where(np.arange(12) % 3 == 0, 1.0, 0.25)
    columns = np.random.default_rng(3).normal(size=(12, 3))
    model = replace(fit_difficulty(columns - columns.mean(axis=0), strata, np.arange(12)), s_u2=0.5, s_e2=1.0)
    values = np.where(np.arange(12) % 3 == 0, np.arange(12.0), np.nan)
    fixed = Sample(values, chances, strata)
    drawn = Sample(values, chances, strata, chances)
    scale = _scaled(fixed, model)
    assert blup(drawn, model).value == blup(fixed, model).value
    rest = np.arange(12) % 3 != 0
    brought = (model.d[rest] @ model.beta) ** 2 + model.d[rest] ** 2 @ model.v_b + model.s_u2 + model.s_e2
    more = 0.25 * 0.75 * brought.sum() / chances.sum() ** 2
    close(blup(drawn, model).variance, blup(fixed, model).variance + more * scale)
