"""The difference of two policies with its variance: intervals at any level, p-values, what it can detect."""

from __future__ import annotations

from dataclasses import dataclass

from bestrand_drive.compression.intervals import Interval


@dataclass(frozen=True)
class VarianceParts:
    """Where the variance of a difference comes from, metric units squared.

    Attributes:
        items: By the items that were not measured (0 when all were).
        noise: By the runs of both sides.
        item_variance: Of the difference of expected scores between items (inside strata where these are used).
        noise_variance: Of one item's measured difference by its runs; None where run noise is not measured, then
            ``item_variance`` is the whole spread and ``items`` is 0.
    """

    items: float
    noise: float
    item_variance: float
    noise_variance: float | None


@dataclass(frozen=True)
class PairedDifference:
    """Candidate minus baseline on the whole benchmark.

    Attributes:
        value: Metric units.
        variance: Of its error as an estimate of the difference of the policies.
        df: Degrees of freedom of the variance (Satterthwaite where parts add).
        n: Paired items.
        population: Items that count, N.
        parts: Of the variance.
        size: Root mean square of the items' differences that are not zero; the metric's range when all are zero; None
            for unbounded metrics.
        method: Name of the estimator that both sides share.
    """

    value: float
    variance: float
    df: float
    n: int
    population: float
    parts: VarianceParts
    size: float | None
    method: str

    @property
    def standard_error(self) -> float:
        """Metric units."""
        raise NotImplementedError

    def interval(self, level: float) -> Interval | None:
        """Two-sided interval; None when one item leaves no spread to judge by."""
        raise NotImplementedError

    def p_value(self, against: float = 0.0) -> float | None:
        """Two-sided p-value of the difference being ``against``; below 1 - level just outside the interval."""
        raise NotImplementedError

    def detectable(self, level: float = 0.95) -> float | None:
        """True difference that is found at this level in 80 of 100 cases, metric units."""
        raise NotImplementedError

    def items_to_detect(self, difference: float, level: float = 0.95) -> int | None:
        """Paired items, runs as now, with which that true difference would be detectable; None when N are too few."""
        raise NotImplementedError

    def repeats_to_detect(self, difference: float, level: float = 0.95) -> int | None:
        """Times as many runs of each side on these items; None when none are enough or run noise is not measured."""
        raise NotImplementedError
