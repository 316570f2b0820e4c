"""Longest expected job first, and where servers are reused, short jobs by town."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

SLACK = 0.05
"""Share of the even load of a slot up to which a job is short: as much may the end be delayed for the towns' sake."""


@dataclass(frozen=True)
class Job:
    """Something to be run.

    Attributes:
        expected: How long, in any unit.
        town: Where.
        repeat: Lower ones come first.
    """

    expected: float
    town: str | None = None
    repeat: int = 0


class Queue:
    """Numbers of jobs, given to whichever slot is free: no slot waits while a job does.

    Repeat by repeat, the longest first; among equals, the first given. With ``by_town``, only jobs longer than
    ``SLACK`` / (1 - 1 / slots) of the even load (all jobs' sum over the slots) are taken so; the short ones, after
    them, are taken in the slot's own town first, and then where most is to be done. One slot has short ones only.

    With one repeat the end is then, by expected durations and without loads, at the latest the larger of that of
    longest first and (1 + ``SLACK``) x the lower bound max(even load, longest job). For the last job to end is either
    long, and then all started before it are long and started as with longest first alone; or short, and as all slots
    were busy when it started, it ends no later than the even load and (1 - 1 / slots) of itself (Graham 1969).

    Args:
        jobs: All.
        slots: That share them, at least 1.
        by_town: Whether changing the town costs something.
    """

    def __init__(self, jobs: Sequence[Job], slots: int, *, by_town: bool) -> None:
        self._jobs = jobs
        self._waiting = sorted(range(len(jobs)), key=lambda number: (jobs[number].repeat, -jobs[number].expected))
        even_load = math.fsum(job.expected for job in jobs) / slots
        self._short = (SLACK * even_load / (1 - 1 / slots) if slots > 1 else math.inf) if by_town else -1.0

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self, town: str | None = None) -> int | None:
        """The next job for a slot that was last in a town; None when nothing waits."""
        if not self._waiting:
            return None
        return self._waiting.pop(self._place(town))

    def _place(self, town: str | None) -> int:
        """Of the next job among those that wait."""
        head = self._jobs[self._waiting[0]]
        if head.expected > self._short:
            return 0
        work: dict[str | None, float] = defaultdict(float)
        first: dict[str | None, int] = {}
        for place, number in enumerate(self._waiting):
            job = self._jobs[number]
            if job.repeat != head.repeat:
                break
            first.setdefault(job.town, place)
            work[job.town] += job.expected
        return first[town] if town in first else first[max(work, key=work.__getitem__)]
