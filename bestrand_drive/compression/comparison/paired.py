"""The difference of two policies with its variance: intervals at any level, p-values, what it can detect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from bestrand_drive.compression.comparison.score_interval import score_interval, statistic
from bestrand_drive.compression.intervals import Interval
from bestrand_drive.compression.planning.differences import LEVEL, detectable_ratio

MOST_REPEATS = 64
"""As many times the present runs as are looked at."""
ROUNDING = 1e-6
"""Share of a metric's range below which differences are rounding: scores are kept in float32, to 6e-8 of their size."""


@dataclass(frozen=True)
class VarianceParts:
    """Where the variance of a difference comes from, metric units squared.

    Attributes:
        items: By the items that were not measured (0 when all were).
        noise: By the runs of both sides; all of the variance where run noise is not measured.
        item_variance: Of the difference of expected scores between items (inside strata where these are used); with
            run noise not measured, of the measured differences.
        noise_variance: Of one item's measured difference by its runs; None where run noise is not measured.
        reference: The same by the noise that the suite borrows, for plans only; None when it knows none.
    """

    items: float
    noise: float
    item_variance: float
    noise_variance: float | None
    reference: float | None = None


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
        share: Of the paired items, those whose difference is not zero.
        method: Name of the estimator that both sides share.
        range: Of the metric, high less low; None when unbounded.
    """

    value: float
    variance: float
    df: float
    n: int
    population: float
    parts: VarianceParts
    size: float | None
    share: float
    method: str
    range: float | None = None

    @property
    def tells_spread(self) -> bool:
        """Whether the variance is more than rounding of equal differences."""
        return self.variance > (0.0 if self.range is None else (ROUNDING * self.range) ** 2)

    @property
    def standard_error(self) -> float:
        """Metric units."""
        return float(np.sqrt(self.variance))

    def interval(self, level: float) -> Interval | None:
        """Two-sided interval; None when one item leaves no spread to judge by.

        Student's t around the difference; for bounded metrics together with Tango's score interval at the effective
        number of pairs, of which the outer ends are taken: each alone was measured to hold too seldom somewhere
        (docs/comparing.md), t where few items differ, Tango's where few items were measured. What no two policies can
        differ by, more than the metric's range, is cut off: it only takes away what cannot be true.

        Args:
            level: Such as 0.95.
        """
        if self.n < 2:
            return None
        half = float(stats.t.ppf(0.5 + level / 2, self.df)) * self.standard_error
        low, high = self.value - half, self.value + half
        if self.size is not None:
            below, above = score_interval(*self.proportions, level)
            low, high = min(low, self.size * below), max(high, self.size * above)
        return Interval(self._possible(low), self._possible(high))

    def _possible(self, difference: float) -> float:
        return difference if self.range is None else float(np.clip(difference, -self.range, self.range))

    def p_value(self, against: float = 0.0) -> float | None:
        """Two-sided p-value of the difference being ``against``; below 1 - level just outside the interval.

        Args:
            against: Metric units.
        """
        if self.n < 2:
            return None
        off = abs(self.value - against)
        ratio = off / self.standard_error if self.variance > 0 else (np.inf if off > 0 else 0.0)
        p = 2 * float(stats.t.sf(ratio, self.df))
        if self.size is not None and abs(against) < self.size:
            p = max(p, 2 * float(stats.norm.sf(abs(statistic(*self.proportions, against / self.size)))))
        return p

    def detectable(self, level: float = LEVEL) -> float | None:
        """True difference that is found at this level in 80 of 100 cases, metric units; None without an interval.

        Args:
            level: Two-sided.
        """
        around = self.interval(level)
        if around is None:
            return None
        bar = float(stats.t.ppf(0.5 + level / 2, self.df))
        error = self.standard_error if self.tells_spread else around.half_width / bar
        return error * detectable_ratio(max(1, int(self.df)), level)

    def sees_nothing(self, level: float = LEVEL) -> bool:
        """Whether even the largest possible difference is found in fewer than 80 of 100 cases."""
        detectable = self.detectable(level)
        return self.range is not None and detectable is not None and detectable > self.range

    def items_to_detect(self, difference: float, level: float = LEVEL) -> int | None:
        """Paired items, runs as now, with which that true difference would be detectable; None when N are too few.

        Args:
            difference: Metric units, either sign.
            level: Two-sided.
        """
        return self._least(self.n, int(self.population), self.with_items, difference, level)

    def repeats_to_detect(self, difference: float, level: float = LEVEL) -> int | None:
        """Times as many runs of each side on these items; None when none are enough or run noise is unknown.

        Where the sides' own repeats do not tell the noise, the one that the suite borrows is taken for the plan.

        Args:
            difference: Metric units, either sign.
            level: Two-sided.
        """
        if self.parts.noise_variance is None and self.parts.reference is None:
            return None
        return self._least(1, MOST_REPEATS, self.with_repeats, difference, level)

    @property
    def proportions(self) -> tuple[float, float, float]:
        """Difference and share of the pairs that differ, in units of ``size``, and the effective number of pairs."""
        size = self.size or 1.0
        value = float(np.clip(self.value / size, -self.share, self.share))
        spread = self.share - value**2
        known = self.tells_spread and spread > 1e-12
        return value, self.share, spread * size**2 / self.variance if known else float(self.n)

    def with_items(self, n: int) -> PairedDifference:
        """What to expect of n paired items, n from the present number to N."""
        least, most = 1 / self.population, 1 / self.n
        left = max(0.0, 1 / n - least) / (most - least) if most > least else 0.0
        variance = self.parts.items * left + self.parts.noise * self.n / n
        return replace(self, variance=variance, df=self.df * n / self.n, n=n)

    def with_repeats(self, times: int) -> PairedDifference:
        """What to expect of so many times the runs on both sides; noise that is not measured is the borrowed one."""
        known, noise = self.parts.noise_variance, self.parts.noise
        if known is not None:
            return replace(self, variance=self.parts.items + noise / times)
        spread = self.parts.item_variance
        share = min(1.0, (self.parts.reference or 0.0) / spread) if spread > 0 else 1.0
        return replace(self, variance=noise * (1 - share) + noise * share / times)

    def _least(
        self,
        first: int,
        last: int,
        at: Callable[[int], PairedDifference],
        difference: float,
        level: float,
    ) -> int | None:
        """The smallest number from first to last at which the difference is detectable (bisection)."""

        def enough(number: int) -> bool:
            found = at(number).detectable(level)
            return found is not None and found <= abs(difference)

        if last < first or not enough(last):
            return None
        while first < last:
            middle = (first + last) // 2
            first, last = (first, middle) if enough(middle) else (middle + 1, last)
        return last
