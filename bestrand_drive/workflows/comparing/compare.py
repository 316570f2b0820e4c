"""Compare: the difference of two policies on the whole benchmark from their results on a suite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.suite import Suite
from bestrand_drive.workflows.comparing.comparison import Comparison


@dataclass(frozen=True)
class CompareRequest:
    """How two policies are compared.

    Attributes:
        metrics: Names to report, in this order; empty for all that ``estimate`` reports.
        level: Of the intervals, two-sided.
        missing: ``exclude`` pairs on the items that both have, ``zero`` scores missing ones at their worst; None is
            ``exclude``, and the command leaves with 6 when anything is missing.
        allow_mismatch: Accept result files of another benchmark's evaluator.
    """

    metrics: tuple[str, ...] = ()
    level: float = 0.95
    missing: MissingRule | None = None
    allow_mismatch: bool = False


@dataclass(frozen=True)
class Contestant:
    """Where the results of a side are.

    Attributes:
        results: Result file or folder; for a ``scores`` suite a table.
        name: Of the policy, in a table its column; None takes the file's.
    """

    results: Path
    name: str | None = None


def compare(
    suite: Suite,
    baseline: Contestant,
    candidate: Contestant,
    request: CompareRequest,
    ledger: Path | None = None,
) -> Comparison:
    """Compare two policies on a suite.

    Args:
        suite: What both were run on.
        baseline: Whose scores are taken off.
        candidate: The other.
        request: How.
        ledger: Suite folder in which the use is counted (``uses.jsonl``); None counts nothing.

    Raises:
        DataRefused: Results are damaged, or the sides were made by different simulators, builds, evaluators, routes or
            loads; nothing of the suite is measured on both.
        UsageError: Unknown metric, or the level is out of range.
    """
    raise NotImplementedError
