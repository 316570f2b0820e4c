"""``report`` as a Python user calls it; the command takes the same path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.errors import UsageError
from bestrand_drive.files import write_atomic
from bestrand_drive.reports.data import ReportData
from bestrand_drive.reports.page import page
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.uses import ledger_damage, uses_told
from bestrand_drive.workflows.reporting.gather import Source, gather

PathLike = str | Path


def report(
    suite: PathLike | Suite,
    results: PathLike | Sequence[PathLike] | Mapping[str, PathLike],
    *,
    out: PathLike | None = None,
    level: float = 0.95,
    missing: MissingRule = "exclude",
    allow_evaluator_mismatch: bool = False,
) -> ReportData:
    """What there is to tell of policies on a suite, and one HTML file that shows it (docs/report.md).

    Args:
        suite: Suite folder, its ``suite.json``, or a suite.
        results: Results of one policy or of several; a mapping names them.
        out: HTML file to write; None writes nothing.
        level: Of the intervals.
        missing: ``exclude`` estimates from the measured items, ``zero`` scores missing ones at their worst.
        allow_evaluator_mismatch: Accept result files of another benchmark's evaluator.

    Raises:
        BestrandError: See ``bestrand_drive.errors``.
        OSError: The disk is full or not writable; what was there still is.
    """
    place = None if out is None else Path(out)
    return write_report(suite, _sources(results), place, level, missing, allow_mismatch=allow_evaluator_mismatch)


def write_report(
    suite: PathLike | Suite,
    sources: Sequence[Source],
    out: Path | None,
    level: float,
    missing: MissingRule,
    *,
    allow_mismatch: bool,
) -> ReportData:
    """As ``report``."""
    _check_place(out)
    if not sources:
        raise UsageError("a report needs the results of a policy: give --results.")
    known = suite if isinstance(suite, Suite) else read_suite(Path(suite))
    data = gather(known, sources, level=level, missing=missing, allow_mismatch=allow_mismatch)
    if not isinstance(suite, Suite):
        uses, damage = uses_told(Path(suite), known.choice_digest()), ledger_damage(Path(suite))
        notes = (*data.notes, damage) if damage else data.notes
        data = replace(data, suite=replace(data.suite, uses=uses), notes=notes)
    _check_names(data)
    if out is not None:
        write_atomic(out, page(data))
    return data


def _check_place(place: Path | None) -> None:
    """Before anything is read."""
    if place is not None and place.is_dir():
        raise UsageError(
            f"--out {place}: a folder of that name is there; give the name of a file, such as report.html."
        )
    if place is not None and not place.parent.is_dir():
        raise UsageError(f"--out {place}: the folder {place.parent} does not exist; make it first.")


def _sources(results: PathLike | Sequence[PathLike] | Mapping[str, PathLike]) -> list[Source]:
    if isinstance(results, Mapping):
        return [Source(Path(path), name) for name, path in results.items()]
    listed = [results] if isinstance(results, str | Path) else results
    return [Source(Path(path)) for path in listed]


def _check_names(data: ReportData) -> None:
    names = [policy.name for policy in data.policies]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--results: two policies are called {twice}; name them: --results NAME=PATH.")
