"""The verb ``study``: plan, run, and keep rows and plots beside the parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bestrand_drive.compression.estimators.registry import ESTIMATORS
from bestrand_drive.errors import UsageError, choices
from bestrand_drive.files import write_atomic
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.scores.tables import read_items
from bestrand_drive.study.arms import Arm
from bestrand_drive.study.problem import Problem
from bestrand_drive.study.study import Plan, Progress, Row, run_study
from bestrand_drive.workflows.studying.driving import driving_problem
from bestrand_drive.workflows.studying.sweeps import SWEEPS, sweep_entries, swept_probes
from bestrand_drive.workflows.studying.table_splits import table_problem
from bestrand_drive.workflows.studying.tables import PROBES, TableStudy, read_scores

KEEPS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
SELECTORS = ("random", "bestrand", "balanced")
JSON_KEYS = (
    *("benchmark", "selector", "estimator", "metric", "keep", "k", "seeds", "mae", "mae_se", "mae_sd", "p95"),
    *("risk_p70", "spearman", "coverage95", "coverage95_worst", "cost"),
)
"""What a row of ``--json`` holds; ``rows.json`` in the output folder holds all measures."""


@dataclass(frozen=True)
class StudyRequest:
    """What to measure on whatever benchmark.

    Attributes:
        out: Folder of parts, rows and plots.
        selectors: Names; empty for random, bestrand and balanced (with strata also stratified).
        estimators: Names; empty for each selector's own.
        keeps: Shares of the items.
        seeds: How many.
        workers: Processes.
        sweeps: What to vary, one thing at a time; empty for nothing.
    """

    out: Path
    selectors: tuple[str, ...] = ()
    estimators: tuple[str, ...] = ()
    keeps: tuple[float, ...] = KEEPS
    seeds: int = 1000
    workers: int = 1
    sweeps: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse what cannot be meant, before anything is read.

        Raises:
            UsageError: An unknown name or an impossible number.
        """
        for name in self.selectors:
            Arm.of(name)
        unknown = [name for name in self.estimators if name not in ESTIMATORS]
        if unknown:
            raise UsageError(f"--estimators {', '.join(unknown)}: known are {choices(unknown, ESTIMATORS)}")
        if self.seeds < 1 or self.workers < 1:
            raise UsageError("--seeds and --workers: give 1 or more.")
        wrong = [keep for keep in self.keeps if not 0 < keep <= 1]
        if wrong or not self.keeps:
            raise UsageError(f"--keep {', '.join(map(str, wrong)) or 'nothing'}: give shares above 0 and at most 1.")


@dataclass(frozen=True)
class StudyResult:
    """What a study found.

    Attributes:
        rows: All measures, one row a benchmark, selector, estimator, metric and size.
        notes: What the reader must know.
        files: What was written beside the parts.
    """

    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    @property
    def json_rows(self) -> list[Row]:
        """The rows with the keys of the machine-readable form only."""
        return [{key: row[key] for key in JSON_KEYS} for row in self.rows]


def study_table(table: TableStudy, request: StudyRequest, progress: Progress) -> StudyResult:
    """Study a score table.

    Raises:
        UsageError: The split, a sweep or a name is wrong.
        DataRefused: The table is damaged or has too few different models.
    """
    request.check()
    scores, left_out = read_scores(table)
    problem = table_problem(table, scores, left_out)
    notes = [*problem.notes, *table_notes(table, request.sweeps, scores)]
    if request.sweeps:
        names = request.selectors or ("bestrand",)
        return _run(sweep_entries(table, scores, left_out, request.sweeps, names), request, notes, progress)
    return _run([(problem, _arms(problem, request))], request, notes, progress)


def table_notes(table: TableStudy, sweeps: Sequence[str], scores: ScoreMatrix) -> list[str]:
    """What was given and has no part in this study, or not as it was given, a sentence each."""
    notes = []
    most = len(scores.policies) // 2
    if table.n_probes > most:
        notes.append(f"{len(scores.policies)} models: {most} of them are probes, not {table.n_probes}")
    if table.families and table.split != "family":
        notes.append("--family is of --split family and has no part in this study")
    if table.models and table.split not in ("family", "time"):
        notes.append("--models is of --split family and time and has no part in this study")
    if "p" in sweeps and table.n_probes != PROBES:
        notes.append("--n-probes has no part in a sweep of p")
    if "probe-choice" in sweeps and table.probe_choice != "random":
        notes.append("--probe-choice has no part in a sweep of it")
    told = read_items(table.items, scores.items) if table.items else None
    if told is not None and told.strata is None:
        notes.append(f"{table.items} has no column stratum and has no part in this study")
    if told is not None and told.groups is not None:
        notes.append(f"groups of {table.items} are not kept together here: a study takes single items")
    if "p" in sweeps:
        left = [str(value) for value in SWEEPS["p"] if value not in swept_probes(table, scores)]
        notes += [f"{', '.join(left)} probes are more than these models allow and are left out"] if left else []
    return notes


def study_driving(
    benchmark: str,
    routes: Path,
    policies: Mapping[str, Path],
    families: Mapping[str, Sequence[str]],
    request: StudyRequest,
    progress: Progress,
) -> StudyResult:
    """Study a driving benchmark, one family of policies left out at a time.

    Raises:
        UsageError: Too few families, or a family without a policy.
        DataRefused: Result files are refused.
    """
    request.check()
    problem = driving_problem(benchmark, routes, policies, families)
    return _run([(problem, _arms(problem, request))], request, list(problem.notes), progress)


def _arms(problem: Problem, request: StudyRequest) -> list[Arm]:
    """The selectors asked for, random first: it is what others are compared with."""
    strata = ("stratified",) if problem.scores.strata is not None else ()
    names = request.selectors or (*SELECTORS, *strata)
    return [Arm.of(name) for name in dict.fromkeys(("random", *names))]


def _run(
    entries: Sequence[tuple[Problem, Sequence[Arm]]], request: StudyRequest, notes: list[str], progress: Progress
) -> StudyResult:
    from bestrand_drive.reports.study_plots import write_plots  # noqa: PLC0415  matplotlib is slow to import

    plan = Plan(entries, request.estimators or (None,), request.keeps, request.seeds, request.out / "parts")
    notes = notes + plan.left_out()
    rows = run_study(plan, request.workers, progress)
    path = request.out / "rows.json"
    content = (json.dumps(rows, indent=1, allow_nan=False) + "\n").encode()
    if path.exists() and path.read_bytes() != content:
        notes.append(f"{path} held rows of other options, which are replaced; another --out keeps both")
    write_atomic(path, content)
    return StudyResult(rows, notes, [path, *write_plots(rows, request.out)])
