"""Sizes and pools: how many items are chosen, and out of which."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Generator, Tensor

from bestrand_drive.compression.sampling import simple_random, split_generator, systematic_stratified
from bestrand_drive.compression.strata import stratum_codes
from bestrand_drive.errors import UsageError


def kept_items(items: int, keep: float) -> int:
    """How many items a keep rate means: round half up, at least 1.

    Raises:
        UsageError: The rate is not in (0, 1].
    """
    if not 0 < keep <= 1:
        raise UsageError(f"--keep {keep}: give the share of items to keep, above 0 and at most 1.")
    return max(1, half_up(items * keep))


def half_up(value: float) -> int:
    """Round half up; 31.499999999999996, which is 90 x 0.35 in binary, counts as 31.5."""
    return math.floor(round(value, 9) + 0.5)


def pool_size(k: int, factor: float | None, most: int) -> int:
    """Items that the probes are looked at on: min(n k, N), all of them without a factor."""
    return most if factor is None else min(half_up(factor * k), most)


def draw_pool(
    eligible: Tensor, k: int, factor: float | None, strata: tuple[str, ...] | None, generator: Generator
) -> Tensor:
    """Draw the min(n k, N) items that the probes are looked at on.

    Args:
        eligible: long Tensor[item], what may be drawn.
        k: Size of the suite.
        factor: n, or None for all eligible items.
        strata: Labels of all items of the benchmark; given, the pool holds each stratum's share.
        generator: CPU generator; one number is taken from it when something is drawn.

    Returns:
        long Tensor[pool item], sorted.

    Raises:
        UsageError: The factor is below 1.
    """
    if factor is None:
        return eligible
    if factor < 1:
        raise UsageError(f"--pool-factor {factor}: the pool cannot be smaller than the suite; give 1 or more.")
    size = pool_size(k, factor, len(eligible))
    if size == len(eligible):
        return eligible
    draw = simple_random(len(eligible), size)
    if strata is not None:
        draw = systematic_stratified(stratum_codes([strata[i] for i in eligible.tolist()]).codes, size)
    return eligible[draw(1, split_generator(generator))[0]]


def near_proportional(k: int, strata_sizes: Sequence[int]) -> int | None:
    """A size within 15 % of k at which every stratum's share is whole, which makes estimates sharper.

    Args:
        k: Wanted size.
        strata_sizes: Items that can be chosen of each stratum.

    Returns:
        The nearest such size, or None when k is one or none is near.
    """
    sizes = whole_shares(strata_sizes)
    if not sizes or k % sizes[0] == 0:
        return None
    nearest = max(sizes[0], sizes[0] * math.floor(k / sizes[0] + 0.5))
    return nearest if nearest in sizes and abs(nearest - k) <= 0.15 * k else None


def whole_shares(strata_sizes: Sequence[int]) -> range:
    """Sizes at which every stratum's share N_h k / N is whole; none with fewer than two strata.

    They are the multiples of N / gcd(N_1, N_2, ...): of the number of strata when all are of one size.

    Args:
        strata_sizes: Items that can be chosen of each stratum.
    """
    items = sum(strata_sizes)
    if len(strata_sizes) < 2 or not items:
        return range(0)
    step = items // math.gcd(*strata_sizes)
    return range(step, items + 1, step)
