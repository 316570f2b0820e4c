"""``bestrand doctor`` as a command: one line a check, what to do, and the exit code."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from bestrand_drive.cli.app import every_command
from bestrand_drive.simulation.processes.identity import identify, is_running
from tests.faults.stand_in.checkout import make_checkout
from tests.simulation.attempts.made import tree
from tests.simulation.doctor.conftest import case
from tests.simulation.processes.trees import HEARS_SIGNALS, ROOT, gone, until
from tests.simulation.servers.conftest import base

__all__ = ["base", "case"]


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
    ("wrong", "said"),
    [
        (("nuplan",), "nuplan"),
        (("--gpus", "a"), "--gpus a: write numbers"),
        (("--servers", 0), "--servers 0: at least 1"),
        (("--env", "X"), "--env X: give NAME=VALUE"),
        (("--python", "'"), "No closing quotation"),
        (("--env", "CARLA_ROOT=/x"), "--env CARLA_ROOT=/x: "),
        (("--limit", "tock=1"), "--limit tock=1"),
        (("--port-base", 65_530, "--servers", 3), "--port-base 65530: from there on are ports for"),
        (("--only",), "--only"),
    ],
)
def test_a_wrong_command_line_is_exit_2(bestrand, wrong, said):
    ran = bestrand("doctor", *wrong)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def options_of(name):
    """All options of a command, as the parser knows them."""
    command = every_command()[name]
    return {flag: one for one in command.params if one.name != "help" for flag in one.opts}


def test_it_takes_every_option_of_a_run_and_needs_none():
    """The documents say: give it the options of the run."""
    doctor, run = options_of("doctor"), options_of("run")
    assert {flag: getattr(one, "help", "") for flag, one in doctor.items()} == {
        flag: getattr(one, "help", "") for flag, one in run.items()
    }
    assert any(one.required for one in run.values())
    assert not any(one.required for one in doctor.values())


def test_the_whole_command_of_a_run_with_another_word(bestrand, arguments):
    """With options that decide nothing here."""
    more = (
        "--limit",
        "tick=300",
        "--stop-grace",
        2,
        "--keep-on-failure",
        "log",
        "--repeats",
        2,
        "--no-hooks",
        "--explain",
    )
    ran = bestrand("doctor", "bench2drive", *words(arguments), *more, "--json")
    assert (ran.code, ran.err) == (0, "")


def test_ports_are_looked_for_where_the_run_would_have_them(bestrand, base):
    ran = bestrand("doctor", "--port-base", base, "--servers", 2, "--json")
    (said,) = (one["said"] for one in ran.json["checks"] if one["check"] == "ports")
    assert said == f"free for 2 servers, from {base} to {base + 15}"


def test_only_the_routes_that_would_run_need_towns(bestrand, arguments, tmp_path, build):
    routes = build.routes(build.route(7, town="Town15"), build.route(8, town="Town12"))
    (tmp_path / "routes.xml").write_bytes(routes)
    assert bestrand("doctor", *words(arguments), "--only", "8").code == 0
    ran = bestrand("doctor", *words(arguments), "--only", "9")
    assert (ran.code, "--only 9: no such route" in ran.out) == (7, True)


def test_what_takes_long_is_said_before_it_is_waited_for(bestrand, arguments):
    lines = bestrand("doctor", *words(arguments)).out.splitlines()
    names = [line.split("  ")[0] + line[8:25].rstrip() for line in lines]
    for check in ("imports", "agent imports"):
        waits = next(n for n, line in enumerate(lines) if line.startswith("wait") and line[9:].startswith(f"{check}  "))
        assert "at most 300 s" in lines[waits], names
        assert lines[waits + 1].startswith("ok") or lines[waits + 1].startswith("fail")
        assert lines[waits + 1][9:].startswith(f"{check}  ")
    assert "wait" not in lines[-1]


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_a_signal_ends_the_import_that_is_waited_for(arguments, tmp_path, number, code):
    """The agent's import, in a session of its own, and what it has started; also when nobody is left to end it."""
    ids = tmp_path / "ids"
    (tmp_path / "agent.py").write_text(
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        f"open({str(ids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}\\n')\ntime.sleep(600)\n"
    )
    call = [*HEARS_SIGNALS, sys.executable, "-m", "bestrand_drive", "doctor", *map(str, words(arguments))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as doctor:
        until(lambda: ids.exists() and ids.read_text().endswith("\n"), "the agent is imported", 60)
        started = [identify(int(pid)) for pid in ids.read_text().split()]
        assert all(one is not None and is_running(one) for one in started)
        doctor.send_signal(number)
        out, _ = doctor.communicate(timeout=60)
    assert doctor.returncode == code, out
    assert "Traceback" not in out
    assert gone(*started, limit_s=60)
