"""Likeness of policies: correlations against numpy, families that were put in, none where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.compression.homogeneity import cluster, correlations, item_centred


def world(items: int = 300, seed: int = 0, families: tuple[int, ...] = (3, 2, 1, 1, 1)) -> np.ndarray:
    """Scores [item, policy]: difficulty shared by all, a part shared by a family, and own noise."""
    rng = np.random.default_rng(seed)
    difficulty = rng.normal(size=items)
    columns = []
    for size in families:
        shared = rng.normal(size=items)
        columns += [difficulty + shared + 0.7 * rng.normal(size=items) for _ in range(size)]
    return np.column_stack(columns)


def test_correlations_are_numpy_s_over_the_items_that_both_have():
    scores = world(80)
    scores[np.random.default_rng(1).random(scores.shape) < 0.2] = np.nan
    found = correlations(scores)
    for i in range(scores.shape[1]):
        for j in range(i):
            both = ~np.isnan(scores[:, i]) & ~np.isnan(scores[:, j])
            shift = scores[both] - scores[both].mean(axis=0)
            own = float((shift[:, i] * shift[:, j]).mean())
            variances = [np.nanvar(scores[:, k]) for k in (i, j)]  # each over its own items
            assert found[i, j] == pytest.approx(own / np.sqrt(variances[0] * variances[1]))


def test_without_gaps_they_are_corrcoef():
    scores = world()
    assert correlations(scores) == pytest.approx(np.corrcoef(scores.T))


def test_a_constant_policy_has_no_correlation_and_no_family():
    scores = np.column_stack([world(), np.ones(300)])
    assert np.isnan(correlations(scores)[-1]).all()
    assert cluster([scores]).members == ((0, 1, 2), (3, 4))


def test_what_is_left_of_unrelated_policies_is_slightly_opposed():
    scores = world(20_000, families=(1,) * 6)
    off = correlations(item_centred(scores))[np.triu_indices(6, 1)]
    assert off.mean() == pytest.approx(-1 / 5, abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_families_are_found_whatever_the_levels(seed):
    scores = world(seed=seed) + np.array([0, 5, -3, 0, 9, 1, 2, 3.0])
    found = cluster([scores])
    assert found.members == ((0, 1, 2), (3, 4))
    assert all(inside > found.least for inside in found.joined)


@pytest.mark.parametrize("items", [12, 60, 300])
def test_unrelated_policies_are_not_joined_by_chance(items):
    """Eight policies have 28 pairs; three standard errors keep nearly all of 40 worlds clean."""
    joined = sum(bool(cluster([world(items, seed, (1,) * 8)]).members) for seed in range(40))
    assert joined <= 4


def test_the_cut_is_a_limit_beside_chance():
    scores = world()
    wide = cluster([scores], cut=1.9)
    assert wide.least == pytest.approx(3 / np.sqrt(300))
    assert wide.members == ((0, 1, 2), (3, 4))
    assert cluster([scores], cut=0.01).members == ()


def test_metrics_are_averaged():
    """A family that shows in one metric of two is joined by the mean only when that is large enough."""
    first, second = world(), world(seed=3, families=(1,) * 8)
    both = (correlations(item_centred(first)) + correlations(item_centred(second))) / 2
    assert cluster([first, second]).alike == pytest.approx(both)


def test_three_policies_make_no_families():
    assert cluster([world(families=(3,))]).members == ()
