"""SWE-bench: the harness' report ``<model>.<run_id>.json``, without a schema version and of version 2.

An instance counts 1 when it was resolved, and 0 when it was not, when its patch was empty and when applying or testing
it went wrong. What a report classes as a failure of the infrastructure is not scored, though it is also listed as
unresolved or as an error. Reports before release 5 do not tell such failures apart, though they carry version 2 too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.folders import files_under, read_json

METRIC = "resolved"
NEEDED = ("resolved_ids", "unresolved_ids", "error_ids")
LATER = ("empty_patch_ids", "submitted_ids", "infra_failure_ids")
"""Lists that reports did not have from the beginning."""
_BEGINNING = re.compile(rb'\s*\{\s*"(total_instances|submitted_instances|(completed|submitted|resolved)_ids)"\s*:')
_START = 256


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, begins as a report does."""
    return any(_is_report(file) for file in files_under(path, "*.json"))


def _is_report(file: Path) -> bool:
    if file.suffix != ".json":
        return False
    with file.open("rb") as stream:
        return _BEGINNING.match(stream.read(_START)) is not None


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all reports under a path."""
    found = [file for file in files_under(path, "*.json") if _is_report(file)]
    if not found:
        raise DataRefused(f"{path}: no report of SWE-bench's harness in it (<model>.<run_id>.json).")
    for file in found:
        if intake.wants(""):
            yield from _rows(file, intake)


def _rows(file: Path, intake: Intake) -> Iterator[Row]:
    report = read_json(file)
    ids = {name: _ids(report, name, file) for name in (*NEEDED, *LATER)}
    resolved, infra = ids["resolved_ids"], ids["infra_failure_ids"]
    failed = ids["unresolved_ids"] | ids["empty_patch_ids"] | ids["error_ids"] | infra
    if resolved & failed:
        raise DataRefused(f"{file}: {min(resolved & failed)} is both resolved and not; the report is damaged.")
    intake.version("swebench report", report.get("schema_version", 1))
    _say(report, ids, resolved | failed, file, intake)
    model = file.stem.rpartition(".")[0] or file.stem
    for name in sorted(resolved | failed):
        value = math.nan if name in infra else float(name in resolved)
        yield Row(name, model, value, METRIC, source=str(file))


def _say(report: dict[str, Any], ids: dict[str, set[str]], scored: set[str], file: Path, intake: Intake) -> None:
    """What has no score here: instances of the data set never submitted, ids that are not of it."""
    total = report.get("total_instances")
    if not isinstance(total, int):
        raise DataRefused(f"{file}: no number total_instances; not a report of SWE-bench's harness.")
    if total > len(scored):
        why = "instances never submitted, which the leaderboard counts as not resolved,"
        intake.leave_out(why, file, total - len(scored))
    foreign = len(ids["submitted_ids"] - scored)
    if foreign:
        intake.leave_out("submitted ids that are not of the data set", file, foreign)


def _ids(report: object, name: str, file: Path) -> set[str]:
    found = report.get(name, [] if name in LATER else None) if isinstance(report, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise DataRefused(f"{file}: no list {name} of instance ids; not a report of SWE-bench's harness.")
    return set(found)


def scale(metric: str) -> Scale | None:
    """Resolved or not."""
    return Scale(0.0, 1.0) if metric == METRIC else None


READER = Reader("swe-bench", recognises, read, scale)
