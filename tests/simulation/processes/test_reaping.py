"""Ending what earlier starts left: by mark, by record, by descent; never by name, and never ourselves."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.processes import reaping
from bestrand_drive.simulation.processes.identity import ProcessId, identify, is_running
from bestrand_drive.simulation.processes.marks import DRIVER, RUN, driver_mark, new_mark
from bestrand_drive.simulation.processes.reaping import living_owner, reap_run
from bestrand_drive.simulation.processes.records import StopCommand, record_path, records_of, write_record
from tests.simulation.processes.trees import ROOT, STUBBORN, end_all, foreign, gone, noted, python


@pytest.fixture
def left(tmp_path):
    """Start shells that outlive us, with a mark or without; they are killed at the end."""
    started: list[ProcessId] = []

    def start(name: str, mark: str | None = None, script: str = "echo $$ > {name}; exec sleep 600") -> ProcessId:
        environment = {**os.environ, **({RUN: mark} if mark else {})}
        subprocess.run(
            ["sh", "-c", 'setsid sh -c "$1" & ', "sh", script.format(name=name)],
            env=environment, cwd=tmp_path, check=True, timeout=30,
        )  # fmt: skip
        started.append(noted(tmp_path, name))
        return started[-1]

    yield start
    end_all(*started)


def test_what_is_marked_is_ended_and_nothing_else(left):
    mine, other = new_mark(), new_mark()
    ours, another_runs = left("ours", mine), left("theirs", other)
    with foreign() as carla:
        said = reap_run(mine)
        assert gone(ours)
        assert [line.split()[0] for line in said] == [str(ours.pid)]
        assert "sleep 600" in said[0]
        assert is_running(another_runs)
        assert is_running(carla)
    assert reap_run(mine) == ()


def test_whose_driver_lives_is_told_by_what_it_has_started(left, monkeypatch):
    """Not by a process that ended, nor by another one that was given its id; and never this process itself."""
    dead, reused, mine, others = (new_mark() for _ in range(4))
    with foreign() as driver:
        for mark, said in (
            (dead, f"{2**22 + 1} {driver.start}"),
            (reused, f"{driver.pid} {driver.start}0"),
            (mine, driver_mark()),
            (others, f"{driver.pid} {driver.start}"),
        ):
            monkeypatch.setenv(DRIVER, said)
            left(mark, mark)
        left("unmarked", others)
        assert [living_owner(mark) for mark in (dead, reused, mine, new_mark())] == [None] * 4
        assert living_owner(others) == driver
    assert living_owner(others) is None


def test_sigterm_comes_first(left, tmp_path):
    """A container's client passes it on, and SIGKILL would leave the container."""
    mark = new_mark()
    polite = "trap 'echo > told; exit' TERM; echo $$ > {name}; while :; do sleep 0.02; done"
    process = left("polite", mark, polite)
    reap_run(mark, grace_s=30)
    assert gone(process)
    assert (tmp_path / "told").exists()


def test_who_ignores_sigterm_is_killed(left):
    mark = new_mark()
    process = left("stubborn", mark, STUBBORN)
    reap_run(mark, grace_s=0.1)
    assert gone(process)


def test_what_descends_from_ours_is_ours_without_a_mark(left, tmp_path):
    """Some launchers clear the environment."""
    mark = new_mark()
    parent = left("parent", mark, "echo $$ > {name}; env -i setsid sh -c 'echo $$ > child; exec sleep 600' & wait")
    child = noted(tmp_path, "child")
    try:
        reap_run(mark, grace_s=0.0)
        assert gone(parent, child)
    finally:
        end_all(child)


def test_what_is_written_down_is_ended_by_id_and_start(left):
    mark = new_mark()
    noted_one, reused = left("noted"), left("reused")
    write_record(record_path(mark, "start"), [noted_one, ProcessId(reused.pid, "another boot:1")])
    reap_run(mark)
    assert gone(noted_one)
    assert is_running(reused), "its id was written down, but it is another process"
    assert records_of(mark) == ()


def test_a_driver_that_carries_the_mark_does_not_end_itself(left, tmp_path):
    """Nor the shell above it: a mark can be inherited by whoever starts a driver again."""
    mark = new_mark()
    ours = left("ours", mark)
    program = f"""
import subprocess, sys
child = '''
import sys; sys.path.insert(0, {str(ROOT)!r})
from bestrand_drive.simulation.processes.reaping import reap_run
print(len(reap_run({mark!r})))
'''
print(subprocess.run([sys.executable, "-c", child], env={{"{RUN}": {mark!r}}}, capture_output=True, text=True).stdout)
"""
    with python(program, folder=tmp_path) as process:
        assert process.communicate(timeout=60)[0].strip() == "1"
    assert gone(ours)


def test_stop_commands_of_an_earlier_start_are_run_and_forgotten(tmp_path):
    """Also where the folder that they were to run in is gone; one whose program is gone has stopped nothing."""
    mark = new_mark()
    there = StopCommand(("touch", "it's here"), str(tmp_path))
    elsewhere = StopCommand(("sh", "-c", 'pwd > "$0"', str(tmp_path / "stopped")), str(tmp_path / "absent"))
    for name, stop in (("1", StopCommand(("/absent/docker", "stop"), "/")), ("2", there), ("3", elsewhere)):
        write_record(record_path(mark, name), [], stop)
    assert reap_run(mark) == tuple(f"by {shlex.join(stop.argv)}" for stop in (there, elsewhere))
    assert (tmp_path / "stopped").read_text() == "/\n"
    assert (tmp_path / "it's here").exists()
    assert reap_run(mark) == ()


def test_a_stop_command_that_hangs_holds_nobody_up(monkeypatch):
    """A container's daemon that does not answer: its client is killed after a while."""
    monkeypatch.setattr(reaping, "STOP_COMMAND_S", 0.1)
    mark, started, begin = new_mark(), [], subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda *words, **more: started.append(begin(*words, **more)) or started[-1]
    )
    write_record(record_path(mark, "1"), [], StopCommand(("sleep", "600"), "/"))
    assert reap_run(mark) == ("by sleep 600",)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_what_does_not_end_is_named(monkeypatch):
    held = identify(os.getppid())
    monkeypatch.setattr(reaping, "_with_descendants", lambda *_: [held])
    signals = []
    monkeypatch.setattr(reaping, "send_signal", lambda one, number: signals.append((one, number)))
    with pytest.raises(EnvironmentFault, match=rf"do not end: {held.pid}\."):
        reap_run(new_mark(), grace_s=0.0, patience_s=0.1)
    assert (held, signal.SIGKILL) in signals
