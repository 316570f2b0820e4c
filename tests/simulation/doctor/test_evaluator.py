"""Checkout, commit, agent."""

from __future__ import annotations

import subprocess

import pytest

from bestrand_drive.simulation.doctor.finding import Level
from tests.faults.stand_in.checkout import make_checkout

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


@pytest.mark.parametrize(("benchmark", "local", "name"), [
    ("bench2drive", False, "Bench2Drive (bench2drive)"),
    ("fail2drive", False, "Fail2Drive (fail2drive)"),
    ("fail2drive", True, "Fail2Drive (fail2drive_local)"),
])  # fmt: skip
def test_the_flavour_is_told_by_the_checkout(found, tmp_path, benchmark, local, name):
    root = make_checkout(tmp_path / "other", benchmark)
    said = found("checkout", root=root, local=local)["checkout"]
    assert (said.level, said.said) == (Level.OK, f"{name} at {root}")


def test_a_checkout_of_neither(found, tmp_path):
    said = found("checkout", "commit", "imports", root=tmp_path)
    assert said["checkout"].level is Level.FAIL
    assert "not Bench2Drive's checkout" in said["checkout"].said
    assert "not Fail2Drive's checkout" in said["checkout"].said
    assert [said[name].level for name in ("commit", "imports")] == [Level.SKIPPED] * 2


def test_a_checkout_of_another_benchmark_than_named(found):
    said = found("checkout", benchmark="fail2drive")["checkout"]
    assert said.level is Level.FAIL
    assert "Bench2Drive" not in said.said


def test_the_commit_and_code_that_differs_from_it(found, case):
    assert found("commit")["commit"].level is Level.WARNING
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "all")):
        subprocess.run([*GIT, "-C", str(case.root), *words], check=True)
    done = subprocess.run([*GIT, "-C", str(case.root), "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    said = found("commit")["commit"]
    assert (said.level, said.said) == (Level.OK, done.stdout[:12])
    with (case.root / "leaderboard/leaderboard/driving.py").open("a") as stream:
        stream.write("# mine\n")
    said = found("commit")["commit"]
    assert said.level is Level.WARNING
    assert done.stdout[:12] in said.said


@pytest.mark.parametrize(("fields", "word"), [
    ({"agent": "absent.py"}, "absent.py"),
    ({"agent_config": "absent.pth"}, "absent.pth"),
    ({"agent_config": "./absent"}, "./absent"),
])  # fmt: skip
def test_a_file_of_the_policy_that_is_not_there(found, fields, word):
    said = found("agent", "agent imports", **fields)
    assert said["agent"].level is Level.FAIL
    assert word in said["agent"].said
    assert said["agent imports"].level is Level.SKIPPED


def test_parts_of_the_configuration_that_are_text(found, case):
    assert found("agent")["agent config"].level is Level.OK
    said = found("agent", agent_config=f"{case.agent_config}+only_traj")["agent config"]
    assert said.level is Level.WARNING
    assert said.said.endswith(": only_traj")
