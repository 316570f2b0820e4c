"""What waits for readers that are slower than the server, counted and bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

LARGEST_BACKLOG = 1 << 28
"""Bytes that may be held for all peers together: 256 MiB."""
_BOOKKEEPING = 200  # bytes that a waiting message takes beside its content


class Laggard(Protocol):
    """A peer for which something waits."""

    held: int

    def close(self) -> None:
        """Drop the connection and what waits for it."""


class Backlog:
    """What waits for all peers together. Past the limit, whoever has taken nothing for the longest is dropped.

    Attributes:
        limit_bytes: What may be held.
        held: What is held, bytes.
    """

    def __init__(self, limit_bytes: int = LARGEST_BACKLOG) -> None:
        self.limit_bytes = limit_bytes
        self.held = 0
        self._lagging: dict[Laggard, None] = {}  # who took something last comes last

    def grow(self, peer: Laggard, count: int) -> None:
        """So many bytes more are held for ``peer``."""
        self._lagging.setdefault(peer)
        self.held += count
        while self.held > self.limit_bytes:
            next(iter(self._lagging)).close()

    def shrink(self, peer: Laggard, count: int) -> None:
        """So many are held no more."""
        self.held -= count
        if not peer.held:
            del self._lagging[peer]

    def moved(self, peer: Laggard) -> None:
        """``peer`` has taken something."""
        del self._lagging[peer]
        self._lagging[peer] = None


class Message:
    """What is left to send of one message, in pieces; a piece that occurs many times is held once.

    Attributes:
        pieces: What is left.
        held: Bytes of memory until the last byte is sent.
        begun: Something of it is sent, so that the rest must follow.
    """

    __slots__ = ("begun", "held", "pieces")

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.pieces: Sequence[bytes | memoryview] = pieces
        self.held = _BOOKKEEPING + sum({id(piece): len(piece) for piece in pieces}.values())
        self.begun = False

    def advance(self, sent: int) -> None:
        """So many bytes are sent."""
        if not sent:
            return
        self.begun = True
        whole = 0
        while whole < len(self.pieces) and sent >= len(self.pieces[whole]):
            sent -= len(self.pieces[whole])
            whole += 1
        rest = self.pieces[whole:]
        self.pieces = (memoryview(rest[0])[sent:], *rest[1:]) if sent else rest
