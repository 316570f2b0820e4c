"""Stream tokens: how a client finds the socket of a sensor (``streaming/detail/Token.h``)."""

from __future__ import annotations

from struct import Struct

_TOKEN = Struct("<IHBB16s")
_TCP = 1
_SAME_HOST = 0

WORLD_STREAM = 1
"""The stream of world snapshots; sensors have higher numbers."""
_ALIAS = 1 << 31


def world_alias(number: int) -> int:
    """Another name of the world's stream.

    The client keeps its subscriptions by stream. When it enters a new episode while one of its threads is still busy
    with a snapshot of the old one, it subscribes before it unsubscribes: under one name the new subscription is then
    freed while its socket is in use, and the process aborts ("close: Bad file descriptor") or crashes. So everyone who
    asks is told a name of its own.
    """
    return _ALIAS | number % _ALIAS


def plain_stream(stream_id: int) -> int:
    """The stream that a name stands for."""
    return WORLD_STREAM if stream_id & _ALIAS else stream_id


def pack_token(stream_id: int, port: int) -> bytes:
    """24 bytes: stream, port, protocol and an empty address, which tells the client to use the server's own host."""
    return _TOKEN.pack(stream_id, port, _TCP, _SAME_HOST, bytes(16))
