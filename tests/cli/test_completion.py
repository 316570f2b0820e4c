"""Completion and "did you mean": what a shell's script is answered, without the imports of the commands."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bestrand_drive.cli.commands import ERRANDS
from bestrand_drive.errors import choices


def answered(line: str) -> list[str]:
    """What bash offers at the end of a line, asked as its script asks: in a process of its own."""
    words = line.split(" ")
    script = "import sys; sys.argv = ['bestrand']; from bestrand_drive.cli.entry import main\n"
    script += "try: main()\nfinally: print('heavy', sorted({'torch', 'pandas', 'scipy'} & set(sys.modules)))"
    asked = {"_BESTRAND_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_commands_are_completed_at_once():
    assert answered("bestrand ") == [*(name for places in ERRANDS.values() for name in places), "heavy []"]
    assert answered("bestrand ho") == ["homogeneity", "heavy []"]


def test_options_and_their_words_are_completed():
    assert {"--servers", "--servers-per-gpu", "heavy []"} <= set(answered("bestrand run builtin --serv"))
    assert answered("bestrand run builtin --engine w") == ["workers", "heavy []"]
    assert answered("bestrand headless ")[:-1] == ["serve", "install", "map-from-routes"]


def test_a_shell_is_shown_its_script(bestrand, monkeypatch):
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    said = bestrand("--show-completion", "bash")
    assert said.code == 0
    assert "_BESTRAND_COMPLETE=complete_bash" in said.out


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("compres", "compress"),
        ("headless serv", "serve"),
        ("estimate suite --result x", "--results"),
        ("compress scores --scores s.csv --keep .1 --out x --selector balancd", "Did you mean balanced?"),
        ("compress scores --scores s.csv --keep .1 --out x --search clases", "Did you mean classes?"),
        ("compress builtin --part dmo --keep .1 --out x", "Did you mean demo?"),
        ("study --scores s.csv --estimators blub", "Did you mean blup?"),
        ("study --scores s.csv --selectors Bestrand", "Did you mean bestrand?"),
        ("import lm_eval x --out x.parquet", "Did you mean lm-eval?"),
        ("share suite --out x --probe-data aut", "auto"),
    ],
)
def test_what_was_nearly_written_is_named(bestrand, line, meant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "s.csv").write_text("item_id,a,b\n1,0,1\n2,1,0\n")
    ran = bestrand(*line.split())
    assert ran.code == 2
    assert meant in ran.err


def test_a_metric_is_named_too(bestrand, toy_table, bench_suite, bench, tmp_path):
    ran = bestrand(
        "compress", "scores", "--scores", toy_table.scores, "--k", 9, "--metric", "scor", "--out", tmp_path / "x"
    )
    assert "Did you mean score?" in ran.err
    ran = bestrand("estimate", bench_suite, "--results", bench.results("Dan"), "--until", "drivingscore=3")
    assert "Did you mean driving_score?" in ran.err


def test_nothing_is_meant_by_what_is_like_nothing():
    assert choices("zzz", ["mean", "blup"]) == "mean, blup."
    assert choices(["MEAN", "zzz"], ["mean", "blup"]) == "mean, blup. Did you mean mean?"
    assert choices("x", []) == "none."
