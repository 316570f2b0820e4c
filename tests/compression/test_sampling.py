"""The laws of the random draws; systematic positions against exact arithmetic."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bestrand_drive.compression.sampling import Draw, simple_random, split_generator, systematic_stratified
from tests.compression import reference
from tests.compression.worlds import LIGHT, seeded

DRAWS = 20_000
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=8)


def _labels(sizes: list[int]) -> torch.Tensor:
    return torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))


def _both(strata: torch.Tensor, k: int) -> list[Draw]:
    return [simple_random(len(strata), k), systematic_stratified(strata, k)]


@LIGHT
@given(SIZES, st.data())
def test_candidates_are_sorted_distinct_items_in_range(sizes: list[int], data: st.DataObject) -> None:
    strata = _labels(sizes)
    k = data.draw(st.integers(1, len(strata)))
    for draw in _both(strata, k):
        candidates = draw(20, seeded(data.draw(st.integers(0, 999))))
        assert candidates.shape == (20, k)
        assert candidates.min() >= 0
        assert candidates.max() < len(strata)
        assert (candidates.diff(dim=1) > 0).all()


@LIGHT
@given(SIZES, st.data())
def test_every_stratum_gets_the_floor_or_the_ceiling_of_its_share(sizes: list[int], data: st.DataObject) -> None:
    strata = _labels(sizes)
    order = torch.from_numpy(np.random.default_rng(0).permutation(len(strata)))
    k = data.draw(st.integers(1, len(strata)))
    candidates = systematic_stratified(strata[order], k)(50, seeded(1))
    counts = torch.nn.functional.one_hot(strata[order][candidates], len(sizes)).sum(dim=1)
    for h, size in enumerate(sizes):
        floor, remainder = divmod(size * k, len(strata))
        assert counts[:, h].min() >= floor
        assert counts[:, h].max() <= floor + (remainder > 0)


def test_simple_random_is_uniform_over_subsets() -> None:
    seen = Counter(map(tuple, simple_random(6, 3)(DRAWS, seeded(5)).tolist()))
    counts = [seen[subset] for subset in combinations(range(6), 3)]
    assert sum(counts) == DRAWS
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize(("sizes", "k"), [([1, 2, 3, 5, 8], 4), ([5] * 6, 6), ([5] * 6, 11), ([1] * 9, 4), ([7], 3)])
def test_stratified_draws_include_every_item_equally_often(sizes: list[int], k: int) -> None:
    strata = _labels(sizes)
    candidates = systematic_stratified(strata, k)(DRAWS, seeded(8))
    share = k / len(strata)
    counts = torch.bincount(candidates.reshape(-1), minlength=len(strata)).numpy()
    z = (counts - DRAWS * share) / np.sqrt(DRAWS * share * (1 - share))
    assert np.abs(z).max() < 4


def test_inside_a_stratum_every_subset_is_equally_likely() -> None:
    candidates = systematic_stratified(_labels([4, 4]), 4)(DRAWS, seeded(3))
    pairs = Counter(tuple(row[row < 4].tolist()) for row in candidates)
    counts = [pairs[pair] for pair in combinations(range(4), 2)]
    assert sum(counts) == DRAWS
    assert stats.chisquare(counts).pvalue > 1e-3


def test_items_of_different_strata_are_drawn_independently() -> None:
    candidates = systematic_stratified(_labels([3, 3]), 2)(DRAWS, seeded(4))
    table = np.zeros((3, 3))
    np.add.at(table, (candidates[:, 0].numpy(), candidates[:, 1].numpy() - 3), 1)
    assert stats.chisquare(table.reshape(-1)).pvalue > 1e-3


def _identity_keys(kinds: int, items: int, u: float) -> torch.Tensor:
    """Keys that leave strata and items in their own order and set the start to ``u``."""
    ramp = [torch.arange(size, dtype=torch.float64) / size for size in (kinds, items)]
    return torch.cat([*ramp, torch.tensor([u], dtype=torch.float64)])[None]


@LIGHT
@given(SIZES, st.data(), st.integers(0, 2**32 - 1))
def test_positions_equal_exact_arithmetic(sizes: list[int], data: st.DataObject, seed: int) -> None:
    strata = _labels(sizes)
    k = data.draw(st.integers(1, len(strata)))
    u = float(np.random.default_rng(seed).random())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "rand", lambda *_, **__: _identity_keys(len(sizes), len(strata), u))
        chosen = systematic_stratified(strata, k)(1, seeded(0))
    assert chosen[0].tolist() == reference.systematic_positions(len(strata), k, u)


@pytest.mark.parametrize(("items", "k"), [(5, 5), (220, 220), (220, 44), (220, 77), (7, 3)])
@pytest.mark.parametrize("u", [0.0, 2**-53, 1 - 2**-53])
def test_the_ends_of_the_start_range_stay_in_range_and_distinct(items: int, k: int, u: float) -> None:
    """(t + u) N / k can round up to the next position at u = 1 - 2^-53."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "rand", lambda *_, **__: _identity_keys(1, items, u))
        chosen = systematic_stratified(torch.zeros(items, dtype=torch.long), k)(1, seeded(0))[0].tolist()
    assert len(set(chosen)) == k
    assert min(chosen) >= 0
    assert max(chosen) < items


@pytest.mark.parametrize("which", [0, 1])
def test_calls_continue_one_stream_whatever_their_size(which: int) -> None:
    draw = _both(_labels([3, 4, 5]), 5)[which]
    whole, parts = seeded(2), seeded(2)
    expected = draw(37, whole)
    found = torch.cat([draw(count, parts) for count in (1, 16, 2, 18)])
    assert torch.equal(found, expected)
    assert torch.equal(whole.get_state(), parts.get_state())


def test_a_split_generator_takes_one_number_and_is_its_own() -> None:
    parent, twin = seeded(9), seeded(9)
    own = split_generator(parent)
    torch.rand(1000, generator=own)
    split_generator(twin)
    assert torch.equal(parent.get_state(), twin.get_state())
    first, second = split_generator(seeded(9)), split_generator(seeded(10))
    assert not torch.equal(torch.rand(8, generator=first), torch.rand(8, generator=second))
    assert torch.equal(
        torch.rand(8, generator=split_generator(seeded(9))), torch.rand(8, generator=split_generator(seeded(9)))
    )


def test_the_global_random_state_is_left_alone() -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    for draw in _both(_labels([3, 3]), 2):
        draw(5, split_generator(seeded(0)))
    assert torch.equal(before, torch.get_rng_state())
