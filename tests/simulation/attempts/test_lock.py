"""F20: one driver a run folder."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.lock import driver_lock
from bestrand_drive.simulation.processes.identity import process_start

DRIVER = """
import sys
from pathlib import Path
from bestrand_drive.simulation.attempts.lock import driver_lock
with driver_lock(Path(sys.argv[1])):
    print("driving", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def driver(tmp_path):
    """Another process that drives ``tmp_path``, until a line is written to it."""
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(tmp_path / "driver.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "driving\n"
        yield process
        if process.poll() is None:
            process.communicate("\n", timeout=30)


def take(path) -> bool:
    with driver_lock(path):
        return True


def write(path, **changes):
    own = {"pid": os.getpid(), "start": process_start(os.getpid()), "host": socket.gethostname(), "since": "yesterday"}
    path.write_text(json.dumps(own | changes))


def no_flock(*_):
    raise OSError(errno.ENOLCK, "No locks available")


@pytest.mark.parametrize("kernel_knows", [True, False])
def test_a_second_driver_is_refused_and_told_who_drives(tmp_path, driver, monkeypatch, kernel_knows):
    path = tmp_path / "driver.lock"
    before = path.read_bytes()
    if not kernel_knows:
        monkeypatch.setattr(fcntl, "flock", no_flock)
    with pytest.raises(UsageError, match=f"process {driver.pid} on {socket.gethostname()}"):
        take(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kernel_knows", [True, False])
def test_a_driver_that_ended_frees_the_folder(tmp_path, driver, monkeypatch, kernel_knows):
    if not kernel_knows:
        monkeypatch.setattr(fcntl, "flock", no_flock)
    driver.communicate("\n", timeout=30)
    assert take(tmp_path / "driver.lock")


@pytest.mark.parametrize("kernel_knows", [True, False])
@pytest.mark.parametrize("reaped", [True, False])
def test_the_lock_of_a_killed_driver_is_taken_over(tmp_path, driver, monkeypatch, kernel_knows, reaped):
    """Also while the killed one is a zombie that nobody has waited for."""
    if not kernel_knows:
        monkeypatch.setattr(fcntl, "flock", no_flock)
    os.kill(driver.pid, signal.SIGKILL)
    os.waitid(os.P_PID, driver.pid, os.WEXITED | os.WNOWAIT)
    if reaped:
        driver.wait(timeout=30)
    assert json.loads((tmp_path / "driver.lock").read_text())["pid"] == driver.pid
    assert take(tmp_path / "driver.lock")


def test_the_same_pid_with_another_start_is_another_process(tmp_path, monkeypatch):
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(fcntl, "flock", no_flock)
    write(path, pid=os.getppid(), start=process_start(os.getppid()))
    with pytest.raises(UsageError, match=f"process {os.getppid()}"):
        take(path)
    write(path, pid=os.getppid(), start="another boot:1")
    assert take(path)


def test_another_host_cannot_be_asked(tmp_path):
    path = tmp_path / "driver.lock"
    write(path, host="node17", pid=1)
    with pytest.raises(UsageError, match=r"process 1 on node17, since yesterday.*remove driver\.lock"):
        take(path)


@pytest.mark.parametrize("content", [b"", b'{"pid": 12', b"[]", b'{"pid": null}', b"\0" * 64])
def test_half_a_word_of_a_killed_driver_says_nothing(tmp_path, content):
    (tmp_path / "driver.lock").write_bytes(content)
    assert take(tmp_path / "driver.lock")


def test_it_is_free_after_an_error_inside(tmp_path):
    path = tmp_path / "driver.lock"
    with pytest.raises(RuntimeError), driver_lock(path):
        raise RuntimeError
    assert take(path)


def test_it_cannot_be_taken_twice_by_one_process(tmp_path):
    path = tmp_path / "driver.lock"
    with driver_lock(path), pytest.raises(UsageError, match=f"process {os.getpid()}"):
        take(path)


def test_processes_are_told_apart_by_their_start():
    assert process_start(os.getpid()) == process_start(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert process_start(child.pid) not in (None, process_start(os.getpid()))
        child.communicate(b"\n", timeout=30)
    assert process_start(child.pid) is None
