"""``bestrand gate``: what it prints, where it writes, what it leaves with."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

import bestrand_drive as bd
from bestrand_drive.workflows.gating.evidence import evidence
from tests.workflows.gating.made import side
from tests.workflows.toys import LEVELS

ROOT = Path(bd.__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def gate(bestrand, bench, bench_suite, tmp_path_factory):
    """Gate a policy of the toy against ``main``; later arguments are appended."""
    folder = tmp_path_factory.mktemp("sides")
    made = {
        "main": side(bench, folder, "main", LEVELS["Dan"]),
        "same": side(bench, folder, "same", LEVELS["Dan"]),
        "bad": side(bench, folder, "bad", -1.2),
        "holes": side(bench, folder, "holes", LEVELS["Dan"], without=bench.ids[::2]),
    }

    def call(candidate: str, *arguments: object):
        sides = ("--baseline", made["main"], "--candidate", made[candidate])
        return bestrand("gate", bench_suite, *sides, *arguments)

    call.sides = made
    return call


@pytest.mark.parametrize(
    ("candidate", "options", "code", "status"),
    [
        ("same", (), 0, "passed"),
        ("same", ("--max-drop", 1), 0, "undecided"),
        ("same", ("--max-drop", 1, "--rule", "non-inferior"), 1, "undecided"),
        ("same", ("--max-drop", 1, "--undecided", "fail"), 1, "undecided"),
        ("bad", (), 1, "failed"),
        ("bad", ("--max-drop", 2, "--rule", "non-inferior", "--undecided", "pass"), 1, "failed"),
        ("holes", (), 6, "undecided"),
        ("holes", ("--missing", "exclude"), 0, "undecided"),
    ],
)
def test_what_it_leaves_with(gate, candidate, options, code, status):
    ran = gate(candidate, *options, "--json")
    assert (ran.code, ran.json["status"], ran.json["exit_code"]) == (code, status, code), ran.out


def test_the_command_says_what_python_says(gate, bench_suite, tmp_path):
    options = ("--metric", "success", "--metric", "driving_score", "--max-drop", "3", "--max-drop", "driving_score=2")
    files = ("--junit", tmp_path / "gate.xml", "--markdown", tmp_path / "gate.md")
    ran = gate("bad", *options, "--anchor", gate.sides["same"], "--confidence", 0.9, *files, "--json")
    found = bd.gate(
        bench_suite,
        gate.sides["main"],
        gate.sides["bad"],
        anchor=gate.sides["same"],
        metrics=["success", "driving_score"],
        max_drop={"success": 3, "driving_score": 2},
        confidence=0.9,
    )
    assert ran.json == evidence(found) | {"cautions": ran.json["cautions"], "references": ran.json["references"]}
    assert ran.json["references"][0]["metrics"] == evidence(found)["references"][0]["metrics"]
    assert len(Xml.parse(tmp_path / "gate.xml").getroot().findall(".//failure")) == 4
    assert (tmp_path / "gate.md").read_text().startswith("### ❌ gate failed: bad against")


def test_the_text_says_what_would_decide_and_what_it_sees(gate, bestrand, bench_suite):
    ran = gate("same", "--max-drop", 3)
    first, *rest = ran.out.splitlines()
    assert first == "gate undecided, which passes: same against baseline main (regression, 95 %)"
    assert "detectable drop" in rest[0]
    assert any("would be told from none in 80 of 100 cases" in line for line in rest)
    assert any("no number of routes would decide in 80 of 100 cases, but " in line for line in rest)
    sides = ("--baseline", gate.sides["same"], "--candidate", gate.sides["main"])
    wider = bestrand("gate", bench_suite, *sides, "--max-drop", 8).out
    assert re.search(r"does not differ, [0-9]+ more routes \([0-9]+ of 60\) or [0-9]+ times as many runs", wider), wider
    page = gate("same", "--max-drop", 3, "--markdown", "-").out
    assert page.splitlines()[0] == f"### ❔ {first}"


def test_a_drop_that_is_shown_but_not_its_size_is_said(gate):
    ran = gate("bad", "--max-drop", 45)
    assert (ran.code, ran.out.split()[1]) == (0, "undecided,")
    assert "it dropped; whether by more than is tolerated is open" in ran.out


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--rule", "non-inferior"), "--max-drop driving_score=NUMBER"),
        (("--max-drop", "much"), "--max-drop"),
        (("--rule", "superior"), "superior"),
        (("--json", "--markdown", "-"), "--markdown a file"),
        (("--markdown", ""), "variable"),
        (("--junit", "no/such/gate.xml"), "no/such"),
        (("--anchor", "no/such/run"), "no/such/run"),
    ],
)
def test_a_wrong_command_line_is_exit_2(gate, options, word):
    ran = gate("same", *options)
    assert (ran.code, ran.out) == (2, "")
    assert word in ran.err


@pytest.mark.parametrize(("candidate", "code"), [("bad", 1), ("same", 0)])
def test_the_shell_gets_the_code(gate, bench_suite, candidate, code):
    """As CI calls it."""
    words = ["gate", bench_suite, "--baseline", gate.sides["main"], "--candidate", gate.sides[candidate], "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "bestrand_drive", *map(str, words)],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["exit_code"] == code
