"""Gating as a Python user calls it; the command takes the same path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.gating.rules import Rule
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.verb import PathLike, contestants, opened
from bestrand_drive.workflows.gating.gate import gate as gate_sides
from bestrand_drive.workflows.gating.request import GateRequest, Undecided
from bestrand_drive.workflows.gating.verdict import Gate


def gate(  # noqa: PLR0913  every option of the command is an argument
    suite: PathLike | Suite,
    baseline: PathLike,
    candidate: PathLike,
    *,
    anchor: PathLike | None = None,
    scores: PathLike | None = None,
    metrics: Sequence[str] = (),
    max_drop: float | Mapping[str, float] | None = None,
    confidence: float = 0.95,
    rule: Literal["regression", "non-inferior"] = "regression",
    undecided: Undecided | None = None,
    missing: MissingRule | None = None,
    allow_evaluator_mismatch: bool = False,
) -> Gate:
    """Whether a candidate has regressed; ``passes``, ``status`` and ``exit_code`` say it.

    Args:
        suite: As in ``compare``.
        baseline: What the change starts from: result file or folder; with ``scores``, a model's name.
        candidate: The change.
        anchor: A policy further back, by the same rule, such as the last release; None for none.
        scores: As in ``compare``.
        metrics: Names, the primary one first; empty for the suite's first metric.
        max_drop: Tolerated drop, metric units: of the primary metric, or by metric.
        confidence: Of the two-sided intervals.
        rule: ``regression`` fails what is shown to have dropped, ``non-inferior`` passes what is shown not to have.
        undecided: What an undecided gate does; None passes by the first rule and fails by the second.
        missing: As in ``compare``.
        allow_evaluator_mismatch: As in ``compare``.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
    """
    rules = [one.value for one in Rule]
    if rule not in rules:
        raise UsageError(f"--rule {rule}: known are {choices(rule, rules)}")
    known, ledger = opened(suite)
    request = GateRequest(
        metrics=tuple(dict.fromkeys(metrics)),
        level=confidence,
        rule=Rule(rule),
        undecided=undecided,
        missing=missing,
        allow_mismatch=allow_evaluator_mismatch,
    )
    request = request.tolerating(known, max_drop)
    request.comparison(known)  # before anything is read
    sides = contestants([baseline, candidate, *([] if anchor is None else [anchor])], scores)
    return gate_sides(known, sides[0], sides[1], sides[2] if anchor is not None else None, request, ledger)
