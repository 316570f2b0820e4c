"""What a metric is: its name, bounds, direction and unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestrand_drive.errors import UsageError

LARGEST = 1e18
"""Size of the largest score: float32 still holds its square, so variances stay finite."""


@dataclass(frozen=True)
class MetricSpec:
    """One number per item and policy.

    Attributes:
        name: Field name, such as ``driving_score``.
        low: Least possible value, or None when unbounded below.
        high: Greatest possible value, or None when unbounded above.
        higher_is_better: Direction.
        unit: Unit in words (``points``, ``percent``, ``accuracy``).
        binary: True when only ``low`` and ``high`` occur for a single run.
        ratio: True when the benchmark averages over the items that logged the metric only.
        select: True when the metric takes part in choosing the suite.
    """

    name: str
    low: float | None = None
    high: float | None = None
    higher_is_better: bool = True
    unit: str = ""
    binary: bool = False
    ratio: bool = False
    select: bool = True

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("A metric needs a name.")
        if not all(abs(end) <= LARGEST for end in (self.low, self.high) if end is not None):
            raise UsageError(f"Metric {self.name}: bounds [{self.low}, {self.high}] are no numbers up to {LARGEST:g}.")
        if self.bounds is not None and not np.float32(self.bounds[0]) < np.float32(self.bounds[1]):
            raise UsageError(f"Metric {self.name}: bounds [{self.low}, {self.high}] are empty.")

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both bounds, or None when either side is open."""
        if self.low is None or self.high is None:
            return None
        return self.low, self.high


def inside_bounds(values: np.ndarray, low: float | None, high: float | None) -> np.ndarray:
    """Which values lie between bounds, ends included; compared in float32, the precision that values are kept in.

    Args:
        values: Any shape.
        low: Or None when open.
        high: Or None when open.
    """
    least = -np.inf if low is None else np.float32(low)
    most = np.inf if high is None else np.float32(high)
    kept = values.astype(np.float32)
    return np.asarray((kept >= least) & (kept <= most))
