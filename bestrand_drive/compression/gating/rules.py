"""The rules of a gate: an interval of candidate minus baseline on one side of a bound, or around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.intervals import Interval


class Rule(str, Enum):
    """Who has to prove what."""

    REGRESSION = "regression"
    NON_INFERIOR = "non-inferior"


class Status(str, Enum):
    """What a gate says."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Question:
    """What is asked of one metric.

    Attributes:
        rule: Who has to prove what.
        level: Confidence of the two-sided interval; a true difference on the bound fails in (1 - level) / 2 of all
            cases at most.
        max_drop: Largest drop that is tolerated, metric units, 0 or more; None asks for any drop.
        higher_is_better: Direction; where lower is better a drop is a rise.
    """

    rule: Rule
    level: float
    max_drop: float | None
    higher_is_better: bool

    @property
    def bound(self) -> float:
        """Candidate minus baseline at which the tolerated drop ends, metric units."""
        drop = self.max_drop or 0.0
        return -drop if self.higher_is_better else drop

    def beyond(self, around: Interval) -> bool:
        """Whether an interval lies wholly on the bad side of the bound."""
        return around.high < self.bound if self.higher_is_better else around.low > self.bound

    def within(self, around: Interval) -> bool:
        """Whether an interval lies wholly on the good side of the bound."""
        return around.low > self.bound if self.higher_is_better else around.high < self.bound

    def p_value(self, found: PairedDifference) -> float:
        """Two-sided p-value of the bound; 1 where the difference is on its good side, or nothing can be told."""
        bad = found.value < self.bound if self.higher_is_better else found.value > self.bound
        told = found.p_value(self.bound) if bad else None
        return 1.0 if told is None else told

    def status(self, found: PairedDifference) -> Status:
        """What is said of one difference.

        An interval that holds the bound is undecided; but where ``regression`` was told no ``max_drop``, it was asked
        for a drop that can be shown, of whatever size, and none was: passed.
        """
        around = found.interval(self.level)
        if around is None:
            return Status.UNDECIDED
        if self.beyond(around):
            return Status.FAILED
        anything = self.rule is Rule.REGRESSION and self.max_drop is None
        return Status.PASSED if anything or self.within(around) else Status.UNDECIDED


def statuses(questions: Sequence[Question], found: Sequence[PairedDifference | None]) -> list[Status]:
    """What is said of several metrics, the primary one first.

    The primary one is judged as if it were alone. The others fail by Holm's procedure among them (Scandinavian Journal
    of Statistics 6 (1979), 65-70), at 1 - level in all; what fails alone but not so is undecided. To pass, nothing is
    corrected: all have to.

    Args:
        questions: One a metric.
        found: The differences; None where a metric is withheld.
    """
    asked = list(zip(questions, found, strict=True))
    alone = [Status.UNDECIDED if one is None else question.status(one) for question, one in asked]
    rest = [1.0 if one is None else question.p_value(one) for question, one in asked[1:]]
    stands = [True, *holm(rest, questions[0].level)]
    return [
        Status.UNDECIDED if status is Status.FAILED and not sure else status
        for status, sure in zip(alone, stands, strict=True)
    ]


def holm(p_values: Sequence[float], level: float) -> list[bool]:
    """Which hypotheses are rejected with a chance of at most 1 - level that any of these is true.

    Args:
        p_values: One a hypothesis.
        level: Such as 0.95.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = [False] * len(p_values)
    for rank, place in enumerate(order):
        if p_values[place] * (len(p_values) - rank) >= 1 - level:
            break
        rejected[place] = True
    return rejected
