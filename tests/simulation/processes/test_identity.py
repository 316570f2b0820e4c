"""Processes are the same by id and start, and only these are signalled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bestrand_drive.simulation.processes.identity import (
    ProcessId,
    identify,
    is_running,
    process_start,
    running,
    send_signal,
)
from tests.simulation.processes.trees import until


@pytest.fixture
def child():
    """A process that sleeps."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def no_pidfd(*_):
    raise OSError(38, "Function not implemented")


def test_the_kernel_is_read_as_psutil_reads_it(child):
    found = running(child.pid)
    assert found.parent == os.getpid()
    ticks = os.sysconf("SC_CLK_TCK")
    seconds = int(found.process.start.rpartition(":")[2]) / ticks
    assert psutil.boot_time() + seconds == pytest.approx(psutil.Process(child.pid).create_time(), abs=2)


def test_a_name_with_brackets_and_blanks_does_not_confuse(tmp_path):
    program = tmp_path / "a) Z 1 (b"
    program.symlink_to(sys.executable)
    with subprocess.Popen([program, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert running(process.pid).parent == os.getpid()
        process.communicate(b"\n")


def test_a_name_that_is_no_text_hides_no_process():
    """The kernel keeps 15 bytes of a name, and so half a letter; what is not seen would never be ended."""
    name, before = Path("/proc/self/comm"), Path("/proc/self/comm").read_bytes()
    name.write_bytes("Verkehrsmänner".encode()[:10])
    try:
        assert identify(os.getpid())
    finally:
        name.write_bytes(before.strip())


def test_a_zombie_has_ended(child):
    known = identify(child.pid)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(known)
    assert identify(child.pid) is None


def test_a_process_whose_first_thread_has_ended_goes_on():
    program = (
        "import ctypes, threading, time; threading.Thread(target=time.sleep, args=(600,)).start();"
        "ctypes.CDLL(None).syscall(60, 0)"  # exit of this thread alone (x86-64)
    )
    with subprocess.Popen([sys.executable, "-S", "-c", program]) as process:
        try:
            until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE, "its first thread has ended")
            assert identify(process.pid)
        finally:
            process.kill()


def test_two_processes_have_two_starts(child):
    """Else one that was given the id of another would be taken for it."""
    assert process_start(child.pid) != process_start(os.getpid())


def test_there_is_no_process_zero():
    assert process_start(0) is None


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_a_signal_reaches_its_process(child, monkeypatch, has_pidfd):
    if not has_pidfd:
        monkeypatch.setattr(os, "pidfd_open", no_pidfd)
    assert send_signal(identify(child.pid), signal.SIGTERM)
    assert child.wait(timeout=30) == -signal.SIGTERM
    assert not send_signal(ProcessId(child.pid, "x"), signal.SIGTERM)


@pytest.mark.parametrize("has_pidfd", [True, False])
def test_another_process_with_that_id_is_not_signalled(child, monkeypatch, has_pidfd):
    if not has_pidfd:
        monkeypatch.setattr(os, "pidfd_open", no_pidfd)
    assert not send_signal(ProcessId(child.pid, "another boot:1"), signal.SIGKILL)
    assert child.poll() is None


def test_anothers_process_is_not_ours_to_signal(child, monkeypatch):
    def refuse(*_):
        raise PermissionError

    known = identify(child.pid)
    with monkeypatch.context() as patch:
        patch.setattr(signal, "pidfd_send_signal", refuse)
        assert not send_signal(known, signal.SIGTERM)
        patch.setattr(os, "pidfd_open", no_pidfd)
        patch.setattr(os, "kill", refuse)
        assert not send_signal(known, signal.SIGTERM)
