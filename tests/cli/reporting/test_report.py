"""``bestrand report`` from its command line to the file."""

from __future__ import annotations

import json
import re

import pytest

from bestrand_drive.suite.reading import read_suite
from tests.workflows.importing.test_importing import suite, target

__all__ = ["suite"]


def data_in(place):
    """The JSON that the page holds."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', place.read_text(), re.DOTALL)
    return json.loads(found[1])


def test_a_report_of_two_policies(bestrand, bench, bench_suite, tmp_path):
    out = tmp_path / "report.html"
    given = ("--results", bench.results("Dan"), "--results", f"second={bench.results('Eve')}", "--out", out)
    ran = bestrand("report", bench_suite, *given)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"wrote {out}: 2 policies on 24 routes\n"
    first = out.read_bytes()
    told = data_in(out)
    assert [policy["name"] for policy in told["policies"]] == ["Dan", "second"]
    ran = bestrand("report", bench_suite, *given, "--json")
    assert out.read_bytes() == first
    whole = ran.json
    for cell in whole["cells"]:
        del cell["log"], cell["again"]
    assert whole == told
    lone = bestrand("estimate", bench_suite, "--results", bench.results("Dan"), "--json").json
    line = told["policies"][0]["lines"]["driving_score"]
    assert line["policy"] == {side: lone["metrics"]["driving_score"]["policy"][side] for side in ("low", "high")}


def test_pairs_and_their_six_numbers(bestrand, fail, fail_suite, tmp_path):
    out = tmp_path / "report.html"
    ran = bestrand("report", fail_suite, "--results", fail.results("Dan"), "--out", out)
    assert ran.code == 0, ran.err
    told = data_in(out)
    assert list(told["policies"][0]["lines"])[:2] == ["base_driving_score", "base_success"]
    assert "base_harmonic_mean" in told["policies"][0]["lines"]
    assert all(cell["status"] for cell in told["cells"])
    assert "12 pairs" in ran.out


def test_a_column_of_a_table(bestrand, toy_table, table_suite, tmp_path):
    out = tmp_path / "report.html"
    ran = bestrand("report", table_suite, "--results", f"m5={toy_table.scores}", "--out", out)
    assert ran.code == 0, ran.err
    assert [policy["name"] for policy in data_in(out)["policies"]] == ["m5"]
    assert b"Abilities" not in out.read_bytes()


def test_logs_of_another_tool_are_read_as_estimate_reads_them(bestrand, suite, tmp_path):
    out = tmp_path / "report.html"
    logs = target(tmp_path / "new", [int(name) for name in read_suite(suite).chosen]).parent
    ran = bestrand("report", suite, "--results", logs, "--out", out)
    assert ran.code == 0, ran.err
    lone = bestrand("estimate", suite, "--results", logs, "--json").json
    (policy,) = data_in(out)["policies"]
    assert policy["lines"]["exact_match"]["estimate"] == lone["metrics"]["exact_match"]["estimate"]
    assert {cell["state"] for cell in data_in(out)["cells"]} == {"measured"}
    assert "one model on 10 items" in ran.out


def test_what_is_missing_is_named_with_its_bounds(bestrand, build, bench, bench_suite, tmp_path):
    records = bench.records("Dan", 0.9)
    part = bench.put(tmp_path / "part", records[:30])
    out = tmp_path / "report.html"
    ran = bestrand("report", bench_suite, "--results", part, "--out", out)
    assert ran.code == 0
    assert "results are missing, the report says why" in ran.out
    (policy,) = data_in(out)["policies"]
    assert set(policy["missing"].values()) == {"no record"}
    assert (
        policy["lines"]["driving_score"]["if_missing"]["low"] < policy["lines"]["driving_score"]["if_missing"]["high"]
    )
    assert "with all missing ones at their worst or best" in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ((), 2, "give --out report.html"),
        (("--out", "{tmp}"), 2, "a folder of that name"),
        (("--out", "{tmp}/no/where.html"), 2, "does not exist; make it first"),
        (("--out", "{tmp}/r.html", "--results", "{tmp}/none"), 2, "no such file or folder"),
        (("--out", "{tmp}/r.html", "--results", "=x"), 2, "write PATH or NAME=PATH"),
        (("--out", "{tmp}/r.html", "--level", "2"), 2, "--level 2.0"),
    ],
)
def test_wrong_calls_are_refused_in_one_line(bestrand, bench, bench_suite, tmp_path, arguments, code, word):
    given = [text.format(tmp=tmp_path) for text in arguments]
    ran = bestrand("report", bench_suite, "--results", bench.results("Dan"), *given)
    assert ran.code == code
    assert word in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "r.html").exists()
