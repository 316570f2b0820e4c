"""Sensor streams: a client opens one connection each, names the stream in 4 bytes, then only the server writes.

Each message is a ``u32`` length and the payload. In asynchronous mode CARLA skips messages for a connection that still
has one to send (``streaming/detail/tcp/ServerSession.cpp``); in synchronous mode none may be lost, so they wait here,
up to a limit of bytes after which the reader is dropped.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable, Sequence

from bestrand_drive.headless.wire.layouts import LENGTH
from bestrand_drive.headless.wire.sockets import Peer
from bestrand_drive.headless.wire.tokens import plain_stream

LARGEST_BACKLOG = 1 << 28
"""Bytes that may wait for one reader: thirty full-HD camera frames."""


def _no_greeting(_stream_id: int) -> None:
    """Nothing to say to a new listener."""


class StreamHub:
    """Who listens to which stream.

    Args:
        greeting: What a new listener of a stream is sent at once, or none.
        limit_bytes: What may wait for one reader.
    """

    def __init__(
        self, greeting: Callable[[int], Sequence[bytes] | None] = _no_greeting, limit_bytes: int = LARGEST_BACKLOG
    ) -> None:
        self.limit_bytes = limit_bytes
        self._greeting = greeting
        self._listeners: dict[int, list[StreamPeer]] = {}

    def has_listener(self, stream_id: int) -> bool:
        """Whether anyone listens to a stream."""
        return stream_id in self._listeners

    def publish(self, stream_id: int, parts: Sequence[bytes], *, may_skip: bool) -> None:
        """Send one message to all listeners of a stream.

        Args:
            stream_id: The stream.
            parts: The payload in pieces; they travel as one write.
            may_skip: Readers that lag may miss it (asynchronous mode).
        """
        listeners = self._listeners.get(stream_id)
        if not listeners:
            return
        message = _message(parts)
        for peer in tuple(listeners):
            peer.offer(message, may_skip=may_skip)

    def join(self, stream_id: int, peer: StreamPeer) -> None:
        """A connection has named its stream."""
        self._listeners.setdefault(stream_id, []).append(peer)
        greeting = self._greeting(stream_id)
        if greeting is not None:
            peer.offer(_message(greeting), may_skip=False)

    def leave(self, stream_id: int, peer: StreamPeer) -> None:
        """A connection is gone."""
        rest = [other for other in self._listeners.get(stream_id, []) if other is not peer]
        if rest:
            self._listeners[stream_id] = rest
        else:
            self._listeners.pop(stream_id, None)


def _message(parts: Sequence[bytes]) -> bytes:
    """Length and payload as one piece."""
    return b"".join((LENGTH.pack(sum(map(len, parts))), *parts))


class StreamPeer(Peer):
    """One client's connection to one stream."""

    def __init__(self, connection: socket.socket, selector: selectors.BaseSelector, hub: StreamHub) -> None:
        super().__init__(connection, selector, hub.limit_bytes)
        self._hub = hub
        self._request = b""
        self._stream_id: int | None = None
        self._skipped_bytes = 0

    def received(self, data: bytes) -> None:
        """The first four bytes name the stream; nothing after them matters."""
        if self._stream_id is not None:
            return
        self._request += data[: LENGTH.size]
        if len(self._request) >= LENGTH.size:
            self._stream_id = plain_stream(*LENGTH.unpack_from(self._request))
            self._hub.join(self._stream_id, self)

    def offer(self, message: bytes, *, may_skip: bool) -> None:
        """Send a message, or skip it for a reader that lags; one that takes nothing for too long is dropped."""
        if not (may_skip and self.unsent):
            self._skipped_bytes = 0
            self.send(message)
            return
        self._skipped_bytes += len(message)
        if self._skipped_bytes > self._limit_bytes:
            self.close()

    def lost(self) -> None:
        """Leave the stream."""
        if self._stream_id is not None:
            self._hub.leave(self._stream_id, self)
