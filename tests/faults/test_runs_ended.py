"""F5, F12, F20: runs that are killed, told to stop, or started twice; what had a result stays, nothing else does."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from bestrand_drive.files import write_atomic
from bestrand_drive.simulation.attempts import store
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.identity import is_running, send_signal
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.processes.records import recorded, records_of
from tests.simulation.attempts.made import tree
from tests.simulation.processes.trees import foreign, gone, until

LIMIT_S = 60


def drives(runs, process, count=1):
    """Wait until so many evaluators of a run, earlier starts included, have begun to drive."""
    until(lambda: process.poll() is not None or said(runs, "Running the route") >= count, "it drives", LIMIT_S)
    assert process.poll() is None, process.stdout.read()


def said(runs, word):
    """How many logs hold a word."""
    logs = (runs.path / "logs").glob("*.log")
    return sum(word in path.read_text(errors="replace") for path in logs)


@pytest.fixture
def slow(runs):
    """One route has its result, the next ones take a while."""
    runs.run("--only", "1711")
    runs.order("slow=300")
    return runs


def test_a_killed_driver_leaves_nothing_and_the_next_start_goes_on(slow):
    before = tree(slow.path / "attempts")
    with foreign() as carla:
        with slow.started("--servers", 2) as process:
            drives(slow, process, 3)
            ours = [one for path in records_of(run_mark(slow.path)) for one in recorded(path)]
            process.send_signal(signal.SIGKILL)
            process.wait(LIMIT_S)
        assert ours
        assert gone(*ours, limit_s=LIMIT_S)
        assert slow.left() == []
        assert tree(slow.path / "attempts") == before
        slow.order()
        slow.run("--servers", 2)
        assert is_running(carla)
    assert slow.endings() == ["Completed"] * 4
    assert [one.number for one in slow.attempts()] == [1] * 4
    assert slow.left() == []


def test_a_driver_that_was_taken_over_stops(slow, monkeypatch):
    """F19, F20: cut off for longer than another host waits; what it drives is ended, and nothing more is stored."""
    monkeypatch.setattr("bestrand_drive.simulation.attempts.lock.BEAT_S", 0.05)
    before = tree(slow.path / "attempts")
    lock = slow.path / "driver.lock"
    others = b'{"pid": 2, "start": "another boot:1", "host": "node18", "since": "noon"}'

    def take_over():
        until(lambda: said(slow, "Running the route") >= 3, "it drives", LIMIT_S)
        write_atomic(lock, others)  # what is half written names nobody

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(take_over)
        ran = slow.run("--servers", 2, code=7)
        other.result()
    assert "taken over by process 2 on node18, since noon" in ran.err
    assert lock.read_bytes() == others
    assert slow.left() == []
    assert tree(slow.path / "attempts") == before


def test_a_driver_killed_with_its_supervisors_is_cleaned_up_after_by_the_next_start(slow):
    with slow.started("--servers", 2) as process:
        drives(slow, process, 3)
        supervisors = [next(recorded(path)) for path in records_of(run_mark(slow.path))]
        process.send_signal(signal.SIGSTOP)  # it must not meet the loss of its supervisors
        for one in supervisors:
            send_signal(one, signal.SIGKILL)
        process.send_signal(signal.SIGKILL)
        process.wait(LIMIT_S)
    assert len(slow.left()) >= 2, "orphans are what this test is about"
    slow.order()
    ran = slow.run("--servers", 2)
    assert "ended what an earlier start left behind" in ran.out
    assert slow.endings() == ["Completed"] * 4
    assert slow.left() == []


def test_a_killed_supervisor_takes_its_evaluator_along_and_the_route_is_driven_again(runs):
    """F5: its driver ends the tree in its place; nobody saw how the evaluator ended, but it was not by itself."""
    runs.order("1711:slow=300@1")
    with runs.started("--only", "1711") as process:
        drives(runs, process)
        (record,) = records_of(run_mark(runs.path))
        send_signal(next(recorded(record)), signal.SIGKILL)
        out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, out
    assert runs.endings() == [Reason.EVALUATOR_KILLED.value, "Completed"]
    assert runs.left() == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_what_runs_and_leaves_no_attempt(slow, number, code):
    """F12: also the terminal that is closed."""
    before = tree(slow.path / "attempts")
    with slow.started("--servers", 2) as process:
        drives(slow, process, 3)
        process.send_signal(number)
        out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == code, out
    assert tree(slow.path / "attempts") == before
    assert slow.left() == []
    assert "stopped before it had a result, which leaves nothing" in out
    assert "3 are still to be run: give the same command again" in out
    assert "Traceback" not in out
    slow.order()
    slow.run("--servers", 2)
    assert slow.endings() == ["Completed"] * 4


def test_a_second_signal_does_not_wait(runs):
    """The evaluator ignores SIGTERM, and the grace is ten minutes."""
    runs.order("stubborn")
    with runs.started("--stop-grace", 600, "--servers", 2) as process:
        until(lambda: said(runs, "standing still") == 2, "it hangs")
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130, out
    assert runs.attempts() == ()
    assert runs.left() == []


def test_a_second_driver_refuses_and_changes_nothing(slow):
    with slow.started() as process:
        drives(slow, process, 2)
        ran = slow.run(code=2)
        assert f"driven by process {process.pid}" in ran.err
        assert slow.left(), "the first one goes on"
        assert slow.run("--explain").out.count("no attempt yet") == 3
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT_S)
    assert process.returncode == 143


def test_a_second_driver_refuses_where_the_lock_was_deleted(slow):
    """Else it would end the evaluators of a driver that lives; once that one has ended, it goes on."""
    with slow.started() as process:
        drives(slow, process, 2)
        before = slow.left()
        (slow.path / "driver.lock").unlink()
        ran = slow.run(code=2)
        assert f"driven by process {process.pid}, though its driver.lock is gone" in ran.err
        assert slow.left() == before
        process.send_signal(signal.SIGKILL)
        process.wait(LIMIT_S)
    slow.order()
    slow.run()
    assert slow.endings() == ["Completed"] * 4


def test_a_full_disk_stops_the_run_and_costs_nothing_that_was_stored(runs, monkeypatch):
    """F10: exit 7; what was there stays, what ran is ended, and the same command goes on later."""
    write = store.write_new

    def full(path, content):
        if path.parent.name.startswith("1713"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write(path, content)

    monkeypatch.setattr(store, "write_new", full)
    ran = runs.run(code=7)
    assert "No space left on device" in ran.err
    assert runs.endings() == ["Completed"] * 2
    assert runs.left() == []
    monkeypatch.undo()
    runs.monkeypatch.setenv("XDG_RUNTIME_DIR", str(runs.folder / "runtime"))
    runs.order()
    runs.run()
    assert [(one.key.route_id, one.number) for one in runs.attempts()] == [(str(n), 1) for n in range(1711, 1715)]


def test_a_reader_of_the_lines_that_goes_away_stops_the_run(runs):
    """Nothing must go on unseen for hours; what had ended is stored."""
    runs.order("1711:slow=4,slow=300")
    with runs.started("--servers", 2) as process:
        drives(runs, process, 2)
        process.stdout.close()
        assert process.wait(LIMIT_S) == 141
    assert runs.endings() == ["Completed"]
    assert runs.left() == []
