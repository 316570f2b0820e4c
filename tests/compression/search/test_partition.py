"""Unions of blocks: size, law of each one, and what is told of the best."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestrand_drive.compression.search import SearchSpace, partition, search
from bestrand_drive.compression.search.partition import Unions, layout
from bestrand_drive.compression.search.sums import item_sums
from bestrand_drive.errors import UsageError
from tests.compression import reference
from tests.compression.worlds import LIGHT, close, seeded


def _space(items: int, width: int, seed: int = 0) -> SearchSpace:
    features = torch.from_numpy(np.random.default_rng(seed).normal(size=(items, width)))
    return SearchSpace(features, None, None, torch.zeros((0, items), dtype=torch.bool))


@LIGHT
@given(
    st.integers(2, 3000), st.floats(0.001, 0.999), st.sampled_from(["windows", "blocks"]), st.sampled_from([2, 7, 256])
)
def test_every_union_holds_k_items_and_its_own_sums(items: int, share: float, kind: str, blocks: int) -> None:
    k = min(items - 1, max(1, round(share * items)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "BLOCKS", blocks)
        patch.setattr(partition.layout, "__defaults__", (blocks,))
        space = _space(items, 2)
        unions = Unions(kind, item_sums(space), k, 5, seeded(0))
        candidates = unions.next(5)
        totals = unions.totals(candidates)
        for candidate, total in zip(candidates, totals, strict=True):
            chosen = unions.items(candidate)
            assert (len(chosen), len(chosen.unique())) == (k, k)
            close(total, space.features[chosen].sum(dim=0), scale=100)


@pytest.mark.parametrize("kind", ["windows", "blocks"])
@pytest.mark.parametrize(("items", "k", "blocks"), [(6, 3, 2), (7, 2, 3), (7, 5, 3), (8, 3, 3)])
def test_each_candidate_alone_is_a_simple_random_subset(
    kind: str, items: int, k: int, blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition.layout, "__defaults__", (blocks,))
    sums, generator, seen = item_sums(_space(items, 1)), seeded(5), Counter[tuple[int, ...]]()
    for _ in range(1500):
        unions = Unions(kind, sums, k, 2, generator)
        seen[tuple(unions.items(unions.next(2)[-1]).tolist())] += 1
    kinds = int(stats.multivariate_hypergeom(m=[1] * items, n=k).pmf([1] * k + [0] * (items - k)) ** -1 + 0.5)
    assert len(seen) <= kinds
    assert stats.chisquare([*seen.values(), *[0] * (kinds - len(seen))]).pvalue > 1e-3


@pytest.mark.parametrize("way", ["windows", "blocks"])
@pytest.mark.parametrize("case", ["plain", "masked", "guards"])
def test_what_is_found_is_what_it_says(way: str, case: str) -> None:
    space, rng = _space(700, 6), np.random.default_rng(1)
    valid = torch.from_numpy(rng.random((700, 6)) < 0.8) if case == "masked" else None
    guards = torch.from_numpy(rng.random((2, 700)) < 0.01) if case == "guards" else space.guards
    space = SearchSpace(space.features, valid, None, guards)
    found = search(None, 211, space, 3000, seeded(3), way=way)
    assert (found.way, found.judged, len(found.subset)) == (way, 3000, 211)
    mask = None if valid is None else valid.numpy()
    close(found.distance, reference.imbalance(space.features.numpy(), found.subset.tolist(), range(700), mask))
    assert guards[:, found.subset].any(dim=1).all()
    again = search(None, 211, space, 3000, seeded(3), way=way)
    assert torch.equal(again.subset, found.subset)


def test_blocks_leave_about_the_imbalance_of_independent_subsets() -> None:
    space = _space(5600, 20)
    plain, fast = seeded(1), seeded(2)
    one = np.array([search(None, 1400, space, 64, plain, way="subsets").distance for _ in range(12)])
    other = np.array([search(None, 1400, space, 64, fast, way="blocks").distance for _ in range(12)])
    spread = np.sqrt(one.var(ddof=1) / 12 + other.var(ddof=1) / 12)
    assert abs(one.mean() - other.mean()) < 4 * spread


def test_mean_square_is_that_of_a_random_subset() -> None:
    """Each union has the law of a random subset, so the mean square is (1/k - 1/N) times the features' variances."""
    space = _space(900, 4)
    expected = (1 / 200 - 1 / 900) * float(space.features.var(dim=0, correction=1).sum())
    for way in ("windows", "blocks"):
        assert search(None, 200, space, 20_000, seeded(0), way=way).mean_square == pytest.approx(expected, rel=0.15)


def test_strata_are_refused() -> None:
    with pytest.raises(UsageError, match="stratum"):
        search(torch.arange(50) // 5, 10, _space(50, 2), 8, seeded(0), way="blocks")


def test_a_block_size_that_divides_k_is_preferred() -> None:
    assert (layout(1_000_000, 250_000).head, layout(5600, 1400).head) == (0, 0)
    assert layout(1_000_000, 249_989).head > 0
