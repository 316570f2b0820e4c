"""Every beginning of an order holds each stratum's share, and every item is as likely as any other to come early."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand_drive.compression.stopping.order import block_size, suite_order
from bestrand_drive.errors import UsageError
from tests.compression.worlds import LIGHT

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=8)


def world(sizes: list[int]) -> tuple[list[str], list[str]]:
    labels = [f"s{stratum}" for stratum, size in enumerate(sizes) for _ in range(size)]
    return [f"i{number}" for number in range(len(labels))], labels


@LIGHT
@given(SIZES, st.integers(0, 2**40))
def test_every_beginning_holds_the_floor_or_the_ceiling_of_one_common_share(sizes: list[int], seed: int) -> None:
    """Brute force: some share f must fit all counts; only f where a count changes need be tried."""
    items, labels = world(sizes)
    order = suite_order(items, labels, seed).items
    assert sorted(order) == sorted(items)
    label = dict(zip(items, labels, strict=True))
    steps = sorted({Fraction(a, n) for n in sizes for a in range(n + 1)})
    shares = steps + [(a + b) / 2 for a, b in pairwise(steps)]
    for held in range(1, len(items) + 1):
        counts = Counter(label[item] for item in order[:held])
        fits = [all(floor(f * n) <= counts[f"s{h}"] <= ceil(f * n) for h, n in enumerate(sizes)) for f in shares]
        assert any(fits), (held, counts)


def test_strata_of_one_size_make_cycles() -> None:
    items, labels = world([4] * 11)
    label = dict(zip(items, labels, strict=True))
    order = suite_order(items, labels, 3).items
    for start in range(0, 44, 11):
        assert len({label[item] for item in order[start : start + 11]}) == 11


def test_items_come_early_equally_often_whatever_the_size_of_their_stratum() -> None:
    """A stratum of one item would always come first, or last, if strata took turns by a fixed rule."""
    items, labels = world([1, 2, 5, 12])
    draws = 1500
    early = Counter(item for seed in range(draws) for item in suite_order(items, labels, seed).items[:5])
    share, sd = 5 / 20, (0.25 * 0.75 / draws) ** 0.5
    assert max(abs(early[item] / draws - share) for item in items) < 4.5 * sd + 0.02  # 0.02: five is not a fixed share


def test_without_strata_it_is_a_shuffle_and_the_seed_decides() -> None:
    items = [f"i{number}" for number in range(40)]
    orders = {suite_order(items, None, seed).items for seed in range(20)}
    assert len(orders) == 20
    assert all(sorted(order) == sorted(items) for order in orders)
    assert suite_order(items[::-1], None, 7).items == suite_order(items, None, 7).items, "not by the order given"


def test_an_order_needs_no_library_that_may_change_its_draws() -> None:
    script = (
        "import sys; from bestrand_drive.compression.stopping.order import suite_order as o;"
        "print([n for n in ('torch', 'numpy') if n in sys.modules], o(list('abcdef'), list('xxyyzz'), 1).items)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == f"[] {suite_order(list('abcdef'), list('xxyyzz'), 1).items}\n"


@pytest.mark.parametrize(("strata", "size"), [(1, 20), (2, 10), (17, 10), (44, 22), (45, 23)])
def test_a_block_is_half_a_cycle(strata: int, size: int) -> None:
    assert block_size(strata) == size


def test_blocks_cut_the_order() -> None:
    order = suite_order([f"i{number}" for number in range(25)], None, 0, 10)
    assert [len(block) for block in order.blocks] == [10, 10, 5]
    assert [item for block in order.blocks for item in block] == list(order.items)
    with pytest.raises(UsageError, match="1 or more"):
        suite_order(["a"], None, 0, 0)
