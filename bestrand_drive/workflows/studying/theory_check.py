"""The verb ``study --theory-check``: assumptions of the theory, and its figures beside those of many seeds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bestrand_drive.errors import DataRefused, UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.assumptions import Assumptions, assumptions
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.study import Plan, Progress, Row, run_study
from bestrand_drive.study.theory_check import SELECTORS, theory_rows
from bestrand_drive.workflows.studying.driving import alike_problem
from bestrand_drive.workflows.studying.study import StudyRequest, table_notes
from bestrand_drive.workflows.studying.table_splits import table_problem
from bestrand_drive.workflows.studying.tables import TableStudy, read_scores

FILE = "theory.json"


@dataclass(frozen=True)
class TheoryResult:
    """What a check found.

    Attributes:
        assumptions: One a metric.
        rows: One a selector, metric and size.
        notes: What the reader must know.
        files: What was written beside the parts.
    """

    assumptions: list[Assumptions]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    @property
    def json_rows(self) -> dict[str, list[Row]]:
        """The machine-readable form."""
        return {"assumptions": [one.row for one in self.assumptions], "rows": self.rows}


def check_table(table: TableStudy, request: StudyRequest, progress: Progress) -> TheoryResult:
    """Check the theory on a score table.

    Raises:
        UsageError: A selector or split that the theory is not of.
        DataRefused: The table is damaged or has too few different models.
    """
    _check(request)
    if table.split != "random" or table.probe_choice != "random":
        raise UsageError("--theory-check takes probes and targets for alike: leave --split and --probe-choice out.")
    scores, left_out = read_scores(table)
    problem = table_problem(table, scores, left_out)
    return _run(problem, request, [*problem.notes, *table_notes(table, (), scores)], progress)


def check_driving(
    benchmark: str,
    routes: Path,
    policies: Mapping[str, Path],
    families: Mapping[str, Sequence[str]],
    request: StudyRequest,
    progress: Progress,
) -> TheoryResult:
    """Check the theory on driving results, with probes drawn from all policies.

    Raises:
        UsageError: A selector that the theory is not of.
        DataRefused: Result files are refused, or there are too few different policies.
    """
    _check(request)
    problem = alike_problem(benchmark, routes, policies)
    notes = list(problem.notes)
    if families:
        notes.append("families are not left out here: probes are drawn from all policies")
    return _run(problem, request, notes, progress)


def _check(request: StudyRequest) -> None:
    request.check()
    others = [name for name in request.selectors if name not in SELECTORS]
    if others:
        raise UsageError(f"--theory-check is of {' and '.join(SELECTORS)}, not of {', '.join(others)}.")
    if request.sweeps or any(name != "mean" for name in request.estimators):
        raise UsageError("--theory-check is of the plain mean: leave --estimators and --sweep out.")
    if request.seeds < 2:
        raise UsageError("--theory-check needs 2 seeds or more.")


def _run(problem: Problem, request: StudyRequest, notes: list[str], progress: Progress) -> TheoryResult:
    if len(problem.scores.policies) < 3:
        raise DataRefused(f"{len(problem.scores.policies)} different policies; a theory check needs three at least.")
    for spec, known in zip(problem.scores.metrics, problem.scores.valid.any(dim=0).T.tolist(), strict=True):
        without = [name for name, any_score in zip(problem.scores.policies, known, strict=True) if not any_score]
        if without:
            raise DataRefused(f"{problem.name}: no score of {spec.name} for {', '.join(without[:5])}; leave them out.")
    checked = assumptions(problem)
    arms = [Arm.of(name) for name in dict.fromkeys(request.selectors or SELECTORS)]
    plan = Plan([(problem, arms)], ("mean",), request.keeps, request.seeds, request.out / "parts")
    run_study(plan, request.workers, progress)
    result = TheoryResult(checked, list(theory_rows(plan)), notes, [request.out / FILE])
    write_atomic(request.out / FILE, (json.dumps(result.json_rows, indent=1, allow_nan=False) + "\n").encode())
    return result
