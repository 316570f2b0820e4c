"""Batched class counts against the exact multivariate hypergeometric law, by tables and without."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bestrand_drive.compression.search import hypergeometric
from bestrand_drive.compression.search.hypergeometric import TABLES_FROM, ClassCounts, one_by_one

Array = np.ndarray
SIZES = np.array([3, 1, 4, 2, 5])


def _check_law(counts: Array, sizes: Array, k: int) -> None:
    """Chi-square of all joint outcomes; the rare ones are put together."""
    assert (counts.sum(axis=0) == k).all()
    kinds, seen = np.unique(counts, axis=1, return_counts=True)
    chance = stats.multivariate_hypergeom.pmf(kinds.T, sizes, k)
    often = chance * counts.shape[1] >= 5
    seen, expected = np.append(seen[often], seen[~often].sum()), chance[often] * counts.shape[1]
    expected = np.append(expected, counts.shape[1] - expected.sum())
    there = expected > 1e-6
    assert (seen[~there] == 0).all()
    assert stats.chisquare(seen[there], expected[there]).pvalue > 1e-3


@pytest.mark.parametrize("k", [1, 4, 7, 14])
@pytest.mark.parametrize("few", [0, 256])
def test_tables_give_the_exact_joint_law(k: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hypergeometric, "FEW", few)
    law = ClassCounts(SIZES, k / SIZES.sum(), TABLES_FROM)
    _check_law(law.draw(np.full(30_000, k), np.random.default_rng(k)), SIZES, k)


@pytest.mark.parametrize("k", [1, 4, 14])
def test_one_class_after_another_gives_it_too(k: int) -> None:
    _check_law(one_by_one(SIZES, np.full(20_000, k), np.random.default_rng(k)), SIZES, k)


def test_totals_far_from_the_mean_keep_their_law() -> None:
    """A step that refuses nearly all falls back: totals of 2 and 13 under a chance for 7.5."""
    law = ClassCounts(SIZES, 0.5, TABLES_FROM)
    totals = np.where(np.arange(40_000) % 2 == 0, 2, 13)
    counts = law.draw(totals, np.random.default_rng(3))
    _check_law(counts[:, ::2], SIZES, 2)
    _check_law(counts[:, 1::2], SIZES, 13)


def test_large_classes_have_the_moments_of_the_law() -> None:
    sizes, k, draws = np.array([400_000, 1, 90_000, 250_000, 7_000, 252_999]), 250_000, 20_000
    counts = ClassCounts(sizes, 0.25, draws).draw(np.full(draws, k), np.random.default_rng(0)).astype(float)
    items, share = int(sizes.sum()), sizes / sizes.sum()
    covariance = k * (items - k) / (items - 1) * (np.diag(share) - np.outer(share, share))
    error = (counts.mean(axis=1) - k * share) / np.sqrt(np.diag(covariance) / draws)
    assert abs(error).max() < 4
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert abs((np.cov(counts) - covariance) / scale).max() < 5 / np.sqrt(draws)


@pytest.mark.parametrize("k", [0, 15])
def test_none_and_all(k: int) -> None:
    counts = ClassCounts(SIZES, k / 15, TABLES_FROM).draw(np.full(5, k), np.random.default_rng(0))
    assert (counts == (SIZES if k else 0 * SIZES)[:, None]).all()
