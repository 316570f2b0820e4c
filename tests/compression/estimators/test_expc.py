"""exPC against the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.estimators.expc import exchangeable, expc, fit_regression
from bestrand_drive.compression.estimators.sample import Sample
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds


@LIGHT
@given(worlds(most=40), st.sampled_from([20.0, 1.0]))
def test_estimate_and_variance_equal_the_reference(world: World, kappa: float) -> None:
    """Both sides of k = 2 p + 5, p > k, constant columns and copies."""
    columns, items = world.columns, len(world.target)
    if not columns.shape[1]:
        return
    place = np.searchsorted(world.pool, world.suite)
    y = world.target[world.suite]
    found = expc(world.sample(np.ones(items)), fit_regression(columns, world.pool, items), kappa)
    if len(y) < 2:
        close(found.variance, 0.0)
        assert np.isfinite(found.value)
        return
    value, beta, df, s_e2 = reference.expc(y, columns[place], columns.mean(axis=0), columns, kappa)
    variance = reference.expc_variance(len(y), len(world.pool), items, s_e2, float(np.var(y, ddof=1)))
    close(found.value, value, rtol=1e-6, scale=100)
    close(found.df, max(len(y) - df, 1.0), rtol=1e-6)
    close(found.variance, variance, rtol=1e-6, scale=100)
    a = columns[place] - columns[place].mean(axis=0)
    close(found.residuals, y - y.mean() - a @ beta, rtol=1e-6, scale=1e3)


@LIGHT
@given(worlds())
def test_the_exchangeable_slope_equals_the_reference(world: World) -> None:
    columns = world.columns
    slope, variance, correlation = exchangeable(columns)
    assert 0 <= correlation <= 1
    assert np.isfinite([slope, variance]).all()
    if columns.shape[1] and variance > 0:
        close(slope, reference.exchangeable_slope(columns), scale=100)
        close(variance, np.mean(np.var(columns, axis=0, ddof=1)))


def test_copies_are_followed_fully() -> None:
    column = np.array([1.0, -2.0, 1.0])
    close(exchangeable(np.stack([column, column, column], axis=1)), [1.0, 3.0, 1.0])


@pytest.mark.parametrize("columns", [np.zeros((5, 2)), np.zeros((1, 2)), np.zeros((4, 0)), np.arange(4.0)[:, None]])
def test_slopes_that_cannot_be_known_are_zero(columns: np.ndarray) -> None:
    assert exchangeable(columns)[0] == 0.0


@LIGHT
@given(worlds(partial=False, missing=[0.0, 0.5]))
def test_all_items_measured_give_the_exact_mean(world: World) -> None:
    items = len(world.target)
    found = expc(Sample(world.target, np.ones(items), world.strata), fit_regression(world.columns, world.pool, items))
    close(found.value, world.target.mean(), scale=100)
    close(found.variance, 0.0)


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0, 0.1], most=40))
def test_affine_scores_move_and_scale_the_estimate(world: World) -> None:
    items = len(world.target)
    ones = np.ones(items)
    straight = expc(world.sample(ones), fit_regression(world.columns, world.pool, items))
    sample = world.sample(ones)
    moved = expc(
        Sample(4 * sample.values - 9, ones, sample.strata), fit_regression(4 * world.columns, world.pool, items)
    )
    close(moved.value, 4 * straight.value - 9, rtol=1e-6, scale=1e3)
    close(moved.variance, 16 * straight.variance, rtol=1e-6, scale=1e3)


def test_without_probes_it_is_the_plain_mean() -> None:
    values = np.array([1.0, 3.0, np.nan])
    found = expc(Sample(values, np.ones(3), np.zeros(3, dtype=int)), fit_regression(np.zeros((3, 0)), np.arange(3), 3))
    assert found.value == 2.0
    close(found.variance, (1 / 2 - 1 / 3) * 2.0)


def test_a_measured_item_outside_the_pool_is_left_out() -> None:
    """Its probe scores are not known; it cannot take part in the regression."""
    rng = np.random.default_rng(4)
    columns = rng.normal(size=(20, 2))
    values = np.full(30, np.nan)
    values[10:25] = rng.normal(size=15)
    inside = np.where(np.arange(30) < 20, values, np.nan)
    probes = fit_regression(columns - columns.mean(axis=0), np.arange(20), 30)
    found, alone = (expc(Sample(one, np.ones(30), np.zeros(30, dtype=int)), probes) for one in (values, inside))
    assert found.n == 10
    close([found.value, found.variance, found.df], [alone.value, alone.variance, alone.df])
