"""Stream tokens: how a client finds the socket of a sensor (``streaming/detail/Token.h``)."""

from __future__ import annotations

from struct import Struct

_TOKEN = Struct("<IHBB16s")
_TCP = 1
_SAME_HOST = 0

WORLD_STREAM = 1
"""The stream of world snapshots; sensors have higher numbers."""


def pack_token(stream_id: int, port: int) -> bytes:
    """24 bytes: stream, port, protocol and an empty address, which tells the client to use the server's own host."""
    return _TOKEN.pack(stream_id, port, _TCP, _SAME_HOST, bytes(16))
