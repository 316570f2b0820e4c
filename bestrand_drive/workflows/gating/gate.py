"""Gate: whether a candidate has regressed against a baseline, and an anchor further back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.results import MetricDifference
from bestrand_drive.compression.gating.deciding import deciding
from bestrand_drive.compression.gating.rules import Question, Status, statuses
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.compare import compare
from bestrand_drive.workflows.comparing.reading import Contestant
from bestrand_drive.workflows.gating.request import GateRequest
from bestrand_drive.workflows.gating.verdict import Gate, GateLine, Reference, best, worst


def gate(
    suite: Suite,
    baseline: Contestant,
    candidate: Contestant,
    anchor: Contestant | None,
    request: GateRequest,
    ledger: Path | None = None,
) -> Gate:
    """Judge a candidate.

    Args:
        suite: What all were run on.
        baseline: What the change starts from.
        candidate: The change.
        anchor: A policy further back, by the same rule: ten small drops do not pass unseen; None for none.
        request: What is asked.
        ledger: As in ``compare``.

    Raises:
        BestrandError: As ``compare``; UsageError also where the request contradicts itself.
    """
    asked = request.comparison(suite)
    sides: list[tuple[Literal["baseline", "anchor"], Contestant]] = [("baseline", baseline)]
    if anchor is not None:
        sides.append(("anchor", anchor))
    references, names = [], request.names(suite)
    for role, side in sides:
        found = compare(suite, side, candidate, asked, ledger)
        gone = bool(found.baseline.missing or found.candidate.missing)
        references.append(Reference(role, found, judged([found[name] for name in names], gone, request)))
    return Gate(suite, request, tuple(references))


def judged(metrics: Sequence[MetricDifference], gone: bool, request: GateRequest) -> tuple[GateLine, ...]:
    """The lines of one comparison.

    Args:
        metrics: Those that are gated, the primary one first.
        gone: Whether items lack a result on a side.
        request: What is asked.
    """
    questions = [request.question(line.name, higher_is_better=line.higher_is_better) for line in metrics]
    said = statuses(questions, [line.paired for line in metrics])
    ends = [statuses(questions, [_end(line, number) for line in metrics]) for number in (0, 1)]
    lines = []
    for number, (metric, question) in enumerate(zip(metrics, questions, strict=True)):
        reason = metric.reason or _held_back(metric, question, said[number])
        line = GateLine(metric, number == 0, question, said[number], reason=reason)
        if gone and request.missing != "zero":
            line = _with_missing(line, {end[number] for end in ends}, request)
        lines.append(_planned(line))
    return tuple(lines)


def _held_back(metric: MetricDifference, question: Question, said: Status) -> str:
    """Why a metric that fails alone does not."""
    if metric.paired is None or question.status(metric.paired) is said:
        return ""
    return "alone it would have failed; among the other secondary metrics chance may do this (Holm)"


def _end(line: MetricDifference, number: int) -> PairedDifference | None:
    """The difference with all that is missing at its worst for the candidate (0), or at its best (1)."""
    return line.paired if line.if_missing is None else line.if_missing[number]


def _with_missing(line: GateLine, at_ends: set[Status], request: GateRequest) -> GateLine:
    """A line whose items without a result could turn it is undecided.

    Both ends may be undecided where the pairs alone are not: what is missing at its extremes moves the difference and
    widens its interval.
    """
    if line.metric.paired is None:
        return line
    if line.metric.if_missing is None:
        why = (
            "has no bounds" if line.metric.paired.range is None else "has no difference with all of them at their worst"
        )
        said = f"{line.metric.name} {why}: what the missing results could change is not known"
        if request.missing is None:
            return replace(line, status=Status.UNDECIDED, open_by_missing=True, reason=said)
        return replace(line, reason=said)
    if at_ends == {line.status}:
        return line
    held = at_ends | {line.status}
    said = f"the missing results could make it anything from {worst(held).value} to {best(held).value}"
    return replace(line, status=Status.UNDECIDED, open_by_missing=True, reason=said)


def _planned(line: GateLine) -> GateLine:
    paired = line.metric.paired
    if line.status is not Status.UNDECIDED or line.open_by_missing or paired is None:
        return line
    return replace(line, deciding=deciding(line.question, paired))
