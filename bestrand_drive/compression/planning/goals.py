"""From the law of errors to numbers a user can ask for: 95th percentile, smallest size, claims about policies."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bestrand_drive.compression.theory.quantile import mae_quantile
from bestrand_drive.compression.theory.two_phase import TwoPhase

LEVEL = 0.95
DIGITS = 4
"""Decimals of a correlation that matter for a quantile; the law is computed once for each."""


def about_policies(error: TwoPhase, noise_sd: float, items: int) -> TwoPhase:
    """The error about policies' means over runs: a full run misses them by s_n^2 / N, each policy on its own.

    Args:
        error: About this run on all N items.
        noise_sd: Of one run on one item, metric units.
        items: N.
    """
    return TwoPhase(error.variance + noise_sd**2 / items, error.covariance)


def p95_error(error: TwoPhase, targets: int) -> float:
    """What the mean absolute error over ``targets`` policies stays under in 95 of 100 suites, metric units.

    Errors are normal and alike (``theory.quantile``). A correlation below 0, of which many policies have little at
    most, counts as 0.
    """
    if error.variance <= 0:
        return 0.0
    correlation = round(min(max(error.correlation, 0.0), 1.0), DIGITS)
    return error.sd * mae_quantile(correlation, targets, LEVEL)


def smallest_size(met: Callable[[int], bool], most: int, sharp: Iterable[int] = ()) -> int | None:
    """The smallest size at which something holds that larger suites meet more easily.

    Args:
        met: Of a size from 1 to ``most``.
        most: Largest size there is.
        sharp: Sizes that may meet it though somewhat larger ones do not (those with whole shares of every stratum).

    Returns:
        None when even the largest does not meet it.
    """
    if not met(most):
        return None
    low, high = 0, most  # met at high, not met at low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle, high)
    return next((size for size in sorted(sharp) if 0 < size < high and met(size)), high)
