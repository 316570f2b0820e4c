"""What a comparison of two policies says: candidate minus baseline, for one number of the benchmark after another.

The claim is about policies: the difference of their expected scores, averaged over all N items of the benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.intervals import Interval

NOT_MEASURED = "run noise not measured"
"""Noise source where repeats do not tell it: the interval then takes all spread for noise."""


class Verdict(str, Enum):
    """What the interval says of the candidate."""

    BETTER = "better"
    WORSE = "worse"
    OPEN = "not distinguishable"


@dataclass(frozen=True)
class MetricDifference:
    """One line of a comparison.

    Attributes:
        name: Of the metric, harmonic mean or domain.
        unit: In words.
        higher_is_better: Direction.
        baseline: Its estimate from the paired items, metric units; None when withheld.
        candidate: The same of the candidate.
        paired: The difference with its variance, from which the interval at any level and p-values follow; None when
            withheld (``reason`` says why).
        level: Of ``interval``.
        noise_source: ``own repeats``, or ``NOT_MEASURED`` with what is lacking.
        runs: Independent runs a measured value averages, baseline and candidate (harmonic means over items).
        if_missing: The difference with all that is missing at its worst for the candidate and best for the baseline,
            and the reverse; None when nothing is missing or the metric has no bounds.
        reason: What the reader must know; empty when nothing.
    """

    name: str
    unit: str
    higher_is_better: bool
    baseline: float | None
    candidate: float | None
    paired: PairedDifference | None
    level: float
    noise_source: str
    runs: tuple[float, float]
    if_missing: tuple[PairedDifference, PairedDifference] | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Candidate minus baseline, metric units."""
        return None if self.paired is None else self.paired.value

    @property
    def interval(self) -> Interval | None:
        """Two-sided, at ``level``; None when one item leaves no spread to judge by."""
        return None if self.paired is None else self.paired.interval(self.level)

    @property
    def detectable(self) -> float | None:
        """True difference that this comparison finds in 80 of 100 cases at ``level``, metric units."""
        return None if self.paired is None else self.paired.detectable(self.level)

    @property
    def verdict(self) -> Verdict | None:
        """By the interval; None when there is none."""
        around = self.interval
        if around is None:
            return None
        if around.low <= 0 <= around.high:
            return Verdict.OPEN
        return Verdict.BETTER if (around.low > 0) == self.higher_is_better else Verdict.WORSE


@dataclass(frozen=True)
class Flip:
    """An item on which a 0/1 metric came out the other way.

    Attributes:
        item: Id.
        metric: Name.
        baseline: Mean over its runs, metric units.
        candidate: The same of the candidate.
        runs: Of baseline and candidate on it.
        within_noise: True unless the item's own repeats alone tell the two apart (Fisher's exact test, Holm over all
            paired items, 5 %).
    """

    item: str
    metric: str
    baseline: float
    candidate: float
    runs: tuple[int, int]
    within_noise: bool
