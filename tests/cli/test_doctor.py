"""``bestrand doctor`` as a command: one line a check, what to do, and the exit code."""

from __future__ import annotations

import sys

import pytest

from tests.faults.stand_in.checkout import make_checkout
from tests.simulation.attempts.made import tree
from tests.simulation.doctor.conftest import case

__all__ = ["case"]


@pytest.fixture
def arguments(case):
    """The command on a case in which nothing is wrong."""
    return {
        "--root": case.root,
        "--carla-root": case.carla_root,
        "--routes": case.routes,
        "--agent": case.agent,
        "--agent-config": case.agent_config,
        "--python": sys.executable,
        "--env": f"PYTHONPATH={case.variables['PYTHONPATH']}",
        "--servers": 2,
        "--out": case.out,
    }


def words(arguments):
    return [word for pair in arguments.items() for word in pair]


def test_nothing_wrong_is_exit_0_and_writes_nothing(bestrand, arguments, tmp_path):
    before = tree(tmp_path)
    ran = bestrand("doctor", "bench2drive", *words(arguments), "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["ok"] is True
    levels = {one["check"]: one["level"] for one in ran.json["checks"]}
    assert {name for name, level in levels.items() if level == "skipped"} == {"gpus", "same run"}
    assert "fail" not in levels.values()
    assert {name for name in tree(tmp_path) if "__pycache__" not in name} == set(before)


def test_one_thing_wrong_is_exit_7_and_says_what_to_do(bestrand, arguments, tmp_path, build):
    (tmp_path / "routes.xml").write_bytes(build.routes(build.route(7, town="Town15")))
    ran = bestrand("doctor", *words(arguments))
    assert (ran.code, ran.err) == (7, "")
    lines = ran.out.splitlines()
    (number,) = (number for number, line in enumerate(lines) if line.startswith("fail"))
    assert lines[number].split()[:2] == ["fail", "towns"]
    assert "Town15" in lines[number]
    assert lines[number + 1].strip().startswith("-> ")
    assert lines[-1].endswith("1 fail, 2 skipped: a run would fail")


def test_everything_wrong_is_reported_at_once(bestrand, tmp_path):
    root = make_checkout(tmp_path / "checkout", "fail2drive")
    call = ("--root", root, "--carla-root", tmp_path, "--agent", "absent.py", "--python", "/absent", "--out", root)
    ran = bestrand("doctor", *call, "--routes", tmp_path / "absent", "--json")
    assert ran.code == 7
    failed = [one["check"] for one in ran.json["checks"] if one["level"] == "fail"]
    assert failed == ["interpreter", "agent", "server", "towns", "run folder"]


def test_without_options_only_the_machine_is_looked_at(bestrand):
    ran = bestrand("doctor", "--json")
    looked = {one["check"] for one in ran.json["checks"] if one["level"] != "skipped"}
    assert looked == {"ports", "runtime folder", "disk", "open files"}


@pytest.mark.parametrize(
    "wrong",
    [("nuplan",), ("--gpus", "a"), ("--servers", 0), ("--env", "X"), ("--python", "'"), ("--env", "CARLA_ROOT=/x")],
)
def test_a_wrong_command_line_is_exit_2(bestrand, wrong):
    ran = bestrand("doctor", *wrong)
    assert (ran.code, ran.out) == (2, "")
