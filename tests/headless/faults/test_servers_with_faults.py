"""Every fault on a real process, seen by a raw peer."""

import fcntl
import signal
import socket
import struct
import termios
import threading
import time

import pytest

from bestrand_drive.headless.faults.hooks import FIRST_FLOOD_BYTES
from tests.headless.processes import Serving, silent, wait_for

LOAD = ("load_new_episode", "Town02", False, 65535)
LAST_WORDS = ("Signal 11 caught.", "Engine crash handling finished; re-raising signal 11 for the default handler.")


@pytest.fixture
def ordered(maps, tmp_path):
    """Servers with faults, ended after the test."""
    started = []

    def start(*faults, **more):
        started.append(Serving(tmp_path, maps, *faults, **more))
        return started[-1]

    yield start
    for server in started:
        server.__exit__()


def ticks(client, count):
    """So many answered ticks."""
    return [client.call("tick_cue")[0][1] for _ in range(count)]


@pytest.mark.parametrize(("fault", "code"), [("crash", -signal.SIGSEGV), ("oom-exit", -signal.SIGKILL)])
@pytest.mark.parametrize("moment", ["tick=4", "load=Town02"])
def test_it_dies_of_the_signal_in_that_very_call(ordered, fault, code, moment):
    server = ordered(f"{fault}@{moment}")
    client = server.client()
    frames = ticks(client, 3)
    assert frames == [frames[0], frames[0] + 1, frames[0] + 2]
    assert client.call("load_new_episode", "Town01", False, 65535) == [[False]]
    with pytest.raises(ConnectionError):
        client.call(*LOAD) if moment.startswith("load") else client.call("tick_cue")
    assert server.code() == code
    assert all((words in server.errors) == (fault == "crash") for words in LAST_WORDS)
    assert server.refuses()


@pytest.mark.parametrize("moment", ["tick=4", "load=Town02"])
def test_a_hanging_server_takes_connections_answers_nobody_and_ends_on_sigterm(ordered, moment):
    server = ordered(f"hang@{moment}")
    client, other = server.client(), server.client()
    ticks(client, 3)
    client.socket.settimeout(1.0)
    with pytest.raises(TimeoutError):
        client.call(*LOAD) if moment.startswith("load") else client.call("tick_cue")
    assert silent(other)
    assert silent(server.client())
    assert server.process.poll() is None
    assert server.end(signal.SIGTERM) == 0
    assert "Traceback" not in server.errors


def test_a_town_made_by_the_client_has_a_name_too(ordered, maps):
    server = ordered("crash@load=OpenDriveMap")
    client = server.client()
    client.call("copy_opendrive_to_file", (maps / "Town01.xodr").read_text(), [])
    with pytest.raises(ConnectionError):
        client.call("load_new_episode", "OpenDriveMap", True, 65535)
    assert server.code() == -signal.SIGSEGV


def test_the_first_town_is_loaded_by_no_client(ordered):
    server = ordered("crash@load=Town01")
    client = server.client()
    ticks(client, 2)
    with pytest.raises(ConnectionError):
        client.call("load_new_episode", "", False, 65535)  # the same town again


def test_ticks_are_counted_over_episodes_and_in_asynchronous_mode(ordered):
    server = ordered("oom-exit@tick=4")
    client = server.client()
    ticks(client, 2)
    client.call(*LOAD)
    ticks(client, 1)
    assert server.process.poll() is None
    settings = client.call("get_episode_settings")[0][1]
    client.send(0, 1, "set_episode_settings", [[False], [False, *settings[1:]]])  # the world ticks by itself now
    assert server.code() == -signal.SIGKILL


def test_a_slow_start_listens_after_its_seconds_only(ordered):
    started = time.monotonic()
    server = ordered("slow-start=3")
    client = server.client()
    assert time.monotonic() - started >= 3.0
    ticks(client, 2)
    assert server.end(signal.SIGTERM) == 0


def test_a_slow_start_can_be_ended(ordered):
    server = ordered("slow-start=600")
    wait_for(lambda: "slow-start=600" in server.errors, "it says nothing of its faults")
    assert server.end(signal.SIGTERM) == 0
    assert server.refuses()


def test_a_flood_blocks_the_server_until_somebody_reads(ordered):
    server = ordered("stderr-flood", undrained=True)
    full = wait_for(lambda: _waiting(server.process.stderr) >= 60_000 and _waiting(server.process.stderr), "no flood")
    assert full < FIRST_FLOOD_BYTES
    assert server.refuses()
    drain = _Drain(server.process.stderr.fileno())
    client = server.client()
    before = drain.count
    assert before > 0.9 * FIRST_FLOOD_BYTES
    wait_for(lambda: client.call("tick_cue") and drain.count > before + (1 << 19), "the flood stopped")
    drain.stop()
    wait_for(lambda: silent(client), "it goes on although nobody reads")
    assert server.end(signal.SIGTERM) == 0


class _Drain(threading.Thread):
    """Reads a pipe until it is told to stop."""

    def __init__(self, descriptor):
        super().__init__(daemon=True)
        self._descriptor, self.count, self._going = descriptor, 0, True
        self.start()

    def run(self):
        import os
        import select

        while self._going:
            if select.select([self._descriptor], [], [], 0.05)[0]:
                self.count += len(os.read(self._descriptor, 1 << 16))

    def stop(self):
        self._going = False
        self.join()


def _waiting(pipe):
    """Bytes in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def test_dropped_streams_miss_that_tick_and_can_be_opened_again(ordered):
    server = ordered("drop-stream@tick=3")
    client = server.client()
    streams = [server.stream() for _ in range(2)]
    greetings = [_frame(stream.receive()) for stream in streams]
    ticks(client, 2)
    assert [[_frame(stream.receive()) for _ in range(2)] for stream in streams] == [
        [first + 1, first + 2] for first in greetings
    ]
    assert ticks(client, 1) == [greetings[0] + 3]
    for stream in streams:
        with pytest.raises(ConnectionError):
            stream.receive()
    again = server.stream()
    assert _frame(again.receive()) == greetings[0] + 3
    ticks(client, 1)
    assert _frame(again.receive()) == greetings[0] + 4
    assert server.end(signal.SIGTERM) == 0


def _frame(message):
    """Number of the frame in a stream's header."""
    return struct.unpack_from("<Q", message, 8)[0]


@pytest.mark.parametrize(("fault", "version"), [("wrong-version", "0.0.0"), ("wrong-version=0.9.12", "0.9.12")])
def test_a_wrong_version_is_announced_and_all_else_works(ordered, fault, version):
    server = ordered(fault)
    client = server.client()
    assert client.call("version") == [[1, version]]
    ticks(client, 2)
    assert server.end(signal.SIGTERM) == 0


def test_several_at_once_and_those_not_drawn_do_not_happen(ordered):
    server = ordered("wrong-version=1.2.3,crash@tick=1:p=0", "drop-stream@tick=2", "hang@tick=3")
    client = server.client()
    stream = server.stream()
    stream.receive()
    assert client.call("version") == [[1, "1.2.3"]]
    ticks(client, 2)
    stream.receive()
    with pytest.raises(ConnectionError):
        stream.receive()
    client.socket.settimeout(1.0)
    with pytest.raises(TimeoutError):
        client.call("tick_cue")
    assert server.end(signal.SIGTERM) == 0
    assert "3 of 4 ordered faults drawn: wrong-version=1.2.3 drop-stream@tick=2 hang@tick=3" in server.errors


def test_a_server_without_faults_says_nothing_of_them(ordered):
    server = ordered()
    ticks(server.client(), 60)
    assert server.end(signal.SIGTERM) == 0
    assert server.errors == ""


def test_a_port_that_is_held_up_stays_a_busy_one(ordered):
    """Whoever looks for a free port must not take that of a hanging server."""
    server = ordered("hang@tick=1")
    client = server.client()
    client.send(0, 1, "tick_cue", [[False]])
    assert silent(server.client())
    with socket.socket() as probe, pytest.raises(OSError, match="in use"):
        probe.bind(("127.0.0.1", server.port))
