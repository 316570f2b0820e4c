"""Comparing as a Python user calls it; the command takes the same path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.errors import UsageError
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.compare import compare as compare_two
from bestrand_drive.workflows.comparing.comparison import Comparison
from bestrand_drive.workflows.comparing.reading import Contestant
from bestrand_drive.workflows.comparing.request import CompareRequest
from bestrand_drive.workflows.comparing.sweep import Sweep, sweep

PathLike = str | Path


def compare(
    suite: PathLike | Suite,
    baseline: PathLike,
    candidate: PathLike,
    *,
    scores: PathLike | None = None,
    metrics: Sequence[str] = (),
    level: float = 0.95,
    missing: MissingRule | None = None,
    allow_evaluator_mismatch: bool = False,
) -> Comparison:
    """The difference of two policies on the whole benchmark: candidate minus baseline.

    Args:
        suite: Suite folder, its ``suite.json``, or a suite; a folder counts the use in ``uses.jsonl``.
        baseline: Result file or folder; with ``scores``, a model's name.
        candidate: The same of the other.
        scores: For a ``scores`` suite: the table in which both are.
        metrics: Names to report; empty for all.
        level: Of the intervals.
        missing: ``exclude`` pairs on what both have, ``zero`` scores missing items at their worst; None is ``exclude``.
        allow_evaluator_mismatch: Accept result files of another benchmark's evaluator.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    known, ledger = opened(suite)
    request = CompareRequest(tuple(metrics), level, missing, allow_evaluator_mismatch)
    first, second = contestants((baseline, candidate), scores)
    return compare_two(known, first, second, request, ledger)


def compare_many(
    suite: PathLike | Suite,
    policies: Sequence[PathLike],
    *,
    scores: PathLike | None = None,
    metrics: Sequence[str] = (),
    level: float = 0.95,
    missing: MissingRule | None = None,
    allow_evaluator_mismatch: bool = False,
) -> Sweep:
    """Several policies against each other, such as the checkpoints of a training run, with simultaneous intervals.

    Args:
        suite: As in ``compare``.
        policies: Result files or folders; with ``scores``, names of models.
        scores: As in ``compare``.
        metrics: As in ``compare``; the first one leads.
        level: That all intervals of a metric hold together.
        missing: As in ``compare``.
        allow_evaluator_mismatch: As in ``compare``.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    known, ledger = opened(suite)
    request = CompareRequest(tuple(metrics), level, missing, allow_evaluator_mismatch)
    return sweep(known, contestants(policies, scores), request, ledger)


def opened(suite: PathLike | Suite) -> tuple[Suite, Path | None]:
    """The suite, and where its uses are counted; a suite that was never a file has no such place."""
    if isinstance(suite, Suite):
        return suite, None
    return read_suite(Path(suite)), Path(suite)


def contestants(policies: Sequence[PathLike], scores: PathLike | None) -> list[Contestant]:
    """Where the results of the policies are.

    Raises:
        UsageError: There is no such file, or a policy is named twice.
    """
    places = {str(one if scores is not None else Path(one).resolve()) for one in policies}
    if len(places) < len(policies):
        raise UsageError(f"{', '.join(map(str, policies))}: a policy is given twice; nothing differs from itself.")
    if scores is not None:
        return [Contestant(Path(scores), str(name)) for name in policies]
    for one in policies:
        if not Path(one).exists():
            raise UsageError(f"{one}: there is no such file or folder; --scores TABLE takes names of models.")
    return [Contestant(Path(one)) for one in policies]
