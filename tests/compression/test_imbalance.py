"""The distance of probe means, against the slow reference; masked cells never count."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.imbalance import imbalance
from tests.compression import reference
from tests.compression.worlds import LIGHT, close

SHAPES = st.tuples(st.integers(1, 12), st.integers(0, 5), st.integers(0, 2**32 - 1))
GAPS = st.sampled_from([0.0, 0.1, 0.9])


def _case(shape: tuple[int, int, int], gaps: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    """Features, candidates and a mask with a valid cell in every column."""
    items, width, seed = shape
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, items + 1))
    candidates = np.stack([np.sort(rng.permutation(items)[:k]) for _ in range(4)])
    valid = rng.random((items, width)) >= gaps
    valid[rng.integers(items), :] = True
    return rng.normal(size=(items, width)), candidates, valid, rng


def _distance(features: np.ndarray, candidates: np.ndarray, *rest: np.ndarray | None) -> np.ndarray:
    tensors = [None if array is None else torch.from_numpy(array) for array in rest]
    return imbalance(torch.from_numpy(features), torch.from_numpy(candidates), *tensors).numpy()


def _weighted(features: np.ndarray, subset: np.ndarray, valid: np.ndarray, weights: np.ndarray) -> float:
    """Brute force with weights."""
    total = 0.0
    for q in range(features.shape[1]):
        means = []
        for rows in (subset, range(len(features))):
            cells = [(weights[i], features[i, q]) for i in rows if valid[i, q]]
            if not cells:
                return math.inf
            means.append(sum(w * f for w, f in cells) / sum(w for w, _ in cells))
        total += (means[0] - means[1]) ** 2
    return math.sqrt(total)


@LIGHT
@given(SHAPES)
def test_unmasked_equals_the_reference(shape: tuple[int, int, int]) -> None:
    features, candidates, _, _ = _case(shape, 0)
    expected = [reference.imbalance(features, subset, range(len(features))) for subset in candidates]
    close(_distance(features, candidates), expected)


@LIGHT
@given(SHAPES, GAPS)
def test_masked_equals_the_reference(shape: tuple[int, int, int], gaps: float) -> None:
    features, candidates, valid, _ = _case(shape, gaps)
    expected = [reference.imbalance(features, subset, range(len(features)), valid) for subset in candidates]
    close(_distance(features, candidates, valid), expected)


@LIGHT
@given(SHAPES, GAPS)
def test_weighted_equals_brute_force(shape: tuple[int, int, int], gaps: float) -> None:
    features, candidates, valid, rng = _case(shape, gaps)
    weights = rng.integers(1, 5, len(features)) * 1.0
    everywhere = np.ones_like(valid)
    close(
        _distance(features, candidates, valid, weights),
        [_weighted(features, subset, valid, weights) for subset in candidates],
    )
    close(
        _distance(features, candidates, None, weights),
        [_weighted(features, subset, everywhere, weights) for subset in candidates],
    )


@LIGHT
@given(SHAPES, GAPS)
def test_equal_weights_are_no_weights(shape: tuple[int, int, int], gaps: float) -> None:
    features, candidates, valid, _ = _case(shape, gaps)
    close(_distance(features, candidates, valid, np.full(len(features), 3.0)), _distance(features, candidates, valid))


@LIGHT
@given(SHAPES, GAPS)
def test_permuting_items_changes_nothing(shape: tuple[int, int, int], gaps: float) -> None:
    features, candidates, valid, rng = _case(shape, gaps)
    order = rng.permutation(len(features))
    place = np.argsort(order)  # item i of the old numbering sits at place[i] of the new one
    close(_distance(features[order], place[candidates], valid[order]), _distance(features, candidates, valid))


@pytest.mark.parametrize("hidden", [0.0, 1e300, -7.0, np.nan, np.inf])
def test_what_a_masked_cell_hides_changes_nothing(hidden: float) -> None:
    features, candidates, valid, _ = _case((9, 4, 11), 0.5)
    other = np.where(valid, features, hidden)
    assert (_distance(other, candidates, valid) == _distance(features, candidates, valid)).all()


def test_a_masked_subset_mean_is_the_mean_over_valid_cells() -> None:
    features, valid = np.array([[2.0], [4.0], [9.0]]), np.array([[True], [True], [False]])
    close(_distance(features, np.array([[0, 2]]), valid), [1.0])


def test_all_items_are_at_distance_zero() -> None:
    features, _, valid, rng = _case((12, 5, 3), 0.5)
    everything = np.arange(12)[None]
    for rest in ((), (valid,), (valid, rng.random(12) + 0.5), (None, rng.random(12) + 0.5)):
        close(_distance(features, everything, *rest), [0.0])


def test_a_candidate_that_hides_a_feature_is_infinitely_far() -> None:
    features, valid = np.array([[1.0], [1.0]]), np.array([[True], [False]])
    assert _distance(features, np.array([[1]]), valid)[0] == math.inf


def test_without_features_every_candidate_is_at_distance_zero() -> None:
    assert (_distance(np.zeros((3, 0)), np.array([[0], [2]])) == 0).all()
