"""The recipes of docs/ci: real YAML, one script, and that script's way through the first and later times.

That they drive and gate is proven by ``scripts/ci_recipe``, which CI runs after the tests.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

import bestrand_drive
from bestrand_drive.cli.app import every_command

ROOT = Path(bestrand_drive.__file__).resolve().parents[1]
CI = ROOT / "docs" / "ci"
CALL = '"$BESTRAND/docs/ci/gate.sh" "$AGENT" runs/candidate runs/baseline --junit gate.xml --markdown '
INSTALL = 'pip install -c "$BESTRAND/constraints.txt" "$BESTRAND[headless]"'
STAND_IN = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$1" in
  compress) mkdir -p "$SUITE" && touch "$SUITE/suite.json";;
  run) mkdir -p "$RUN" && touch "$RUN/run.json" && exit "$DROVE";;
  gate) exit "$GATE";;
esac
"""


def commands(name: str) -> list[str]:
    """Shell lines of a recipe."""
    recipe = yaml.safe_load((CI / name).read_text())
    if name.startswith("github"):
        texts = [step["run"] for step in recipe["jobs"]["gate"]["steps"] if "run" in step]
    else:
        texts = [*recipe["driving"]["before_script"], *recipe["driving"]["script"]]
    return [line.strip() for text in texts for line in text.splitlines()]


@pytest.mark.parametrize(
    ("name", "summary"), [("github-actions.yml", '"$GITHUB_STEP_SUMMARY"'), ("gitlab-ci.yml", "gate.md")]
)
def test_a_recipe_installs_locked_and_calls_the_one_script(name, summary):
    lines = commands(name)
    assert lines[:2] == [INSTALL, CALL + summary]
    assert "rm -rf runs/baseline && cp -r runs/candidate runs/baseline" in lines[2]
    known = {flag for one in every_command()["gate"].params for flag in one.opts}
    assert set(re.findall(r"--[a-z-]+", CALL)) <= known


def test_the_recipe_that_is_proven_calls_it_alike():
    proof = (ROOT / "scripts" / "ci_recipe").read_text()
    assert '"$root/docs/ci/gate.sh"' in proof
    assert "runs/candidate runs/baseline --junit gate.xml --markdown" in proof
    assert "scripts/ci_recipe" in (ROOT / ".ci" / "run").read_text()


def ran(folder: Path, *arguments: str, gate: int = 0, drove: int = 0) -> tuple[int, str, list[str]]:
    """The script with a stand-in for ``bestrand``: exit code, output, and what it was asked."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "bestrand").write_text(STAND_IN)
    (folder / "bin" / "bestrand").chmod(0o755)
    calls = folder / "calls"
    calls.write_text("")
    variables = {"CALLS": str(calls), "SUITE": "suite", "RUN": arguments[1] if len(arguments) > 1 else "", "GATE": gate}
    variables["DROVE"] = drove
    done = subprocess.run(
        [CI / "gate.sh", *arguments],
        cwd=folder,
        env={"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"} | {name: str(one) for name, one in variables.items()},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr, calls.read_text().splitlines()


def test_the_first_time_a_baseline_is_made_and_then_gated_against(tmp_path):
    code, said, calls = ran(tmp_path, "a.py", "runs/one", "runs/base", "--junit", "g.xml", gate=1)
    assert (code, [call.split()[0] for call in calls]) == (0, ["compress", "run"])
    assert "no baseline at runs/base yet: keep runs/one" in said
    (tmp_path / "runs" / "one").rename(tmp_path / "runs" / "base")
    for gate in (0, 1, 6):
        code, _, calls = ran(tmp_path, "a.py", "runs/two", "runs/base", "--junit", "g.xml", gate=gate)
        assert code == gate
        assert calls == [
            "run builtin --agent a.py --routes suite --servers 2 --out runs/two",
            "gate suite --baseline runs/base --candidate runs/two --junit g.xml",
        ]


@pytest.mark.parametrize(("drove", "asked", "code"), [(6, ["run", "gate"], 1), (7, ["run"], 7)])
def test_routes_without_a_result_are_judged_and_a_broken_machine_is_not(tmp_path, drove, asked, code):
    for folder in ("suite", "base"):
        (tmp_path / folder).mkdir()
    (tmp_path / "suite" / "suite.json").touch()
    code_first, said, _ = ran(tmp_path, "a.py", "one", "base", drove=drove)
    assert code_first == drove, "no baseline, and none to keep"
    assert "keep one as" not in said
    (tmp_path / "base" / "run.json").touch()
    found, _, calls = ran(tmp_path, "a.py", "one", "base", gate=1, drove=drove)
    assert (found, [call.split()[0] for call in calls]) == (code, asked)


def test_a_wrong_call_says_how(tmp_path):
    code, said, calls = ran(tmp_path, "a.py", "runs/one")
    assert (code, calls) == (2, [])
    assert "usage: docs/ci/gate.sh AGENT" in said
