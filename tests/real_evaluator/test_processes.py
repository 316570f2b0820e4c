"""The watchdog: what it takes for a stall of the client, and what it leaves behind."""

from __future__ import annotations

import contextlib
import functools
import os
import socket
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from bestrand_drive.simulation.adapters.adapter import HOOKS
from tests.headless import fakes
from tests.headless.processes import runs, wait_for
from tests.real_evaluator import processes

IN_A_TICK = """
import select
class World:
    tick = staticmethod(select.select)
print('begins', flush=True)
World.tick([], [], [], 600)
"""
"""With a line just before, from which on it stands still: Python's own start may take long."""


@pytest.fixture
def hasty(monkeypatch):
    """For what stands still; what ends by itself may take its time."""
    monkeypatch.setattr(processes, "STALL_S", 0.5)
    monkeypatch.setattr(processes, "IDLE_S", 1.5)


def run(folder: Path, script: str, port: int = 1) -> int:
    file = folder / "evaluator.py"
    file.write_text("import os, subprocess, sys, time\n" + textwrap.dedent(script))
    environment = {**os.environ, "PYTHONPATH": str(HOOKS)}
    return processes.attend([sys.executable, file], folder / "log.txt", port, cwd=folder, env=environment)


def test_its_exit_code_and_its_output_are_kept(tmp_path):
    assert run(tmp_path, "print('done', flush=True); sys.exit(3)") == 3
    assert (tmp_path / "log.txt").read_text() == "done\n"


def test_standing_in_a_tick_of_a_server_that_answers_is_the_known_stall(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "STALL_S", 0.5)
    with fakes.serving() as running, pytest.raises(processes.KnownFault, match="stalled in a tick"):
        run(tmp_path, IN_A_TICK, running.server.port)


@pytest.mark.usefixtures("hasty")
def test_standing_in_a_tick_of_a_dead_server_is_not(tmp_path):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        with pytest.raises(AssertionError, match="no line for 2 s"):
            run(tmp_path, IN_A_TICK, held.getsockname()[1])


@pytest.mark.usefixtures("hasty")
def test_standing_elsewhere_is_not(tmp_path):
    with fakes.serving() as running, pytest.raises(AssertionError, match="no line for 2 s"):
        run(tmp_path, "time.sleep(600)", running.server.port)


def test_an_evaluator_that_goes_on_is_left_alone(tmp_path, monkeypatch):
    """A line every 50 s for an hour; it is not even asked where it is. The clock goes as fast as it is looked at."""
    log, now_s = tmp_path / "log.txt", 0.0
    log.touch()

    def sleep(seconds):
        nonlocal now_s
        if int(now_s / 50.0) < int((now_s + seconds) / 50.0):
            log.write_text(f"{log.read_text()}a line\n")
        now_s += seconds

    monkeypatch.setattr(processes, "time", SimpleNamespace(monotonic=lambda: now_s, sleep=sleep))
    process = SimpleNamespace(poll=lambda: 0 if now_s > 3600.0 else None)  # a signal is what it does not know
    processes._watch(process, log, 1)
    assert log.read_text().count("a line") == 72


def test_the_abort_on_closing_a_stream_twice_is_known(tmp_path):
    with pytest.raises(processes.KnownFault):
        run(tmp_path, "print('close: Bad file descriptor', flush=True); os.abort()")


def test_another_abort_is_an_outcome(tmp_path):
    assert run(tmp_path, "os.abort()") == -6


STARTS = """
    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)
    open('child', 'w').write(str(child.pid))
"""
ENDS = {
    "stands still": ("time.sleep(600)", functools.partial(pytest.raises, AssertionError, match="no line")),
    "falls to the known abort": (
        "print('close: Bad file descriptor', flush=True); os.abort()",
        functools.partial(pytest.raises, processes.KnownFault),
    ),
    "aborts otherwise": ("os.abort()", contextlib.nullcontext),
    "exits": ("sys.exit(1)", contextlib.nullcontext),
}


@pytest.mark.parametrize("how", ENDS)
def test_what_it_started_ends_with_it(tmp_path, request, how):
    """As the server that an evaluator starts, in a session of its own; however the evaluator ends."""
    last, outcome = ENDS[how]
    if how == "stands still":
        request.getfixturevalue("hasty")
    with outcome():
        run(tmp_path, f"{STARTS}\n    {last}")
    child = int((tmp_path / "child").read_text())
    wait_for(lambda: not runs(child), "what it started runs on")  # whoever inherits it has to collect it yet


def test_what_is_nobodys_child_any_more_ends_too(tmp_path):
    assert run(tmp_path, "subprocess.run(['sh', '-c', 'sleep 600 & echo $! > child'])") == 0
    assert not runs(int((tmp_path / "child").read_text()))
