"""Drives the routes of a test run, and writes the table that it leaves behind."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real_evaluator.at_hand import folder_of, maps
from tests.real_evaluator.driving import Row, drive, from_json
from tests.real_evaluator.evaluators import NotAtHand, evaluator
from tests.real_evaluator.jobs import Job
from tests.real_evaluator.table import markdown, summary, write

ROW = "real_evaluator_row"


@pytest.fixture
def driven(
    tmp_path: Path, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> Callable[..., Row]:
    """Drives one route; its row, which also comes into the table."""

    def tell(text: str) -> None:
        with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
            print(f"\n{request.node.nodeid}: {text}", flush=True)

    def run(benchmark: str, job: Job | None, agent: str = "rolling") -> Row:
        try:
            judge = evaluator(benchmark)
        except NotAtHand as missing:
            pytest.skip(str(missing))
        if job is None:
            pytest.skip(f"no route in a town of {maps()}; set EVALUATOR_MAPS to a folder of OpenDRIVE files")
        row = drive(judge, job, agent, folder_of(job, tmp_path / "maps"), tmp_path, tell)
        record_property(ROW, dataclasses.asdict(row))
        return row

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """All rows, and ``table.json`` and ``table.md`` in $EVALUATOR_OUT."""
    finished = [report for report in terminalreporter.getreports("") if report.when == "teardown"]
    rows = from_json([value for report in finished for name, value in report.user_properties if name == ROW])
    if not rows:
        return
    if os.environ.get("EVALUATOR_OUT"):
        write(Path(os.environ["EVALUATOR_OUT"]), rows)
        terminalreporter.write_line(summary(rows))
    else:
        terminalreporter.write(markdown(rows))
