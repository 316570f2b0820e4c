"""What waits for slow readers: whole messages, within bounds, and nobody pays for the others."""

from __future__ import annotations

import random
import socket
import struct
import time

import pytest

from bestrand_drive.headless.wire import streams
from bestrand_drive.headless.wire.backlog import Backlog, Message
from bestrand_drive.headless.wire.layouts import LENGTH
from tests.headless.fakes import Raw, Running, Stream, serving, wait_for

FRAME = 1 << 18
LIMIT = 1 << 20
KERNEL = 32 << 20
"""More than the sockets of both sides take before the server has to keep anything."""
SETTLED_S = 0.3
"""The kernel acknowledges up to 0.2 s late (TCP_DELACK_MAX); only then does the other side's buffer take some more."""


def settle(running: Running, client: Raw) -> None:
    """Until nobody's socket takes anything more; an answer shows that the server has looked at all of them again."""

    def settled() -> bool:
        client.call("version")
        return all(peer.idle_s > SETTLED_S for peer in tuple(running.server.hub.backlog._lagging))

    wait_for(settled)


def listen(running: Running, *, readers: int) -> tuple[int, list[Stream]]:
    """A new stream with so many readers."""
    stream = running.world.add_stream()
    opened = [running.stream(stream) for _ in range(readers)]
    wait_for(lambda: len(running.server.hub._listeners.get(stream, ())) == readers)
    return stream, opened


def frame(number: int, size: int = FRAME) -> bytes:
    return struct.pack("<I", number) * (size // 4)


class Reader:
    """A peer without a socket."""

    def __init__(self, backlog: Backlog) -> None:
        self.backlog, self.held = backlog, 0

    def wait_for(self, count: int) -> None:
        self.held += count
        self.backlog.grow(self, count)

    def close(self) -> None:
        held, self.held = self.held, 0
        self.backlog.shrink(self, held)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_left_of_a_message(seed: int) -> None:
    pick = random.Random(seed)
    pieces = tuple(pick.randbytes(pick.choice((0, 1, 2, 50))) for _ in range(pick.randint(1, 6)))
    whole, message, sent = b"".join(pieces), Message(pieces), 0
    while sent < len(whole):
        step = pick.randint(0, min(30, len(whole) - sent))
        message.advance(step)
        sent += step
        assert b"".join(message.pieces) == whole[sent:]
        assert message.begun == (sent > 0)
    assert not any(map(len, message.pieces))


def test_a_piece_that_occurs_many_times_is_held_once() -> None:
    row = bytes(1000)
    assert Message((b"head", *[row] * 50)).held - Message((b"head", row)).held == 0
    assert Message((row, bytes(bytearray(1000)))).held - Message((row,)).held == 1000


def test_past_the_limit_of_all_the_one_that_took_nothing_for_the_longest_is_dropped() -> None:
    backlog = Backlog(100)
    one, two, three = Reader(backlog), Reader(backlog), Reader(backlog)
    for each in (one, two, three):
        each.wait_for(30)
    backlog.moved(one)
    three.wait_for(30)
    assert [one.held, two.held, three.held] == [30, 0, 60]
    three.wait_for(30)  # the culprit itself, when it is the one that takes nothing
    assert [one.held, two.held, three.held] == [30, 0, 0]
    assert backlog.held == 30


def test_a_slow_reader_of_a_sensor_gets_whole_frames_in_order_and_the_newest() -> None:
    count = KERNEL // FRAME
    with serving(limit_bytes=LIMIT) as running:
        stream, (slow, quick) = listen(running, readers=2)
        client = running.client()
        for number in range(count):
            running.sensors.waiting = [(stream, frame(number))]
            client.call("tick_cue")
            assert quick.receive() == frame(number)
        assert running.server.hub.backlog.held <= LIMIT + 2 * FRAME
        numbers = []
        while not numbers or numbers[-1] != count - 1:
            body = slow.receive()
            (number,) = struct.unpack_from("<I", body)
            assert body == frame(number)
            numbers.append(number)
        assert numbers == sorted(set(numbers))
        assert len(numbers) < count  # the control: some were given up
        running.sensors.waiting = [(stream, frame(count))]
        client.call("tick_cue")
        assert slow.receive() == quick.receive() == frame(count)


def test_a_frame_larger_than_the_limit_arrives_whole() -> None:
    size = 4 * LIMIT
    with serving(limit_bytes=LIMIT) as running:
        stream, (slow,) = listen(running, readers=1)
        client = running.client()
        for number in range(12):
            running.sensors.waiting = [(stream, frame(number, size))]
            client.call("tick_cue")
        assert running.server.hub.backlog.held < 3 * size
        numbers = []
        while not numbers or numbers[-1] != 11:
            body = slow.receive()
            numbers.append(struct.unpack_from("<I", body)[0])
            assert body == frame(numbers[-1], size)


def test_a_reader_of_snapshots_that_lags_is_dropped_and_not_starved() -> None:
    with serving(limit_bytes=LIMIT) as running:
        for _ in range(2000):
            running.world.add_stream()
        slow, quick, client = running.stream(), running.stream(), running.client()
        quick.receive()
        hub = running.server.hub
        wait_for(lambda: len(hub._listeners.get(1, ())) == 2)
        for _ in range(KERNEL // (2000 * 119)):
            client.call("tick_cue")
            last = quick.receive()
        assert len(hub._listeners[1]) == 1
        wait_for(lambda: hub.backlog.held == 0)  # a reader may have its bytes before the server has counted them off
        assert slow.ends()
        back = running.stream()  # as the client does by itself
        assert back.receive()[48:] == last[48:]


def test_readers_that_take_nothing_are_dropped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(limit_bytes=LIMIT) as running:
        stream, (slow, quick) = listen(running, readers=2)
        client, hub = running.client(), running.server.hub
        running.sensors.waiting = [(stream, frame(7))]
        for _ in range(KERNEL // FRAME):
            client.call("tick_cue")
            quick.receive()
        assert len(hub._listeners[stream]) == 2  # the control: lagging alone is no reason
        settle(running, client)
        monkeypatch.setattr(streams, "STALL_S", 0.0)
        for _ in range(streams.STALL_FRAMES):  # were its socket to take a last piece late, the count begins anew
            client.call("tick_cue")
            quick.receive()
        assert len(hub._listeners[stream]) == 1
        assert slow.ends()


def test_a_pause_alone_is_no_reason_to_drop_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STALL_S", 0.0)
    with serving(limit_bytes=LIMIT) as running:
        stream, (paused,) = listen(running, readers=1)
        client = running.client()
        for number in range(5):
            running.sensors.waiting = [(stream, frame(number, 8 * LIMIT))]
            client.call("tick_cue")
        assert running.server.hub.backlog.held > 8 * LIMIT  # the control: something waits
        last = b""
        while last != frame(4, 8 * LIMIT):
            last = paused.receive()


def test_who_takes_something_now_and_then_is_never_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "STALL_S", 0.0)
    with serving(limit_bytes=LIMIT) as running:
        stream, (trickle,) = listen(running, readers=1)
        client, hub = running.client(), running.server.hub
        running.sensors.waiting = [(stream, frame(1, 8 * LIMIT))]
        for _ in range(3):
            for _ in range(streams.STALL_FRAMES - 3):
                client.call("tick_cue")
            (peer,) = hub._listeners[stream]
            before = peer._moved_s
            while peer._moved_s == before:
                assert trickle.socket.recv(LIMIT)
        settle(running, client)
        for _ in range(streams.STALL_FRAMES + 3):
            client.call("tick_cue")
        assert not hub.has_listener(stream)  # the control


def test_thirty_readers_that_never_read_hold_no_more_than_all_may_and_the_good_one_gets_everything() -> None:
    total = 8 * LIMIT
    with serving(limit_bytes=LIMIT) as running:
        backlog = running.server.hub.backlog
        backlog.limit_bytes = total
        stream, (good, *mute) = listen(running, readers=31)
        client, most = running.client(), 0
        for number in range(KERNEL // FRAME):
            running.sensors.waiting = [(stream, frame(number))]
            client.call("tick_cue")
            assert good.receive() == frame(number)
            most = max(most, backlog.held)
        left = len(running.server.hub._listeners[stream])
        assert total - LIMIT - 2 * FRAME < most <= total  # the control: the limit was reached
        assert 1 < left < 31
        assert len(mute) == 30


def test_who_reads_slowly_is_spared_and_who_reads_nothing_is_not() -> None:
    with serving(limit_bytes=LIMIT) as running:
        stream, (trickle, mute) = listen(running, readers=2)
        client, hub = running.client(), running.server.hub
        for number in range(3):
            running.sensors.waiting = [(stream, frame(number, KERNEL))]
            client.call("tick_cue")
        settle(running, client)  # whatever the mute one's socket takes later would count as reading
        peers = hub._listeners[stream]
        assert all(peer.held for peer in peers)
        slow = next(peer for peer in peers if peer._socket.getpeername() == trickle.socket.getsockname())
        before = slow._moved_s
        while slow._moved_s == before:
            assert trickle.socket.recv(LIMIT)
        settle(running, client)  # or less might be held when the frame comes than now
        assert slow.held
        hub.backlog.limit_bytes = hub.backlog.held - 1
        running.sensors.waiting = [(stream, frame(9))]
        client.call("tick_cue")
        assert hub._listeners[stream] == [slow]
        assert mute.ends()


def test_a_caller_that_never_reads_its_answers_is_answered_no_further_and_others_go_on() -> None:
    with serving() as running:
        backlog = running.server.hub.backlog
        running.world.opendrive = "x" * LIMIT
        rude, good = running.client(), running.client()
        for number in range(2 * KERNEL // LIMIT):
            rude.send(0, number, "get_map_data", [[False]])
            assert good.call("version") == [[1, "0.9.16"]]
            assert backlog.held < 2 * LIMIT
        wait_for(lambda: backlog.held >= LIMIT)  # for a moment, between one answer and the next, it may hold none
        assert good.call("get_map_data") == [[1, "x" * LIMIT]]
        rude.socket.close()
        wait_for(lambda: backlog.held == 0)


def test_answers_share_the_limit_of_all_and_whoever_took_nothing_for_the_longest_is_dropped() -> None:
    answer = [1, 1, None, [[1, "x" * KERNEL]]]
    with serving() as running:
        backlog = running.server.hub.backlog
        backlog.limit_bytes = 2 * KERNEL + LIMIT
        running.world.opendrive = "x" * KERNEL
        first, *others = callers = [running.client() for _ in range(3)]
        for caller in callers[:2]:
            before = backlog.held
            caller.send(0, 1, "get_map_data", [[False]])
            wait_for(lambda before=before: backlog.held >= before + KERNEL)
            settle(running, others[1])  # so that who was asked first is also the one that took something first
        others[1].send(0, 1, "get_map_data", [[False]])
        with pytest.raises(ConnectionError):
            first.receive()
        assert [other.receive() for other in others] == [answer] * 2
        wait_for(lambda: backlog.held == 0)


def test_in_asynchronous_mode_a_slow_reader_misses_the_frames_that_it_has_no_time_for() -> None:
    with serving(limit_bytes=8 * LIMIT) as running:
        running.world.settings.synchronous_mode = False
        running.world.settings.fixed_delta_seconds = 0.001
        stream, (slow,) = listen(running, readers=1)
        running.sensors.waiting = [(stream, frame(1, LIMIT))]
        began = running.world.frame
        wait_for(lambda: running.world.frame > began + 60)
        assert running.server.hub.backlog.held <= LIMIT + FRAME  # what has begun, and no second one
        for _ in range(3):
            assert slow.receive() == frame(1, LIMIT)


def test_a_stream_that_does_not_exist_is_answered_with_an_error_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "REFUSAL_S", 0.3)
    with serving() as running:
        began = time.monotonic()
        lost = running.stream(4242)
        assert lost.socket.recv(100) == LENGTH.pack(0)
        assert lost.socket.recv(100) == b""
        assert time.monotonic() - began >= 0.3  # clients come back at once, thousands of times a second
        assert not running.server.hub.has_listener(4242)
        gone = running.stream(4243)
        gone.socket.shutdown(socket.SHUT_RDWR)
        stream, (found,) = listen(running, readers=1)
        running.sensors.waiting = [(stream, b"here")]
        running.client().call("tick_cue")
        assert found.receive() == b"here"


def test_the_stream_of_a_destroyed_sensor_is_kept_until_the_client_leaves_but_not_given_again() -> None:
    with serving() as running:
        stream, (early,) = listen(running, readers=1)
        (sensor,) = [actor for actor in running.world.actors.values() if actor.stream_id == stream]
        running.client().call("destroy_actor", sensor.id)
        running.sensors.waiting = [(stream, b"last")]
        running.client().call("tick_cue")
        assert early.receive() == b"last"
        assert running.stream(stream).socket.recv(100) == LENGTH.pack(0)
