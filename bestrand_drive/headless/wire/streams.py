"""Sensor streams: a client opens one connection each, names the stream in 4 bytes, then only the server writes.

Each message is a ``u32`` length and the payload; a length of 0 is an error. In asynchronous mode CARLA skips messages
for a connection that still has one to send, in synchronous mode its tick waits for the slowest reader
(``streaming/detail/tcp/ServerSession.cpp``). Here no reader holds the world up: messages wait, up to a limit. Past it a
sensor's oldest whole frames are given up, so that the newest always arrive. Of snapshots none may be missed, because a
client's tick waits for its own: there the connection is dropped, and the client opens a new one.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence

from bestrand_drive.headless.wire.backlog import Backlog
from bestrand_drive.headless.wire.layouts import LENGTH
from bestrand_drive.headless.wire.sockets import Peer
from bestrand_drive.headless.wire.tokens import WORLD_STREAM, plain_stream

LARGEST_LAG = 1 << 25
"""Bytes that may be held for one reader: 32 MiB."""
STALL_S, STALL_FRAMES = 10.0, 20
"""A reader that took nothing for so long, while it missed so many frames of a sensor, is dropped."""
REFUSAL_S = 1.0
"""Until a listener of no stream gets its error: the client asks again at once, thousands of times a second."""
_GATHERED = 1 << 16  # below this many bytes copying is cheaper than sending in pieces
_ERROR = LENGTH.pack(0)


class StreamHub:
    """Who listens to which stream.

    Attributes:
        backlog: Bounds what waits for all readers together, and for callers that do not take their answers.
        limit_bytes: What may wait for one reader.
    """

    def __init__(
        self,
        greeting: Callable[[int], Sequence[bytes] | None] = lambda _stream_id: None,
        exists: Callable[[int], bool] = lambda _stream_id: True,
        limit_bytes: int = LARGEST_LAG,
    ) -> None:
        """Nobody listens yet.

        Args:
            greeting: What a new listener of a stream is sent at once, or none.
            exists: Whether there is such a stream.
            limit_bytes: What may wait for one reader.
        """
        self.backlog = Backlog()
        self.limit_bytes = limit_bytes
        self._greeting = greeting
        self._exists = exists
        self._listeners: dict[int, list[StreamPeer]] = {}
        self._strangers: deque[tuple[float, StreamPeer]] = deque()

    def has_listener(self, stream_id: int) -> bool:
        """Whether anyone listens to a stream."""
        return stream_id in self._listeners

    def publish(self, stream_id: int, parts: Sequence[bytes], *, may_skip: bool) -> None:
        """Send one message to all listeners of a stream.

        Args:
            stream_id: The stream.
            parts: The payload in pieces.
            may_skip: Readers that lag may miss it (asynchronous mode).
        """
        listeners = self._listeners.get(stream_id)
        if not listeners:
            return
        message = _message(parts)
        for peer in tuple(listeners):
            peer.offer(message, may_skip=may_skip)

    def join(self, stream_id: int, peer: StreamPeer) -> None:
        """A connection has named its stream; if it does not exist, it gets an error in a while."""
        if not self._exists(stream_id):
            self._strangers.append((time.monotonic() + REFUSAL_S, peer))
            return
        self._listeners.setdefault(stream_id, []).append(peer)
        greeting = self._greeting(stream_id)
        if greeting is not None:
            peer.offer(_message(greeting), may_skip=False)

    def refuse_due(self) -> None:
        """Answer those who named no stream, if their time has come, and close their connections."""
        while self._strangers and time.monotonic() >= self._strangers[0][0]:
            _, peer = self._strangers.popleft()
            peer.send(_ERROR)
            peer.close()

    def leave(self, stream_id: int, peer: StreamPeer) -> None:
        """A connection is gone."""
        rest = [other for other in self._listeners.get(stream_id, []) if other is not peer]
        if rest:
            self._listeners[stream_id] = rest
        else:
            self._listeners.pop(stream_id, None)

    def hang_up(self) -> None:
        """Close every connection; clients open new ones by themselves."""
        for peer in [peer for listeners in self._listeners.values() for peer in listeners]:
            peer.close()


def _message(parts: Sequence[bytes]) -> Sequence[bytes]:
    """Length and payload, in one piece where it is small."""
    size = sum(map(len, parts))
    whole = (LENGTH.pack(size), *parts)
    return (b"".join(whole),) if size < _GATHERED else whole


class StreamPeer(Peer):
    """One client's connection to one stream."""

    def __init__(self, connection: socket.socket, selector: selectors.BaseSelector, hub: StreamHub) -> None:
        super().__init__(connection, selector, hub.backlog)
        self._hub = hub
        self._limit_bytes = hub.limit_bytes
        self._request = b""
        self._stream_id: int | None = None

    @property
    def spoke(self) -> bool:
        """Whether it has named its stream."""
        return self._stream_id is not None

    def received(self, data: bytes) -> None:
        """The first four bytes name the stream; nothing after them matters."""
        if self._stream_id is not None:
            return
        self._request += data[: LENGTH.size]
        if len(self._request) >= LENGTH.size:
            self._stream_id = plain_stream(*LENGTH.unpack_from(self._request))
            self._hub.join(self._stream_id, self)

    def offer(self, message: Sequence[bytes], *, may_skip: bool) -> None:
        """Send a message, or skip it for a reader that lags."""
        if may_skip and self.held:
            self.missed += 1
        else:
            self.send(*message)
        if self.missed >= STALL_FRAMES and self.idle_s > STALL_S and self._stream_id != WORLD_STREAM:
            self.close()

    def grew(self) -> None:
        """Past the limit of one reader: of a sensor's frames the newest matter; of snapshots all."""
        if self._stream_id == WORLD_STREAM and self.held > self._limit_bytes:
            self.close()
        while self.held > self._limit_bytes and self.forget_oldest():
            pass

    def lost(self) -> None:
        """Leave the stream."""
        if self._stream_id is not None:
            self._hub.leave(self._stream_id, self)
