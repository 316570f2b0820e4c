"""Logs of ``pytest --report-log``, laid out as pytest-reportlog 1.0.0 writes them."""

from __future__ import annotations

import json
import math

import pytest

import bestrand_drive as bd
from bestrand_drive.errors import DataRefused
from bestrand_drive.readers.contract import Intake
from bestrand_drive.readers.report_log import READER
from tests.readers.logs import right_wrong

START = {"pytest_version": "8.2.0", "$report_type": "SessionStart"}
END = {"exitstatus": 1, "$report_type": "SessionFinish"}


def report(node, when, outcome="passed", duration=0.25, **more):
    told = {"nodeid": node, "location": ["a.py", 1, "x"], "keywords": {}, "outcome": outcome, "longrepr": None}
    times = {"user_properties": [], "sections": [], "duration": duration, "start": 1.0, "stop": 2.0}
    return told | {"when": when} | times | more | {"$report_type": "TestReport"}


def put(path, *tests):
    collected = {
        "nodeid": "a.py",
        "outcome": "passed",
        "longrepr": None,
        "result": None,
        "$report_type": "CollectReport",
    }
    lines = [START, collected, *(line for test in tests for line in test), END]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def called(node, outcome="passed", **more):
    setup, teardown = report(node, "setup", duration=9.0), report(node, "teardown", duration=9.0)
    return [setup, report(node, "call", outcome, **more), teardown]


def test_what_each_way_to_end_counts(tmp_path):
    """As the real plugin tells them."""
    log = put(
        tmp_path / "v1.jsonl",
        called("a.py::good"),
        called("a.py::bad", "failed"),
        [report("a.py::error", "setup", "failed"), report("a.py::error", "teardown")],
        [report("a.py::late", "setup"), report("a.py::late", "call"), report("a.py::late", "teardown", "failed")],
        [report("a.py::skip", "setup", "skipped"), report("a.py::skip", "teardown")],
        called("a.py::skip_inside", "skipped"),
        called("a.py::xfail", "skipped", wasxfail=""),
        called("a.py::xpass", "passed", wasxfail=""),
        called("a.py::xpass_strict", "failed"),
        [report("a.py::again", "setup"), report("a.py::again", "call", "rerun"), *called("a.py::again")],
    )
    intake = Intake()
    rows = list(READER.read(log, intake))
    grades = {row.item.removeprefix("a.py::"): row.value for row in rows if row.metric == "score"}
    scored = {name: value for name, value in grades.items() if not math.isnan(value)}
    assert scored == {"good": 1, "bad": 0, "late": 1, "xpass": 1, "xpass_strict": 0, "again": 1}
    assert set(grades) - set(scored) == {"error", "skip", "skip_inside", "xfail"}
    assert {row.model for row in rows} == {"v1"}
    assert {row.value for row in rows if row.metric == "duration"} == {0.25}, "of the call alone"
    assert intake.versions == {"pytest": {"8.2.0"}}
    assert intake.said() == [f"1 runs of tests that were run again left out, first in {log}"]


def test_what_is_no_such_log(tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text('{"nodeid": "a"}\n')
    assert not READER.recognises(tmp_path)
    with pytest.raises(DataRefused, match="no log of pytest --report-log"):
        list(READER.read(tmp_path, Intake()))
    for odd in ({"outcome": "passed"}, {"nodeid": "a.py::odd"}, {"nodeid": "a.py::odd", "outcome": "perhaps"}):
        broken = put(tmp_path / "broken.jsonl", [{"$report_type": "TestReport", "when": "call"} | odd])
        with pytest.raises(DataRefused, match=r"broken.jsonl, line 3: a test without id or outcome"):
            list(READER.read(broken, Intake()))


def test_a_suite_of_tests_from_logs_to_an_estimate(bestrand, tmp_path):
    """Import, compress, export, and the chosen tests alone tell the pass rate of a new version."""
    (tmp_path / "logs").mkdir()

    def log(path, model, numbers):
        marks = right_wrong(model, range(40))
        return put(path, *(called(f"a.py::t[{n}]", "passed" if marks[n] else "failed") for n in numbers))

    for model in range(4):
        log(tmp_path / "logs" / f"v{model}.jsonl", model, range(40))
    ran = bestrand("import", "pytest", tmp_path / "logs", "--out", tmp_path / "tests.parquet")
    assert ran.code == 0, ran.err
    suite = bd.compress("scores", scores=tmp_path / "tests.parquet", k=16, out=tmp_path / "suite")
    assert bestrand("export", tmp_path / "suite").out.splitlines() == suite.chosen
    numbers = [int(item[8:-1]) for item in suite.chosen]
    part, whole = log(tmp_path / "new.jsonl", 7, numbers), log(tmp_path / "all.jsonl", 7, range(40))
    found = bd.estimate(suite, part)["score"].estimate
    assert found.run.low <= bd.estimate(suite, whole)["score"].full <= found.run.high
    assert bestrand("check", tmp_path / "suite", "--scores", tmp_path / "logs").code == 0
