"""What a metric is: its name, bounds, direction and unit."""

from __future__ import annotations

from dataclasses import dataclass

from bestrand_drive.errors import UsageError


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
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise UsageError(f"Metric {self.name}: bounds [{self.low}, {self.high}] are empty.")

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both bounds, or None when either side is open."""
        if self.low is None or self.high is None:
            return None
        return self.low, self.high
