"""pytest: the JSON lines of ``pytest --report-log`` (plugin pytest-reportlog), one file a version of what is tested.

A test is an item, its node id the item's id. Passed is 1 and failed 0; an error of its setup, a skip and an expected
failure are no answer. What its teardown does says nothing of the test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake, Reader, Row, Scale
from bestrand_drive.readers.folders import files_under, json_lines, number_of

SECONDS = "duration"
"""Figure beside the score: seconds of the test itself."""
_KIND = "$report_type"
_START = 512
_GRADES = {"passed": 1.0, "failed": 0.0, "skipped": math.nan}


def recognises(path: Path) -> bool:
    """Whether a file, or one in a folder, begins like such a log."""
    return any(_is_log(file) for file in files_under(path))


def _is_log(file: Path) -> bool:
    with file.open("rb") as stream:
        first = stream.read(_START).partition(b"\n")[0]
    return first.startswith(b"{") and f'"{_KIND}"'.encode() in first


def read(path: Path, intake: Intake) -> Iterator[Row]:
    """Rows of all logs under a path; the model is the file's name without its suffix."""
    logs = [file for file in files_under(path) if _is_log(file)]
    if not logs:
        raise DataRefused(f"{path}: no log of pytest --report-log in it (install pytest-reportlog).")
    if intake.wants(""):
        for log in logs:
            yield from _rows(log, intake)


def _rows(log: Path, intake: Intake) -> Iterator[Row]:
    for number, told in enumerate(json_lines(log), start=1):
        if "pytest_version" in told:
            intake.version("pytest", told["pytest_version"])
        if told.get(_KIND) != "TestReport":
            continue
        when, outcome, node = (told.get(name) for name in ("when", "outcome", "nodeid"))
        if outcome not in (*_GRADES, "rerun") or not isinstance(node, str):
            raise DataRefused(f"{log}, line {number}: a test without id or outcome; not a log of pytest.")
        if outcome == "rerun":
            intake.leave_out("runs of tests that were run again", log)
        elif when == "call":
            yield from _called(told, Row(node, log.stem, _GRADES[outcome], source=str(log)))
        elif when == "setup" and outcome != "passed":
            yield Row(node, log.stem, math.nan, source=str(log))


def _called(told: dict[str, Any], row: Row) -> Iterator[Row]:
    seconds = number_of(told.get(SECONDS))
    yield row if seconds is None else row._replace(cost_s=seconds)
    if seconds is not None:
        yield row._replace(metric=SECONDS, value=seconds, cost_s=seconds, aside=True)


def scale(metric: str) -> Scale:
    """Passed or not; seconds have no upper bound."""
    return Scale(low=0.0, higher_is_better=False) if metric == SECONDS else Scale(0.0, 1.0)


READER = Reader("pytest", recognises, read, scale)
