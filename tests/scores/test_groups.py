"""Items that stay together are folded into one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand_drive.errors import DataRefused
from bestrand_drive.scores.groups import fold_groups
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.metrics import MetricSpec

NAN = np.nan


def matrix(cells: np.ndarray, **changes: object) -> ScoreMatrix:
    """Scores [item, policy] of one metric."""
    built = ScoreMatrix.from_arrays(
        cells[:, :, None],
        items=[f"i{i}" for i in range(len(cells))],
        policies=[f"p{j}" for j in range(cells.shape[1])],
        metrics=[MetricSpec("s")],
    )
    return replace(built, **changes) if changes else built


@settings(max_examples=40)
@given(st.integers(1, 20), st.integers(1, 6), st.integers(0, 999))
def test_folding_equals_brute_force(items: int, kinds: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(items, 2)).astype(np.float32).astype(float)
    cells[rng.random(cells.shape) < 0.3] = NAN
    labels = tuple(f"g{g}" for g in rng.integers(0, kinds, items))
    folded, members = fold_groups(matrix(cells), labels)
    assert folded.items == tuple(dict.fromkeys(labels))
    assert folded.weights is not None
    for g, name in enumerate(folded.items):
        inside = [i for i in range(items) if labels[i] == name]
        assert members[g] == tuple(f"i{i}" for i in inside)
        assert folded.weights[g] == len(inside)
        for j in range(2):
            known = [cells[i, j] for i in inside if not np.isnan(cells[i, j])]
            assert folded.valid[g, j, 0] == bool(known)
            np.testing.assert_allclose(folded.values[g, j, 0], np.mean(known) if known else 0.0, rtol=1e-6, atol=1e-7)


def test_the_weighted_mean_over_groups_is_the_mean_over_items() -> None:
    cells = np.random.default_rng(0).normal(size=(9, 2))
    folded, _ = fold_groups(matrix(cells), tuple("aabbbbccd"))
    assert folded.weights is not None
    np.testing.assert_allclose(
        np.average(folded.masked(0), axis=0, weights=folded.weights), cells.mean(axis=0), rtol=1e-5
    )


def test_one_item_a_group_changes_nothing() -> None:
    built = matrix(np.array([[1.0, NAN], [2.0, 3.0]]))
    folded, _ = fold_groups(built, ("x", "y"))
    assert torch.equal(folded.values, built.values)
    assert torch.equal(folded.valid, built.valid)


def test_strata_costs_and_repeats_are_folded() -> None:
    cost = torch.tensor([[1.0], [2.0], [NAN]], dtype=torch.float64)
    built = matrix(np.ones((3, 1)), strata=("s", "s", "t"), cost_s=cost)
    folded, _ = fold_groups(built, ("g", "g", "h"))
    assert folded.strata == ("s", "t")
    assert folded.cost_s is not None
    assert folded.cost_s[0, 0] == 3.0
    assert folded.cost_s[1, 0].isnan()
    assert folded.repeats.tolist() == [[[1]], [[1]]]


def test_a_group_in_two_strata_is_refused() -> None:
    built = matrix(np.ones((3, 1)), strata=("s", "t", "t"))
    with pytest.raises(DataRefused, match=r"Group 'g' lies in 2 strata \(s, t\)"):
        fold_groups(built, ("g", "g", "h"))


def test_domains_are_those_of_the_groups() -> None:
    """A domain over items would guard the wrong groups: it has to be folded as well."""
    domain = torch.tensor([False, False, False, True])
    folded, _ = fold_groups(matrix(np.ones((4, 1)), domains={"d": domain}), ("g", "g", "h", "h"))
    assert folded.domains["d"].tolist() == [False, True]


@settings(max_examples=40)
@given(st.integers(1, 20), st.integers(1, 6), st.integers(0, 999), st.booleans())
def test_whole_groups_repeats_and_noise_equal_brute_force(items: int, kinds: int, seed: int, whole: bool) -> None:
    """The mean of n members with run variances v_i has the variance sum v_i / n^2, and as few runs as the fewest."""
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(items, 2)).astype(np.float32).astype(float)
    cells[rng.random(cells.shape) < 0.3] = NAN
    known = ~np.isnan(cells)
    runs = np.where(known, rng.integers(1, 5, cells.shape), 0)
    spread = np.where(runs > 1, rng.random(cells.shape), 0.0)
    built = matrix(
        cells,
        repeats=torch.tensor(runs, dtype=torch.int32)[:, :, None],
        repeat_variance=torch.tensor(spread, dtype=torch.float32)[:, :, None],
    )
    labels = tuple(f"g{g}" for g in rng.integers(0, kinds, items))
    folded, _ = fold_groups(built, labels, whole=whole)
    for g, name in enumerate(folded.items):
        inside = np.array([label == name for label in labels])
        for j in range(2):
            measured = inside & known[:, j]
            valid = bool((measured == inside).all()) if whole else bool(measured.any())
            assert folded.valid[g, j, 0] == valid
            mean = cells[measured, j].mean() if valid else 0.0
            noise = spread[measured, j].sum() / measured.sum() ** 2 if valid else 0.0
            np.testing.assert_allclose(folded.values[g, j, 0], mean, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(folded.repeat_variance[g, j, 0], noise, rtol=1e-5, atol=1e-7)
            assert folded.repeats[g, j, 0] == (runs[measured, j].min() if valid else 0)


@pytest.mark.parametrize(("labels", "binary"), [("xyz", True), ("xxy", False)])
def test_means_of_0_and_1_are_not_binary(labels: str, binary: bool) -> None:
    built = matrix(np.ones((3, 1)), metrics=(MetricSpec("s", 0.0, 1.0, binary=True),))
    folded, _ = fold_groups(built, tuple(labels))
    assert folded.metrics[0].binary is binary
