"""How many targets must be evaluated until running probes first is cheaper than a larger suite chosen without them."""

from __future__ import annotations

import math

from bestrand_drive.compression.planning.goals import smallest_size
from bestrand_drive.compression.planning.laws import Law


def equal_size(error_variance: float, unaided: Law, most: int) -> float:
    """Size, between whole ones by interpolation, at which choosing without probes errs as little.

    Args:
        error_variance: To be reached, metric units squared.
        unaided: The law without probes.
        most: N.
    """
    size = smallest_size(lambda k: unaided(k).variance <= error_variance, most)
    if size is None or size == 1:
        return float(most if size is None else 1)
    above, below = unaided(size - 1).variance, unaided(size).variance
    return size - 1 + (above - error_variance) / (above - below) if above > below else float(size)


def break_even_targets(k: int, guided: Law, unaided: Law, *, probe_runs: int, most: int) -> int | None:
    """Targets from which probes pay: ``T k + probe runs`` item runs against ``T k'`` at the same error.

    Args:
        k: Size of the suite that probes choose.
        guided: Law with probes.
        unaided: Law without.
        probe_runs: Item runs that the probes cost; 0 when their results are at hand.
        most: N.

    Returns:
        None when probes save nothing at this size, so that they never pay.
    """
    if probe_runs == 0:
        return 0
    saved = equal_size(guided(k).variance, unaided, most) - k
    return math.ceil(probe_runs / saved) if saved > 1e-9 else None
