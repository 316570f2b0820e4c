"""Completion and "did you mean": what a shell's script is answered, without the imports of the commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from bestrand_drive.cli.commands import ERRANDS
from bestrand_drive.errors import choices
from tests.simulation.processes.trees import ROOT


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


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_works_in_the_shell(tmp_path):
    """As installed: bash sources what --show-completion prints, and asks the program for each word."""
    program = tmp_path / "bestrand"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.argv[0] = 'bestrand'\nfrom bestrand_drive.cli.entry import main\nmain()\n"
    )
    program.chmod(0o755)
    asked = "source <(bestrand --show-completion bash)\nCOMP_WORDS=(bestrand he)\nCOMP_CWORD=1\n"
    asked += "_bestrand_completion bestrand && echo ${COMPREPLY[@]} && complete -p bestrand"
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    environment["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = (
        "1"  # else the shell is that of whoever runs the tests
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", asked], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "headless"
    assert done.stdout.splitlines()[1].endswith("-F _bestrand_completion bestrand")


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
        ("gate x --baseline a --candidate b --rule noninferior", "Did you mean non-inferior?"),
        ("gate x --baseline a --candidate b --missing excude", "Did you mean exclude?"),
        ("run bultin --agent probe:expert --out x", "Did you mean builtin?"),
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
