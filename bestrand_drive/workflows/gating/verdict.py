"""What ``gate`` gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bestrand_drive.compression.comparison.results import MetricDifference
from bestrand_drive.compression.gating.deciding import Deciding
from bestrand_drive.compression.gating.rules import Question, Status
from bestrand_drive.errors import ExitCode
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.comparison import Comparison
from bestrand_drive.workflows.gating.request import GateRequest

HEADLESS = "headless"
"""What a run folder says of the server whose scores are not CARLA's."""


@dataclass(frozen=True)
class GateLine:
    """One metric against one reference.

    Attributes:
        metric: The comparison's line.
        primary: Whether it is the metric that is judged alone.
        question: What was asked.
        status: What is said.
        open_by_missing: Whether items without a result left it undecided.
        reason: Why it is undecided where the interval alone does not tell, and what else is to be known; "".
        deciding: What would decide; None where it is decided, or where nothing can be planned.
    """

    metric: MetricDifference
    primary: bool
    question: Question
    status: Status
    open_by_missing: bool = False
    reason: str = ""
    deciding: Deciding | None = None

    @property
    def p_value(self) -> float | None:
        """Of the bound, see ``Question.p_value``."""
        return None if self.metric.paired is None else self.question.p_value(self.metric.paired)

    @property
    def fails_at(self) -> float | None:
        """True drop that fails this line, were it alone, in 80 of 100 cases, metric units."""
        sees = self.metric.detectable
        return None if sees is None else sees + (self.question.max_drop or 0.0)


@dataclass(frozen=True)
class Reference:
    """The candidate against one policy.

    Attributes:
        role: ``baseline``, or ``anchor`` for one further back.
        comparison: Candidate minus that policy.
        lines: One a metric, the primary one first.
    """

    role: Literal["baseline", "anchor"]
    comparison: Comparison
    lines: tuple[GateLine, ...]

    @property
    def missing(self) -> int:
        """Items of the compared part without a result on a side."""
        return len(set(self.comparison.baseline.missing) | set(self.comparison.candidate.missing))


@dataclass(frozen=True)
class Gate:
    """The verdict on a candidate.

    Attributes:
        suite: What all were run on.
        request: What was asked.
        references: Baseline, then the anchor if there is one.
    """

    suite: Suite
    request: GateRequest
    references: tuple[Reference, ...]

    @property
    def status(self) -> Status:
        """Failed when any line is, else undecided when any is."""
        return worst(line.status for line in self.lines)

    @property
    def lines(self) -> tuple[GateLine, ...]:
        """All lines of all references."""
        return tuple(line for reference in self.references for line in reference.lines)

    def lets_through(self, line: GateLine) -> bool:
        """Whether a line is no reason to stop the change."""
        if line.status is not Status.UNDECIDED:
            return line.status is Status.PASSED
        return self.request.undecided_passes and not (line.open_by_missing and self.request.missing is None)

    @property
    def passes(self) -> bool:
        """Whether the change is let through."""
        return all(self.lets_through(line) for line in self.lines)

    @property
    def incomplete(self) -> bool:
        """Whether items without a result leave it undecided and nothing was said of them (exit code 6)."""
        open_ = self.status is Status.UNDECIDED and any(line.open_by_missing for line in self.lines)
        return open_ and self.request.missing is None

    @property
    def exit_code(self) -> ExitCode:
        """What the command leaves with."""
        if self.incomplete:
            return ExitCode.INCOMPLETE
        return ExitCode.OK if self.passes else ExitCode.GATE_FAILED

    @property
    def candidate(self) -> str:
        """Its name."""
        return self.references[0].comparison.candidate.name

    @property
    def simulator(self) -> str:
        """What simulated all sides, ``unknown`` where not all say."""
        found = {reference.comparison.simulator for reference in self.references}
        return found.pop() if len(found) == 1 else "unknown"

    @property
    def of_the_stack(self) -> bool:
        """Whether this gates the evaluation stack, not driving: the headless server's scores are not CARLA's."""
        return self.simulator == HEADLESS


_FROM_WORST = (Status.FAILED, Status.UNDECIDED, Status.PASSED)


def worst(found: Iterable[Status]) -> Status:
    """The status of several."""
    held = set(found)
    return next(one for one in _FROM_WORST if one in held)


def best(found: Iterable[Status]) -> Status:
    """The kindest of several."""
    held = set(found)
    return next(one for one in reversed(_FROM_WORST) if one in held)
