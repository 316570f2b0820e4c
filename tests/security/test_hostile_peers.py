"""Peers that take too much, say nothing, or vanish: they lose their own connection, and others are served."""

import contextlib
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgpack
import pytest

from bestrand_drive.headless.wire.budget import Budget, Crowd, most_connections, raise_limit
from tests.headless.fakes import PATIENCE_S, FakeWorld, Raw, serving

REQUEST = msgpack.packb([0, 1, "version", [[False]]])
VERSION = [[1, "0.9.16"]]


def test_a_client_killed_in_the_middle_of_calls_is_forgotten():
    program = (
        "import socket, sys, time\n"
        "peer = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "peer.sendall(bytes.fromhex(sys.argv[2]))\n"
        "print('sent', flush=True)\n"
        "time.sleep(60)\n"
    )
    calls = [msgpack.packb([0, k, "get_map_data", [[False]]]) for k in range(500)]
    announce = msgpack.packb([0, 1, "add_traffic_manager_running", [[False], ["127.0.0.1", 8000]]])
    with serving() as running:
        running.world.opendrive = "x" * (1 << 18)
        good = running.client()
        for ending in (b"", REQUEST[:7]):
            data = announce + b"".join(calls) + ending
            command = [sys.executable, "-c", program, str(running.server.port), data.hex()]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as victim:
                try:
                    assert victim.stdout.readline() == b"sent\n"
                    wait_for(lambda: good.call("is_traffic_manager_running", 8000) == [[1, True]])
                finally:
                    victim.send_signal(signal.SIGKILL)
            wait_for(lambda: good.call("is_traffic_manager_running", 8000) == [[1, False]])


def test_a_client_that_does_not_read_is_not_answered_further_until_it_does():
    answered = []

    class Counting(FakeWorld):
        @property
        def opendrive(self):
            answered.append(1)
            return "x" * (1 << 18)

        @opendrive.setter
        def opendrive(self, _text):
            pass

    with serving(world=Counting()) as running:
        good, slow = running.client(), running.client()
        slow.socket.settimeout(30)
        for number in range(400):
            slow.send(0, number, "get_map_data", [[False]])
        for _ in range(50):
            assert good.call("version") == VERSION
        assert 0 < len(answered) < 200  # 400 answers are 105 MB; the kernel's buffers take a tenth of that
        assert [slow.receive()[1] for _ in range(400)] == list(range(400))
        assert slow.call("version") == VERSION


def test_many_unfinished_messages_cost_the_largest_its_connection():
    with serving() as running:
        running.server.budget.limit_bytes = 1 << 20
        good = running.client()
        bad = [running.client() for _ in range(8)]
        for number, peer in enumerate(bad):
            peer.socket.sendall(b"\x94\x00\x01\xdb\x0f\xff\xff\xff" + bytes((1 << 17) * (1 + number % 2)))
            assert good.call("version") == VERSION
        wait_for(lambda: sum(is_closed(peer.socket) for peer in bad) >= 2)
        assert not any(is_closed(peer.socket) for peer in bad[::2])
        assert good.call("tick_cue") == [[1, 8]]


def test_a_budget_counts_and_drops_who_holds_most():
    budget = Budget(100)
    one, two, three = (Member(budget) for _ in range(3))
    budget.note(one, 40)
    budget.note(two, 50)
    budget.note(one, 20)
    budget.note(three, 30)
    assert [member.closed for member in (one, two, three)] == [False, False, False]
    budget.note(three, 31)
    assert two.closed
    budget.note(one, 69)
    assert [member.closed for member in (one, three)] == [False, False]


class Member:
    """A connection by name only."""

    def __init__(self, budget=None, spoke=True):
        self.closed, self.spoke, self._budget = False, spoke, budget

    def close(self):
        self.closed = True
        if self._budget:
            self._budget.note(self, 0)


def test_a_crowd_lets_the_oldest_silent_one_go_else_the_newcomer():
    crowd = Crowd(3)
    first, silent, third, fourth, fifth = Member(), Member(spoke=False), Member(), Member(), Member()
    for member in (first, silent, third):
        crowd.join(member)
    crowd.join(fourth)
    assert [one.closed for one in (first, silent, third, fourth)] == [False, True, False, False]
    crowd.join(fifth)
    assert [one.closed for one in (first, third, fourth, fifth)] == [False, False, False, True]
    first.closed = True
    sixth = Member()
    crowd.join(sixth)
    assert not sixth.closed


def test_silent_connections_shut_nobody_out():
    with serving(most_peers=8) as running:
        talking = [running.client() for _ in range(3)]
        for client in talking:
            assert client.call("version") == VERSION
        silent = [running.client() for _ in range(40)]
        mute = [running.mute() for _ in range(40)]
        assert [client.call("version") for client in talking] == [VERSION] * 3
        late, stream = running.client(), running.stream()
        assert late.call("version") == VERSION
        assert stream.receive()
        assert sum(is_closed(peer.socket) for peer in silent) >= 35
        assert sum(map(is_closed, mute)) >= 32


def is_closed(connection):
    """Whether the other side has closed, without waiting."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def test_where_all_have_spoken_the_newcomer_is_turned_away():
    with serving(most_peers=4) as running:
        talking = [running.client() for _ in range(4)]
        assert [client.call("version") for client in talking] == [VERSION] * 4
        assert running.client().hung_up()
        assert [client.call("version") for client in talking] == [VERSION] * 4
        talking.pop().socket.close()
        wait_for(lambda: works(running.server.port))


def works(port):
    """Whether a new connection is served."""
    client = Raw(port)
    with contextlib.closing(client.socket), contextlib.suppress(ConnectionError):
        return client.call("version") == VERSION
    return False


@pytest.fixture
def descriptors():
    """As many as the system allows."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    raise_limit()
    yield resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_thousand_connections_are_served(descriptors):
    if descriptors < 2300:
        pytest.skip(f"only {descriptors} descriptors for both ends of a thousand connections")
    with serving(most_peers=1000) as running:
        clients = [running.client() for _ in range(1000)]
        for client in clients:
            client.socket.sendall(REQUEST)
        assert all(client.receive() == [1, 1, None, VERSION] for client in clients)
        assert running.client().hung_up()


def test_connections_beyond_the_descriptors_are_refused_and_the_rest_are_served(descriptors):
    with serving(most_peers=10_000) as running:
        good = running.client()
        assert good.call("version") == VERSION
        used = len(list_descriptors())
        kept = [Raw(running.server.port) for _ in range(100)]
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 2 * 100 + 3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        more = [socket.socket() for _ in range(2)]
        for one in more:
            one.connect(("127.0.0.1", running.server.port))
        assert good.call("tick_cue") == [[1, 8]]
        for one in (*more, *(peer.socket for peer in kept)):
            one.close()
        wait_for(lambda: works(running.server.port))


def list_descriptors():
    """Of this process."""
    return list(Path("/proc/self/fd").iterdir())


def test_the_number_of_connections_follows_the_descriptors(descriptors):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    assert most_connections() == 480
    raise_limit()
    assert most_connections() >= 480
    assert most_connections() <= 4096


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
