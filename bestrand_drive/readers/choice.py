"""Which of the numbers in some logs are meant: a choice by the user, never a guess among several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.readers.collecting import Series
from bestrand_drive.readers.contract import Intake, fits

MOST_LISTED = 12


@dataclass(frozen=True)
class Choice:
    """What a user asked for.

    Attributes:
        tasks: Names, with shell wildcards; empty when there is but one.
        metrics: Names in the order wanted; empty when there is but one.
        filter: Name, or None when there is but one.
        partial: Whether some of the tasks and metrics may be absent, as they may in logs of a run on chosen items only.
    """

    tasks: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    filter: str | None = None
    partial: bool = False

    def wants(self, series: Series) -> bool:
        """Whether rows of a series are of use (a figure beside the scores only when asked for by name)."""
        task = not self.tasks or any(fits(series.task, pattern) for pattern in self.tasks)
        metric = series.metric in self.metrics or (not self.metrics and not series.aside)
        return task and metric and (series.aside or self.filter in (None, series.filter))


@dataclass(frozen=True)
class Chosen:
    """The one reading of the logs that is left.

    Attributes:
        tasks: In order of first appearance.
        metrics: As asked for, those that are there, else the only one.
        filter: Of the scores, "" where there is none.
    """

    tasks: tuple[str, ...]
    metrics: tuple[str, ...]
    filter: str


def chosen(choice: Choice, seen: Mapping[Series, int], intake: Intake) -> Chosen:
    """Check that a choice leaves one reading.

    Args:
        choice: As asked.
        seen: Rows of each series that was met.
        intake: Knows which tasks there are.

    Raises:
        DataRefused: There are no rows at all.
        UsageError: What is asked for is not there, or more than one task, metric or filter is left; the message lists
            them with their counts.
    """
    if not seen and not intake.tasks:
        raise DataRefused("There is not one score in these logs" + _left_out(intake))
    _refuse_absent(choice, seen, intake)
    kept = {series: count for series, count in seen.items() if choice.wants(series)}
    if not kept:
        there = _series_listed(seen) or f"no scores of the tasks {_listed(dict.fromkeys(intake.tasks, 0))}"
        raise UsageError(f"Nothing is left by this choice; there are: {there}" + _left_out(intake))
    tasks = _counted(kept, "task")
    if len(tasks) > 1 and not choice.tasks:
        raise UsageError(f"Several tasks: {_listed(tasks)}. Choose with --task NAME (repeat it, or use wildcards).")
    scores = {series: count for series, count in kept.items() if not series.aside} or kept
    metrics, filters = _counted(kept, "metric"), _counted(scores, "filter")
    if len(metrics) > 1 and not choice.metrics:
        raise UsageError(f"Several metrics: {_listed(metrics)}. Choose with --metric NAME (repeat it for several).")
    if len(filters) > 1:
        raise UsageError(f"Several filters: {_listed(filters)}. Choose with --filter NAME.")
    wanted = tuple(name for name in choice.metrics if name in metrics)
    return Chosen(tuple(tasks), wanted or tuple(metrics), next(iter(filters)))


def _refuse_absent(choice: Choice, seen: Mapping[Series, int], intake: Intake) -> None:
    there = dict.fromkeys([*(series.task for series in seen), *intake.tasks], 0)
    for pattern in () if choice.partial else choice.tasks:
        if not any(fits(task, pattern) for task in there):
            raise UsageError(f"--task {pattern}: not in these logs; they have {_listed(there)}.")
    inside = {s: n for s, n in seen.items() if Choice(tasks=choice.tasks, metrics=(s.metric,)).wants(s)}
    metrics = _counted(inside, "metric")
    for name in () if choice.partial else choice.metrics:
        if name not in metrics:
            there_are = _listed(metrics) or "no scores"
            raise UsageError(f"--metric {name}: not in these logs; they have {there_are}" + _left_out(intake))
    named = {s: n for s, n in inside.items() if not choice.metrics or s.metric in choice.metrics}
    filters = _counted({s: n for s, n in named.items() if not s.aside}, "filter")
    if filters and choice.filter is not None and choice.filter not in filters:
        raise UsageError(f"--filter {choice.filter}: not in these logs; they have {_listed(filters)}.")


def _counted(seen: Mapping[Series, int], part: str) -> dict[str, int]:
    """Rows by one part of the series, in order of first appearance."""
    counts: dict[str, int] = {}
    for series, count in seen.items():
        name = getattr(series, part)
        counts[name] = counts.get(name, 0) + count
    return counts


def _listed(counts: Mapping[str, int]) -> str:
    parts = [f"{name or '(no name)'}" + (f" ({count:,} rows)" if count else "") for name, count in counts.items()]
    return ", ".join(parts[:MOST_LISTED]) + (
        f" and {len(parts) - MOST_LISTED} more" if len(parts) > MOST_LISTED else ""
    )


def _series_listed(seen: Mapping[Series, int]) -> str:
    names = [" ".join(part for part in (s.task, s.metric, s.filter) if part) for s in seen]
    return _listed(dict(zip(names, seen.values(), strict=True)))


def _left_out(intake: Intake) -> str:
    said: Sequence[str] = intake.said()
    return f" ({'; '.join(said)})." if said else "."
