"""F5: nothing of ours outlives its driver for long, whatever is killed; nothing that is not ours is touched."""

from __future__ import annotations

import os
import signal

import pytest

from bestrand_drive.simulation.processes.identity import ProcessId, identify, is_running
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.processes.reaping import reap_run
from bestrand_drive.simulation.processes.records import recorded, records_of
from tests.simulation.processes.trees import (
    NAMES,
    RUNAWAYS,
    end_all,
    foreign,
    gone,
    noted,
    own_runtime_folder,
    python,
    until,
)

__all__ = ["own_runtime_folder"]

DRIVER = """
import os, sys, time
from pathlib import Path
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.processes.supervised import Launch, Supervised
folder, script = Path(sys.argv[1]), sys.argv[2]
launch = Launch(("sh", "-c", script), dict(os.environ), folder, folder / "out.log", grace_s=0.2, sample_s=0.05)
process = Supervised(launch, run_mark(folder))
fork = 0 if len(sys.argv) < 4 else os.fork()
if len(sys.argv) > 3 and fork == 0:
    time.sleep(600)  # holds all pipes open
print(process._channel.pid, process.command.pid, flush=True)
print(fork, flush=True)
sys.stdin.read()
"""
UNMARKED = "env -i PATH=$PATH setsid sh -c '(echo $(exec sh -c \"echo \\$PPID\") > bare; exec sleep 600) & exit'\n"
"""Clears its environment, then leaves session and parent."""


REAPED_S = 10.0
"""What is promised; half a second is usual."""


class Driven:
    """A driver, its supervisor, and everything that it started."""

    def __init__(self, folder, process) -> None:
        supervisor, command = map(int, process.stdout.readline().split())
        self.driver = process
        self.supervisor, self.command = identify(supervisor), identify(command)
        self.tree = [self.command, *(noted(folder, name) for name in (*NAMES, "bare"))]


@pytest.fixture
def driven(tmp_path):
    with python(DRIVER, tmp_path, RUNAWAYS + UNMARKED + "exec sleep 600", folder=tmp_path) as process:
        found = Driven(tmp_path, process)
        yield found
    end_all(found.supervisor, *found.tree)


def test_a_killed_drivers_tree_is_ended_by_its_supervisor(driven):
    with foreign() as carla:
        os.kill(driven.driver.pid, signal.SIGKILL)
        assert gone(driven.supervisor, *driven.tree, limit_s=REAPED_S)
        assert is_running(carla)


def test_a_fork_of_the_driver_does_not_keep_the_tree(tmp_path):
    """It holds the pipe open, and is not the driver."""
    with python(DRIVER, tmp_path, RUNAWAYS + "exec sleep 600", "fork", folder=tmp_path) as driver:
        supervisor, command = map(int, driver.stdout.readline().split())
        known = [identify(supervisor), identify(command), *(noted(tmp_path, name) for name in NAMES)]
        fork = identify(int(driver.stdout.readline()))
        try:
            driver.kill()
            assert gone(*known, limit_s=REAPED_S)
            assert is_running(fork)
        finally:
            end_all(fork, *known)


def test_a_driver_that_ends_without_a_word_leaves_nothing(driven):
    driven.driver.communicate(timeout=30)
    assert gone(driven.supervisor, *driven.tree)


def test_when_the_supervisor_is_killed_too_the_next_start_ends_the_tree(driven, tmp_path):
    def written() -> set[ProcessId]:
        return {one for path in records_of(run_mark(tmp_path)) for one in recorded(path)}

    until(lambda: set(driven.tree) <= written(), "the tree is written down")
    with foreign() as carla:
        os.kill(driven.supervisor.pid, signal.SIGKILL)
        os.kill(driven.driver.pid, signal.SIGKILL)
        driven.driver.wait(30)
        assert gone(driven.supervisor)
        assert all(map(is_running, driven.tree)), "orphans are what this test is about"
        said = reap_run(run_mark(tmp_path))
        assert gone(*driven.tree)
        assert {int(line.split()[0]) for line in said} == {one.pid for one in driven.tree}
        assert is_running(carla)
    assert records_of(run_mark(tmp_path)) == ()


def test_another_runs_start_leaves_the_tree_alone(driven, tmp_path):
    assert reap_run(run_mark(tmp_path / "another")) == ()
    assert all(map(is_running, [driven.supervisor, *driven.tree]))
