"""With how many more items or runs an undecided gate would decide."""

from __future__ import annotations

from dataclasses import dataclass

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.gating.rules import Question


@dataclass(frozen=True)
class Deciding:
    """What would decide in 80 of 100 cases.

    Attributes:
        distance: From the bound to the difference that is taken for true, metric units.
        measured: Whether that is the measured difference; else it is no difference at all.
        items: Paired items in all, runs as now; None when the whole benchmark is not enough.
        repeats: Times as many runs of both sides on the same items; None when none are enough or run noise is unknown.
    """

    distance: float
    measured: bool
    items: int | None
    repeats: int | None


def deciding(question: Question, found: PairedDifference) -> Deciding | None:
    """What would decide; None where the question has no bound to be told from.

    The plan is for a candidate that does not differ. Where the present size tells such a one from the bound, and still
    nothing was decided, the measured difference lies near the bound and is taken for the true one.

    Args:
        question: What was asked.
        found: The difference that left it undecided.
    """
    sees = found.detectable(question.level)
    if question.max_drop is None or sees is None:
        return None
    measured = sees <= question.max_drop
    distance = abs(found.value - question.bound) if measured else question.max_drop
    return Deciding(
        distance=distance,
        measured=measured,
        items=found.items_to_detect(distance, question.level),
        repeats=found.repeats_to_detect(distance, question.level),
    )
