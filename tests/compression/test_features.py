"""Standardised features and the mean profile, against the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.features import standardised_features
from bestrand_drive.compression.profiles import profiles
from tests.compression import reference
from tests.compression.worlds import LIGHT, World, close, worlds

WEIGHTS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=2, max_size=2)


@LIGHT
@given(worlds(), WEIGHTS)
def test_features_equal_the_reference(world: World, weights: list[float]) -> None:
    """A constant or unweighted metric gives no column here and zero columns there."""
    other = np.random.default_rng(5).normal(size=(len(world.pool), 2))
    blocks = [world.columns, other - other.mean(axis=0)]
    used = [i for i in range(2) if weights[i] > 0 and blocks[i].size and np.abs(blocks[i]).max() > 1e-9]
    actual = standardised_features(blocks, weights).numpy()
    if not used:
        assert actual.shape == (len(world.pool), 0)
        return
    close(actual, reference.features([blocks[i] for i in used], [weights[i] for i in used]))


@LIGHT
@given(worlds(kinds=["normal", "copies"], missing=[0.0, 0.1]))
def test_affine_scores_give_the_same_features(world: World) -> None:
    straight, moved = (
        standardised_features([profiles(x, world.families, world.pool)], [1.0])
        for x in (world.scores, 100 * world.scores + 7)
    )
    close(moved.numpy(), straight.numpy(), scale=1e3)


@LIGHT
@given(worlds())
def test_permuting_items_permutes_features(world: World) -> None:
    order = np.random.default_rng(3).permutation(len(world.pool))
    close(
        standardised_features([world.columns[order]], [1.0]).numpy(),
        standardised_features([world.columns], [1.0]).numpy()[order],
    )


def test_every_metric_counts_the_same_whatever_its_unit() -> None:
    block = np.array([[1.0, 2.0], [-1.0, -2.0]])
    features = standardised_features([block, 1e6 * block], [1.0, 1.0]).numpy()
    close(features[:, :3], features[:, 3:])


@pytest.mark.parametrize("block", [np.zeros((3, 2)), np.full((3, 2), 1e-14), np.zeros((3, 0))])
def test_a_metric_without_variance_gives_no_feature(block: np.ndarray) -> None:
    assert standardised_features([block], [1.0]).shape == (3, 0)


def test_no_metric_gives_no_feature() -> None:
    assert standardised_features([], []).shape == (0, 0)


def test_a_weight_a_metric_is_needed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        standardised_features([np.zeros((3, 1))], [])
