"""The watchdog: what it takes for a stall of the client, and what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import textwrap
import time
from pathlib import Path

import pytest

from bestrand_drive.simulation.adapters.adapter import HOOKS
from tests.headless import fakes
from tests.real_evaluator import processes

IN_A_TICK = "import select\nclass World:\n    tick = staticmethod(select.select)\nWorld.tick([], [], [], 600)"


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    monkeypatch.setattr(processes, "STALL_S", 1.0)
    monkeypatch.setattr(processes, "IDLE_S", 3.0)


def run(folder: Path, script: str, port: int = 1) -> int:
    file = folder / "evaluator.py"
    file.write_text("import os, subprocess, sys, time\n" + textwrap.dedent(script))
    environment = {**os.environ, "PYTHONPATH": str(HOOKS)}
    return processes.attend([sys.executable, file], folder / "log.txt", port, cwd=folder, env=environment)


def test_its_exit_code_and_its_output_are_kept(tmp_path):
    assert run(tmp_path, "print('done', flush=True); sys.exit(3)") == 3
    assert (tmp_path / "log.txt").read_text() == "done\n"


def test_standing_in_a_tick_of_a_server_that_answers_is_the_known_stall(tmp_path):
    with fakes.serving() as running, pytest.raises(processes.KnownFault, match="stalled in a tick"):
        run(tmp_path, IN_A_TICK, running.server.port)


def test_standing_in_a_tick_of_a_dead_server_is_not(tmp_path):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        with pytest.raises(AssertionError, match="no line for 3 s"):
            run(tmp_path, IN_A_TICK, held.getsockname()[1])


def test_standing_elsewhere_is_not(tmp_path):
    with fakes.serving() as running, pytest.raises(AssertionError, match="no line for 3 s"):
        run(tmp_path, "time.sleep(600)", running.server.port)


def test_an_evaluator_that_goes_on_is_left_alone(tmp_path):
    assert run(tmp_path, "for k in range(12):\n    print(k, flush=True); time.sleep(0.3)") == 0


def test_the_abort_on_closing_a_stream_twice_is_known(tmp_path):
    with pytest.raises(processes.KnownFault):
        run(tmp_path, "print('close: Bad file descriptor', flush=True); os.abort()")


def test_another_abort_is_an_outcome(tmp_path):
    assert run(tmp_path, "os.abort()") == -6


def test_what_it_started_ends_with_it(tmp_path):
    """As the server that an evaluator starts, in a session of its own."""
    script = """
        child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)
        open('child', 'w').write(str(child.pid))
        time.sleep(600)
    """
    with pytest.raises(AssertionError, match="no line"):
        run(tmp_path, script)
    child = int((tmp_path / "child").read_text())
    assert ends(child)


def ends(pid: int) -> bool:
    """Whether a process is gone, or only waits to be collected, before long."""
    for _ in range(100):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                time.sleep(0.05)
                continue
        return True
    return False
