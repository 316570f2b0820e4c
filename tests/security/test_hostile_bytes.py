"""Bytes of any kind on a connection: messages, or the end of that connection; the others are served."""

import contextlib
import itertools
import os
import socket
import struct
from pathlib import Path

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand_drive.headless.wire.messages import Malformed, Messages
from tests.headless.fakes import Raw, serving

SEARCH = settings(max_examples=100)
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
        assert good.call("version") == VERSION
        before = memory_mib()
        for _ in range(20):
            bad = running.client()
            bad.socket.sendall(b"\x94\x00\x01\xa7version\x92\x91\xc2" + HUGE[name] + b"abc")
        for _ in range(20):
            assert good.call("version") == VERSION
        assert all(now - then < 100 for now, then in zip(memory_mib(), before, strict=True))


def memory_mib():
    """Resident size of this process, which is the server's too, and its data, touched or not."""
    sizes = Path("/proc/self/statm").read_text().split()
    return [int(sizes[field]) * os.sysconf("SC_PAGESIZE") / 2**20 for field in (1, 5)]
