"""Sizes and pools."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
import torch

from bestrand_drive.compression.pool import draw_pool, kept_items, near_proportional, pool_size
from bestrand_drive.errors import UsageError
from tests.compression.worlds import seeded


def test_kept_items_rounds_the_written_rate_half_up() -> None:
    """0.35 of 90 is 31.5, so 32, although the float 0.35 lies below."""
    wrong = []
    for thousandths in range(5, 1001, 5):
        for items in range(1, 400):
            exact = Decimal(thousandths) / 1000 * items
            expected = max(1, int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)))
            if kept_items(items, thousandths / 1000) != expected:
                wrong.append((items, thousandths / 1000, kept_items(items, thousandths / 1000), expected))
    assert not wrong, f"{len(wrong)} of (items, keep, found, expected), first {wrong[:5]}"


@pytest.mark.parametrize(
    ("items", "keep", "expected"), [(220, 0.35, 77), (90, 0.35, 32), (100, 0.1, 10), (100, 1.0, 100), (3, 1e-9, 1)]
)
def test_kept_items(items: int, keep: float, expected: int) -> None:
    assert kept_items(items, keep) == expected


@pytest.mark.parametrize("keep", [0.0, -0.1, 1.0001, float("nan"), float("inf")])
def test_a_rate_outside_its_range_is_refused(keep: float) -> None:
    with pytest.raises(UsageError, match="--keep"):
        kept_items(10, keep)


STRATA = tuple("abcde"[i // 8] for i in range(40))


def test_the_pool_holds_n_times_k_sorted_eligible_items() -> None:
    eligible = torch.arange(1, 40, 1)
    pool = draw_pool(eligible, 5, 4, None, seeded(0))
    assert len(pool) == 20
    assert (pool.diff() > 0).all()
    assert torch.isin(pool, eligible).all()


@pytest.mark.parametrize(("k", "factor"), [(10, 4), (11, 4), (40, 1), (5, None), (1, None)])
def test_a_pool_as_large_as_the_benchmark_is_all_of_it(k: int, factor: float | None) -> None:
    generator, untouched = seeded(1), seeded(1)
    assert torch.equal(draw_pool(torch.arange(40), k, factor, STRATA, generator), torch.arange(40))
    assert torch.equal(generator.get_state(), untouched.get_state())


@pytest.mark.parametrize("k", [2, 3, 5, 7])
def test_a_stratified_pool_holds_each_stratum_s_share(k: int) -> None:
    for seed in range(20):
        pool = draw_pool(torch.arange(40), k, 4, STRATA, seeded(seed))
        counts = [sum(STRATA[i] == label for i in pool.tolist()) for label in "abcde"]
        assert min(counts) >= 4 * k // 5
        assert max(counts) <= -(-4 * k // 5)


def test_strata_are_those_of_the_eligible_items_only() -> None:
    eligible = torch.arange(8, 40)
    pool = draw_pool(eligible, 4, 2, STRATA, seeded(3))
    assert [sum(STRATA[i] == label for i in pool.tolist()) for label in "abcde"] == [0, 2, 2, 2, 2]


def test_one_number_is_taken_from_the_generator() -> None:
    one, two = seeded(4), seeded(4)
    draw_pool(torch.arange(40), 2, 4, STRATA, one)
    draw_pool(torch.arange(40), 6, 4, None, two)
    assert torch.equal(one.get_state(), two.get_state())


def test_a_factor_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="--pool-factor"):
        draw_pool(torch.arange(40), 5, 0.9, None, seeded(0))


SIZES = [(3, 3, 3, 3), (5,) * 44, (10, 5, 5), (6, 6, 4, 4, 4), (12, 18, 30), (1, 1), (7, 5), (40,), (), (0, 0)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_near_sizes_of_whole_shares_equal_brute_force(sizes: tuple[int, ...]) -> None:
    items = sum(sizes)
    whole = [m for m in range(1, items + 1) if all((size * m) % items == 0 for size in sizes)]
    for k in range(1, max(items, 2)):
        found = near_proportional(k, sizes)
        near = [m for m in whole if abs(m - k) <= 0.15 * k]
        if len(sizes) < 2 or k in whole or not near:
            assert found is None, k
        else:
            assert found in near
            assert abs(found - k) == min(abs(m - k) for m in near)


@pytest.mark.parametrize(
    ("k", "sizes", "expected"), [(77, (5,) * 44, 88), (44, (5,) * 44, None), (33, (5,) * 44, None), (9, (6, 6, 4), 8)]
)
def test_near_sizes(k: int, sizes: tuple[int, ...], expected: int | None) -> None:
    """88 = 2 of each of Bench2Drive's 44 types; three strata of 6, 6 and 4 share 8 as 3, 3 and 2."""
    assert near_proportional(k, sizes) == expected


def test_pool_sizes() -> None:
    assert [pool_size(k, 4.0, 100) for k in (1, 10, 30)] == [4, 40, 100]
    assert pool_size(3, None, 100) == 100
    assert pool_size(45, 0.7 / 0.2, 1000) == 158  # 157.49999999999997 in binary
