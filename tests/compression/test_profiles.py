"""Centring, family averages and filling, against the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from bestrand_drive.compression.profiles import family_columns, fill, profiles
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds

NAN = np.nan


@LIGHT
@given(worlds(families=False))
def test_single_probes_equal_the_reference(world: World) -> None:
    close(profiles(world.scores, world.families, world.pool), world.columns)


@LIGHT
@given(worlds())
def test_families_equal_the_reference(world: World) -> None:
    close(profiles(world.scores, world.families, world.pool), world.columns)


def test_a_family_column_is_centred_again_before_others_are_filled_from_it() -> None:
    """Two members that were measured on different items: their average has a mean of its own."""
    scores = np.array([[0.0, NAN, 1.0], [4.0, 0.0, 2.0], [NAN, 2.0, 6.0], [NAN, NAN, 3.0], [8.0, 1.0, NAN]])
    close(
        profiles(scores, [[0, 1], [2]], np.arange(5)),
        reference.family_average(scores, [[0, 1], [2]]),
    )


@LIGHT
@given(worlds())
def test_columns_have_mean_zero_and_no_nan(world: World) -> None:
    columns = profiles(world.scores, world.families, world.pool)
    assert columns.shape[0] == len(world.pool)
    close(columns.mean(axis=0), np.zeros(columns.shape[1]), scale=10)


@LIGHT
@given(worlds())
def test_permuting_items_permutes_columns(world: World) -> None:
    order = np.random.default_rng(0).permutation(len(world.pool))
    straight = profiles(world.scores, world.families, world.pool)
    close(profiles(world.scores, world.families, world.pool[order]), straight[order])


@LIGHT
@given(worlds())
def test_shift_changes_nothing_and_scale_scales(world: World) -> None:
    straight = profiles(world.scores, world.families, world.pool)
    close(profiles(4 * world.scores - 3, world.families, world.pool), 4 * straight, scale=100)


def test_scores_outside_the_pool_are_not_looked_at() -> None:
    scores = np.random.default_rng(1).normal(size=(10, 3))
    other = scores.copy()
    other[5:] = 99.0
    pool = np.arange(5)
    close(profiles(scores, [[0], [1], [2]], pool), profiles(other, [[0], [1], [2]], pool))


def test_a_family_without_any_score_is_left_out() -> None:
    scores = np.array([[1.0, NAN], [3.0, NAN]])
    assert family_columns(scores, [[0], [1]]).shape == (2, 1)
    assert profiles(scores, [[1]], np.arange(2)).shape == (2, 0)


@pytest.mark.parametrize("families", [[], [[0]]])
def test_no_probe_gives_no_column(families: list[list[int]]) -> None:
    scores = np.full((4, len(families)), NAN)
    assert profiles(scores, families, np.arange(4)).shape == (4, 0)


def test_an_item_nobody_measured_is_average() -> None:
    """Before the second centring it is 0, the mean of every probe."""
    scores = np.array([[1.0, 5.0], [3.0, 9.0], [NAN, NAN]])
    close(fill(family_columns(scores, [[0], [1]]))[2], [0.0, 0.0])


def test_fill_of_nothing_is_nothing() -> None:
    assert fill(np.empty((0, 2))).shape == (0, 2)
