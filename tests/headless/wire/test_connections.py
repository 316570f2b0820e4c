"""Sockets: malformed messages, half-open connections, several clients, slow readers, busy ports."""

import socket
import struct
import time

import msgpack
import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.headless import outbox
from bestrand_drive.headless.wire.sockets import bind
from tests.headless.fakes import PATIENCE_S, serving, wait_for

REQUEST = msgpack.packb([0, 1, "version", [[False]]])

MALFORMED = {
    "no array": msgpack.packb("hello"),
    "a number": b"\x07",
    "a map": msgpack.packb({"a": 1}),
    "reserved byte": b"\xc1",
    "extension": msgpack.packb(msgpack.ExtType(5, b"x")),
    "too few parts": msgpack.packb([0, 1, "version"]),
    "a name that is no string": msgpack.packb([0, 1, 5, []]),
    "parameters that are no array": msgpack.packb([0, 1, "version", "x"]),
    "a negative id": msgpack.packb([0, -1, "version", []]),
    "an unknown kind": msgpack.packb([9, 1, "version", []]),
    "an array of four thousand million": b"\xdd\xff\xff\xff\xff",
    "a map with a list for a key": b"\x81\x90\x01",
    "ten thousand nested arrays": b"\x91" * 10_000,
    "an HTTP request": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_messages_drop_that_peer_only(name):
    with serving() as running:
        good, bad = running.client(), running.client()
        assert good.call("version") == [[1, "0.9.16"]]
        bad.socket.sendall(MALFORMED[name])
        assert bad.hung_up()
        assert good.call("version") == [[1, "0.9.16"]]


def test_calls_before_a_malformed_one_are_answered():
    with serving() as running:
        client = running.client()
        client.socket.sendall(REQUEST + b"\xc1")
        assert client.receive() == [1, 1, None, [[1, "0.9.16"]]]
        assert client.hung_up()


def test_a_notification_is_obeyed_and_not_answered():
    with serving() as running:
        client = running.client()
        client.send(2, "tick_cue", [[True]])
        assert client.call("version") == [[1, "0.9.16"]]
        assert running.world.frame == 8


def test_half_open_connections_hold_nobody_up():
    with serving() as running:
        idle = [running.client() for _ in range(20)]
        mute = [running.mute() for _ in range(20)]
        mute[0].sendall(b"\x01\x00")
        client, took = running.client(), []
        for _ in range(50):
            started = time.monotonic()
            client.call("tick_cue")
            took.append(time.monotonic() - started)
        assert min(took) < 0.04  # a machine may be busy now and then; who waits for the mute ones does it every time
        for one in (*mute, *(each.socket for each in idle)):
            one.close()
        assert client.call("version") == [[1, "0.9.16"]]


def test_a_peer_that_resets_its_connection_is_forgotten():
    with serving() as running:
        rude = running.client()
        rude.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        rude.send(0, 1, "get_map_data", [[False]])
        rude.socket.close()
        assert running.client().call("version") == [[1, "0.9.16"]]


def test_several_clients_get_their_own_answers_and_the_same_snapshots():
    with serving() as running:
        one, two = running.client(), running.client()
        streams = [running.stream(), running.stream()]
        greetings = [stream.receive() for stream in streams]
        assert greetings[0][48:] == greetings[1][48:]
        assert one.call("tick_cue") == [[1, 8]]
        assert two.call("tick_cue") == [[1, 9]]
        assert [stream.receive() for stream in streams[:1]] == [streams[1].receive()]


def test_a_new_episode_is_announced_at_once_with_the_map_changed_bit():
    with serving() as running:
        client, stream = running.client(), running.stream()
        before = stream.receive()
        assert client.call("load_new_episode", "Town02", False, 65535) == [[False]]
        after = stream.receive()
        assert struct.unpack_from("<Q", before, 48) == (1,)
        assert struct.unpack_from("<Q", after, 48) == (2,)
        assert [struct.unpack_from("<I", one, 48 + 32) for one in (before, after)] == [(0,), (1,)]


def test_the_snapshot_goes_out_before_the_reply():
    with serving() as running:
        client, stream = running.client(), running.stream()
        stream.receive()
        client.call("tick_cue")
        stream.socket.setblocking(False)
        (length,) = struct.unpack("<I", stream.socket.recv(4))
        payload = stream.socket.recv(length)
        assert len(payload) == length == 48 + 36 + 119
        assert struct.unpack_from("<QQd", payload)[:2] == (17, 8)
        assert struct.unpack_from("<I", payload, 84) == (1,)


def test_frames_of_a_tick_after_a_spawning_batch_wait_for_the_next_call(monkeypatch):
    monkeypatch.setattr(outbox, "HOLD_S", 60.0)
    destroy = [[[1, [99]]]]
    with serving() as running:
        stream = running.world.add_stream()
        running.sensors.waiting = [(stream, b"frame")]
        client, sensor = running.client(), running.stream(stream)
        wait_for(lambda: running.server.hub.has_listener(stream))
        sensor.socket.settimeout(0.05)
        client.call("apply_batch", destroy, False)
        client.call("tick_cue")
        with pytest.raises(TimeoutError):
            sensor.receive()
        sensor.socket.settimeout(PATIENCE_S)
        client.call("version")
        assert sensor.receive() == b"frame"
        for _ in range(2):
            client.call("apply_batch", destroy, False)
            client.call("tick_cue")
        client.call("version")
        assert [sensor.receive() for _ in range(2)] == [b"frame"] * 2
        client.call("apply_batch", [], False)
        client.call("tick_cue")
        assert sensor.receive() == b"frame"  # nothing was spawned, so that it did not wait
        monkeypatch.setattr(outbox, "HOLD_S", 0.05)
        client.call("apply_batch", destroy, False)
        client.call("tick_cue")
        assert sensor.receive() == b"frame"  # it came by itself


@pytest.mark.parametrize("call", ["version", "clear_debug_shape", "enable_gbuffers", "make_coffee"])
def test_any_call_but_a_batch_lets_held_frames_out(monkeypatch, call):
    monkeypatch.setattr(outbox, "HOLD_S", 60.0)
    with serving() as running:
        stream = running.world.add_stream()
        running.sensors.waiting = [(stream, b"frame")]
        client, sensor = running.client(), running.stream(stream)
        wait_for(lambda: running.server.hub.has_listener(stream))
        client.call("apply_batch", [[[1, [99]]]], True)
        sensor.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            sensor.receive()
        sensor.socket.settimeout(PATIENCE_S)
        client.call(call)
        assert sensor.receive() == b"frame"


def test_batches_that_tick_without_end_do_not_hold_frames_without_end(monkeypatch):
    monkeypatch.setattr(outbox, "HOLD_S", 60.0)
    with serving() as running:
        number = running.world.add_stream()
        client, stream = running.client(), running.stream(number)
        wait_for(lambda: running.server.hub.has_listener(number))
        for tick in range(9):
            running.sensors.waiting = [(number, b"%d" % tick)]
            client.call("apply_batch", [[[1, [99]]]], True)
        assert [stream.receive() for _ in range(9)] == [b"%d" % tick for tick in range(9)]


def test_a_stream_without_readers_costs_nothing_and_closing_unsubscribes():
    with serving() as running:
        number = running.world.add_stream()
        stream = running.stream(number)
        wait_for(lambda: running.server.hub.has_listener(number))
        stream.socket.close()
        wait_for(lambda: not running.server.hub.has_listener(number))


def test_asynchronous_mode_runs_by_itself():
    with serving(synchronous=False) as running:
        stream = running.stream()
        frames = [struct.unpack_from("<Q", stream.receive(), 8)[0] for _ in range(4)]
        assert frames == sorted(frames)
        assert frames[-1] > frames[0]


def test_a_busy_port_is_a_fault_of_the_environment_that_names_it():
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EnvironmentFault, match=f"port {port} .* taken"):
            bind("127.0.0.1", port)


def test_an_address_of_another_machine_is_a_fault_of_the_environment():
    with pytest.raises(EnvironmentFault, match="cannot be opened"):
        bind("192.0.2.1", 0)
