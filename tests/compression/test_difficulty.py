"""The difficulty model's constants against the slow reference."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given

from bestrand_drive.compression.difficulty import (
    LEAST_FREEDOM,
    DifficultyModel,
    anova,
    fit_difficulty,
    single_policy_variance,
)
from bestrand_drive.compression.profiles import profiles
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds


def _fit(world: World, columns: np.ndarray | None = None) -> DifficultyModel:
    return fit_difficulty(world.columns if columns is None else columns, world.strata, world.pool)


@LIGHT
@given(worlds())
def test_constants_equal_the_reference(world: World) -> None:
    assume(world.columns.shape[1] > 0)
    model = _fit(world)
    expected = reference.variance_components(world.columns, world.strata[world.pool])
    for name in ("beta", "v_b", "s_u2", "s_e2"):
        close(getattr(model, name), expected[name], rtol=1e-6, scale=10)
    close(model.d[world.pool], expected["d"])


@LIGHT
@given(worlds())
def test_items_outside_the_pool_carry_their_stratum_s_mean_only(world: World) -> None:
    assume(world.columns.shape[1] > 0)
    model = _fit(world)
    means = reference.variance_components(world.columns, world.strata[world.pool])["s"]
    for i in np.setdiff1d(np.arange(len(world.strata)), world.pool):
        assert not model.in_pool[i]
        close(model.d[i], [0.0, means.get(world.strata[i], 0.0)])
    assert model.in_pool[world.pool].all()


@LIGHT
@given(worlds())
def test_within_and_between_variance_of_difficulty(world: World) -> None:
    assume(world.columns.shape[1] > 0)
    model = _fit(world)
    expected = reference.variance_components(world.columns, world.strata[world.pool])
    labels = world.strata[world.pool].tolist()
    freedom = sum(labels.count(h) - 1 for h in set(labels))
    if freedom >= LEAST_FREEDOM:
        close(model.within_variance, sum(value**2 for value in expected["d"][:, 0]) / freedom)
    else:  # too few strata of two or more: an item outside the pool may be anywhere
        close(model.within_variance, np.var(expected["d"].sum(axis=1), ddof=1) if len(labels) > 1 else 0.0)
    close(model.between_variance, np.var(list(expected["s"].values())))


def test_the_within_variance_is_unbiased_where_each_stratum_has_two_pool_items() -> None:
    """A mean over items would halve it: two items spread half of their variance about their own mean."""
    rng = np.random.default_rng(1)
    strata = np.repeat(np.arange(400), 2)
    column = (rng.normal(size=400)[strata] + rng.normal(size=800))[:, None]
    model = fit_difficulty(column - column.mean(), strata, np.arange(800))
    assert 0.85 < model.within_variance < 1.15


@LIGHT
@given(worlds())
def test_variances_are_never_negative_nor_nan(world: World) -> None:
    model = _fit(world)
    for value in (model.s_u2, model.s_e2, model.within_variance, model.between_variance, *model.v_b, *model.beta):
        assert value >= 0
    assert not np.isnan(model.d).any()


def test_one_probe_with_less_between_strata_than_within_has_no_stratum_variance() -> None:
    """The method of moments gives a negative between component here; a variance cannot be."""
    column = np.array([1.0, -1.0, 1.0, -1.0])[:, None]
    model = fit_difficulty(column, np.array([0, 0, 1, 1]), np.arange(4))
    assert model.s_u2 == 0
    close(model.s_e2, 2.0)


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0, 0.1], partial=False))
def test_permuting_items_changes_no_constant(world: World) -> None:
    order = np.random.default_rng(0).permutation(len(world.pool))
    model = _fit(world)
    moved = fit_difficulty(world.columns[order], world.strata[order], np.arange(len(order)))
    for name in ("beta", "v_b", "s_u2", "s_e2", "within_variance", "between_variance"):
        close(getattr(moved, name), getattr(model, name), scale=100)
    close(moved.d, model.d[order], scale=100)


@LIGHT
@given(worlds(kinds=["normal"], missing=[0.0, 0.1]))
def test_affine_scores_scale_variances_and_leave_slopes(world: World) -> None:
    straight, moved = (
        _fit(world, profiles(x, world.families, world.pool)) for x in (world.scores, 8 * world.scores + 5)
    )
    for name in ("beta", "v_b"):
        close(getattr(moved, name), getattr(straight, name), scale=1e3)
    for name in ("s_u2", "s_e2", "within_variance", "between_variance"):
        close(getattr(moved, name), 64 * getattr(straight, name), scale=1e5)


@LIGHT
@given(worlds(kinds=["normal", "binary", "dead probe"]))
def test_what_others_leave_open_of_one_policy_equals_brute_force(world: World) -> None:
    """Policy by policy, not family by family: an average over relatives varies less. A copy is no second witness."""
    scores = np.column_stack([world.scores, world.scores[:, 0]])[world.pool]
    families = [[*family, *[scores.shape[1] - 1] * (0 in family)] for family in world.families]
    strata, model = world.strata[world.pool], _fit(world)
    left = []
    for own in families:
        others = [family for family in families if family is not own and not np.isnan(scores[:, family]).all()]
        expected = np.zeros(len(scores))
        if others:
            expected = reference._profile(reference.family_average(scores, others), strata.tolist())[2] @ model.beta
        for member in own if 0 not in own else own[:-1]:
            known = ~np.isnan(scores[:, member])
            left.append(np.var((scores[:, member] - expected)[known], ddof=1) if known.sum() > 1 else 0.0)
    repeated = any(np.array_equal(a, b, equal_nan=True) for a, b in combinations(scores.T[:-1], 2))
    assume(not repeated)
    close(single_policy_variance(scores, families, model, world.pool), np.mean(left), scale=100)


@LIGHT
@given(worlds(partial=False))
def test_anova_equals_the_reference(world: World) -> None:
    for labels in (world.strata, 3 * world.strata + 2):  # numbers need not be without gaps
        between, within = anova(world.target, labels)
        msb, msw, n0 = reference._anova(world.target, labels.tolist())
        close(between, (msb - msw) / n0)
        close(within, msw)


@pytest.mark.parametrize("items", [0, 1])
def test_anova_of_fewer_than_two_values_is_zero(items: int) -> None:
    assert anova(np.ones(items), np.zeros(items, dtype=int)) == (0.0, 0.0)


def test_without_probes_there_is_no_difficulty() -> None:
    model = fit_difficulty(np.empty((3, 0)), np.array([0, 1, 1]), np.arange(3))
    assert (model.s_u2, model.s_e2, model.within_variance) == (0.0, 0.0, 0.0)
    assert not model.d.any()


def test_a_pool_of_one_item_gives_finite_numbers() -> None:
    model = fit_difficulty(np.zeros((1, 3)), np.array([0, 0, 1]), np.array([1]))
    assert np.isfinite([model.s_u2, model.s_e2, model.within_variance, model.between_variance, *model.v_b]).all()


def test_slopes_are_clipped_to_their_range() -> None:
    rng = np.random.default_rng(2)
    level = rng.normal(size=40)
    column = np.stack([level, -level], axis=1) + 0.01 * rng.normal(size=(40, 2))
    model = fit_difficulty(column - column.mean(axis=0), np.arange(40) // 4, np.arange(40))
    assert (model.beta == 0).all()


def test_probes_that_cancel_each_other_leave_no_slope_of_rounding() -> None:
    """Two probes of which each is right where the other is wrong: their mean is constant, but for its last digit."""
    first = np.arange(60) % 3 % 2.0
    third = np.arange(60) % 7 % 2.0
    columns = np.stack([first, 1 - first, third], axis=1)
    model = fit_difficulty(columns - columns.mean(axis=0), np.arange(60) // 30, np.arange(60))
    assert (model.v_b < 10).all(), model.v_b
