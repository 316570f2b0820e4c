"""F20: one driver a run folder."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import signal
import socket
import time

import pytest

from bestrand_drive.errors import EnvironmentFault, UsageError
from bestrand_drive.simulation.attempts import lock
from bestrand_drive.simulation.attempts.lock import driver_lock, refuse_driven
from bestrand_drive.simulation.processes.identity import process_start
from tests.simulation.attempts.drivers import driver_of
from tests.simulation.processes.trees import until


@pytest.fixture
def driver(tmp_path):
    """Another process that drives ``tmp_path``, until a line is written to it."""
    with driver_of(tmp_path / "driver.lock") as process:
        yield process


def take(path) -> bool:
    with driver_lock(path):
        return True


def write(path, **changes):
    own = {"pid": os.getpid(), "start": process_start(os.getpid()), "host": socket.gethostname(), "since": "yesterday"}
    path.write_text(json.dumps(own | changes))


def touched(path, age_s):
    """Let the last touch of a file be so many seconds ago."""
    then_s = time.time() - age_s
    os.utime(path, (then_s, then_s))


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
    boot = process_start(os.getppid()).partition(":")[0]
    write(path, pid=os.getppid(), start=f"{boot}:1")
    assert take(path)


def test_another_host_of_the_same_name_is_another_host(tmp_path):
    """F20: its boot tells; that this host knows no such process says nothing. One that was started again waits, too."""
    path = tmp_path / "driver.lock"
    write(path, pid=1, start="another boot:1")
    with pytest.raises(UsageError, match=f"process 1 on {socket.gethostname()}.*the same command goes on in"):
        take(path)
    touched(path, lock.STALE_S + 1)
    assert take(path)


@pytest.mark.parametrize("others", [{"host": "node18", "pid": 2}, {"start": "another boot:1"}])
def test_of_two_that_find_it_free_at_the_same_moment_one_leaves(tmp_path, monkeypatch, others):
    """F20: flock is granted to both where it holds for one host only; whose words stand, drives."""
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(time, "sleep", lambda _: write(path, **others))
    with pytest.raises(UsageError, match="driven by process"):
        take(path)
    left = json.loads(path.read_text())
    assert left.items() >= others.items()


@pytest.mark.parametrize("kernel_knows", [True, False])
@pytest.mark.parametrize("only_asked", [True, False])
@pytest.mark.parametrize("age_s", [0.0, lock.STALE_S - 20.0, 20.0 - lock.STALE_S])
def test_another_hosts_driver_lives_while_it_touches_the_lock(tmp_path, monkeypatch, kernel_knows, only_asked, age_s):
    """F19, F20: a free flock says nothing of other hosts on some mounts; the message says how long that can last."""
    if not kernel_knows:
        monkeypatch.setattr(fcntl, "flock", no_flock)
    path = tmp_path / "driver.lock"
    write(path, host="node17", pid=1)
    touched(path, age_s)
    before = path.read_bytes()
    with pytest.raises(UsageError, match=r"process 1 on node17, since yesterday.*goes on in (\d+) s") as refused:
        refuse_driven(path) if only_asked else take(path)
    said_s = int(re.search(r"in (\d+) s", str(refused.value))[1])
    assert said_s == pytest.approx(lock.STALE_S - age_s, abs=5)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kernel_knows", [True, False])
@pytest.mark.parametrize("age_s", [lock.STALE_S + 1, 1e6, -1e6])
def test_another_hosts_driver_that_went_silent_is_taken_over(tmp_path, monkeypatch, kernel_knows, age_s):
    """F19: killed on another node, or touched before a clock was set back."""
    if not kernel_knows:
        monkeypatch.setattr(fcntl, "flock", no_flock)
    path = tmp_path / "driver.lock"
    write(path, host="node17", pid=1)
    touched(path, age_s)
    refuse_driven(path)
    assert take(path)
    assert path.read_bytes() == b""


def test_a_driver_that_was_killed_on_another_node(tmp_path, driver, monkeypatch):
    """F12, F19: a job that starts again elsewhere waits for the silence, and needs nobody to remove anything."""
    path = tmp_path / "driver.lock"
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait(timeout=30)
    monkeypatch.setattr(socket, "gethostname", lambda: "node18")
    with pytest.raises(UsageError, match="the same command goes on in"):
        take(path)
    touched(path, lock.STALE_S + 1)
    assert take(path)


def test_a_living_driver_touches_the_lock(tmp_path, monkeypatch):
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(lock, "BEAT_S", 0.01)
    with driver_lock(path):
        for _ in range(2):
            touched(path, 1e6)
            until(lambda: time.time() - path.stat().st_mtime < 1e5, "it is touched")
    touched(path, 1e6)
    time.sleep(0.1)
    assert time.time() - path.stat().st_mtime > 1e5, "nobody drives any more"


def test_who_was_taken_over_leaves_the_lock_to_the_other(tmp_path, monkeypatch):
    """F19: cut off from the file server for longer than another host waits, then back."""
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(lock, "BEAT_S", 0.01)
    with driver_lock(path):
        write(path, host="node18", pid=2)
        others = path.read_bytes()
        time.sleep(0.1)  # a beat that had looked before may still touch it
        touched(path, 1e6)
        time.sleep(0.1)
        assert time.time() - path.stat().st_mtime > 1e5
    assert path.read_bytes() == others


@pytest.mark.parametrize("others", [b"", b'{"pid": 2, "start": "b:1", "host": "node18", "since": "noon"}'])
def test_who_was_taken_over_is_told_by_the_next_beat(tmp_path, monkeypatch, others):
    """F19, F20: also when the other one has ended since."""
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(lock, "BEAT_S", 0.01)
    with driver_lock(path) as held:
        held.check()
        path.write_bytes(others)
        until(lambda: not held.look(), "it is seen")
        with pytest.raises(EnvironmentFault, match=f"taken over by {'process 2 on node18' if others else 'another'}"):
            held.check()
    assert path.read_bytes() == others


def test_who_took_over_is_named_though_the_first_look_fell_into_its_writing(tmp_path, monkeypatch):
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(lock, "BEAT_S", 60)
    with driver_lock(path) as held:
        path.write_bytes(b"")
        assert not held.look()
        write(path, host="node18", pid=2)
        assert not held.look()
        with pytest.raises(EnvironmentFault, match="taken over by process 2 on node18"):
            held.check()


def test_a_lock_that_cannot_be_read_now_says_nothing(tmp_path, monkeypatch):
    """F19: the file server is away for a while."""
    path = tmp_path / "driver.lock"
    monkeypatch.setattr(lock, "BEAT_S", 0.01)
    with driver_lock(path) as held:
        path.rename(tmp_path / "away")
        time.sleep(0.1)
        held.check()
        (tmp_path / "away").rename(path)
        touched(path, 1e6)
        until(lambda: time.time() - path.stat().st_mtime < 1e5, "it is touched again")


def test_the_age_is_told_by_the_clock_of_the_file_server(tmp_path, monkeypatch):
    """F17, F19: this host's clock is a day off."""
    path = tmp_path / "driver.lock"
    write(path, host="node17", pid=1)
    now_s = time.time()
    monkeypatch.setattr(time, "time", lambda: now_s + 86400)
    with pytest.raises(UsageError, match="node17"):
        take(path)


@pytest.mark.parametrize("content", [b"", b'{"pid": 12', b"[]", b'{"pid": null}', b"\0" * 64])
def test_half_a_word_of_a_killed_driver_says_nothing(tmp_path, content):
    (tmp_path / "driver.lock").write_bytes(content)
    assert take(tmp_path / "driver.lock")


def test_a_file_server_that_is_away_at_the_end_takes_nothing_from_a_run(tmp_path, monkeypatch):
    """F19: all is stored by then, and who has ended is found out by the next driver."""
    path, write_holder = tmp_path / "driver.lock", lock.write_holder

    def away(handle, holder):
        if holder is None:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        write_holder(handle, holder)

    monkeypatch.setattr(lock, "write_holder", away)
    assert take(path)
    assert path.read_bytes()
    assert take(path)


def test_it_is_free_after_an_error_inside(tmp_path):
    path = tmp_path / "driver.lock"
    with pytest.raises(RuntimeError), driver_lock(path):
        raise RuntimeError
    assert take(path)


def test_it_cannot_be_taken_twice_by_one_process(tmp_path):
    path = tmp_path / "driver.lock"
    with driver_lock(path), pytest.raises(UsageError, match=f"process {os.getpid()}"):
        take(path)
