"""Peers that send nonsense, too much, nothing, or vanish: they lose their own connection, and others are served."""

import contextlib
import itertools
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand_drive.headless.wire.budget import Budget, Crowd, most_connections, raise_limit
from bestrand_drive.headless.wire.messages import Malformed, Messages
from tests.headless.fakes import FakeWorld, Raw, serving

SEARCH = settings(max_examples=100, derandomize=True, deadline=None, database=None)
REQUEST = msgpack.packb([0, 1, "version", [[False]]])
VERSION = [[1, "0.9.16"]]
LEAF = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=9) | st.binary()
VALUE = st.recursive(
    LEAF,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)
NAME = st.sampled_from(["version", "tick_cue", "x"])
MESSAGE = st.lists(VALUE, max_size=5) | st.tuples(
    st.sampled_from([0, 1, 2]), st.integers(0, 2**32), NAME, st.lists(VALUE, max_size=3)
)
BYTES = st.binary(max_size=200) | st.lists(
    st.one_of(MESSAGE.map(msgpack.packb), st.just(REQUEST), st.binary(max_size=9)), max_size=5
).map(b"".join)


def outcome(pieces):
    """The messages in some pieces, and whether what follows them is malformed."""
    messages, found = Messages(), []
    try:
        for piece in pieces:
            messages.feed(piece)
            while (request := messages.take()) is not None:
                found.append(request)
    except Malformed:
        return repr(found), True
    return repr(found), False


@SEARCH
@given(BYTES, st.lists(st.integers(0, 400), max_size=6))
def test_any_bytes_are_messages_or_malformed_in_whatever_pieces_they_come(data, cuts):
    cuts = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    assert outcome([data]) == outcome([data[a:b] for a, b in itertools.pairwise(cuts)])


@SEARCH
@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.text(max_size=20), st.lists(VALUE, max_size=4)), max_size=4))
def test_what_is_well_formed_arrives(requests):
    data = b"".join(msgpack.packb([0, number, name, [[False], *rest]]) for number, name, rest in requests)
    found, malformed = outcome([data])
    assert not malformed
    assert found.count("Request(") == len(requests)


def test_any_bytes_on_a_connection_leave_the_others_alone():
    with serving() as running:
        good = running.client()

        @settings(SEARCH, max_examples=60)
        @given(BYTES)
        def others_are_served(data):
            with contextlib.closing(Raw(running.server.port).socket) as bad:
                bad.sendall(data)
                if len(data) % 2:
                    bad.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes by a reset
                assert good.call("version") == VERSION

        others_are_served()


def test_a_message_cut_off_anywhere_is_dropped_with_its_connection():
    with serving() as running:
        good = running.client()
        for length in range(len(REQUEST)):
            cut = Raw(running.server.port)
            cut.socket.sendall(REQUEST[:length])
            cut.socket.close()
        assert good.call("version") == VERSION


@pytest.mark.parametrize("beginning", [b"\x91", b"\xdd\x00\x00\x00\x01", b"\x81\xa1a"], ids=["lists", "long", "maps"])
@pytest.mark.parametrize("levels", [400, 1000, 100_000])
def test_deep_nesting_costs_at_most_the_connection(beginning, levels, capfd):
    with serving() as running:
        good = running.client()
        for name in ("version", "set_actor_transform", "apply_batch", "set_episode_settings"):
            bad = running.client()
            call = b"\x94\x00\x01" + msgpack.packb(name) + b"\x92\x91\xc2"
            with contextlib.suppress(OSError):  # it may hang up before all is sent
                bad.socket.sendall(call + beginning * levels + b"\x00")
            with contextlib.suppress(ConnectionError):
                assert bad.receive()[:3] == [1, 1, None]
        assert good.call("tick_cue") == [[1, 8]]
        assert "Traceback" not in capfd.readouterr().err


def test_commands_chained_without_end_are_refused(capfd):
    command = [[1, [1]]]
    for _ in range(150):
        command = [[0, [[9, "vehicle.tesla.model3", []], [[0, 0, 0], [0, 0, 0]], [False], 0, "", [command]]]]
    with serving() as running:
        client = running.client()
        client.send(0, 1, "apply_batch", [[False], [command], False])
        with contextlib.suppress(ConnectionError):
            assert client.receive()[:2] == [1, 1]
        assert running.client().call("version") == VERSION
        assert "Traceback" not in capfd.readouterr().err


HUGE = {
    "string": b"\xdb\xff\xff\xff\xff",
    "bytes": b"\xc6\xff\xff\xff\xff",
    "array": b"\xdd\xff\xff\xff\xff",
    "map": b"\xdf\xff\xff\xff\xff",
    "extension": b"\xc9\xff\xff\xff\xfe\x01",
    "short string": b"\xda\xff\xff",
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_declared_length_reserves_nothing_and_holds_nobody_up(name):
    with serving() as running:
        good = running.client()
        for _ in range(20):
            bad = running.client()
            bad.socket.sendall(b"\x94\x00\x01\xa7version\x92\x91\xc2" + HUGE[name] + b"abc")
        before = peak_mib()
        for _ in range(20):
            assert good.call("version") == VERSION
        assert peak_mib() - before < 100


def peak_mib():
    """Largest resident size of this process until now."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


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
        gone = [peer for peer in bad if is_gone(peer)]
        assert len(gone) >= 2
        assert gone[0] in bad[1::2]
        assert good.call("tick_cue") == [[1, 8]]


def is_gone(peer):
    """Whether the server hung up, within a moment."""
    peer.socket.settimeout(0.3)
    try:
        return peer.hung_up()
    except TimeoutError:
        return False


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
    from pathlib import Path

    return list(Path("/proc/self/fd").iterdir())


def test_the_number_of_connections_follows_the_descriptors(descriptors):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    assert most_connections() == 480
    raise_limit()
    assert most_connections() >= 480
    assert most_connections() <= 4096


def wait_for(condition, patience_s=5.0):
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
