"""What requests that are not whole may make the server hold, and how many connections there may be."""

from __future__ import annotations

import resource
from typing import Protocol

LARGEST_TOTAL = 1 << 28
"""Bytes of requests that are not whole, over all connections; what was not taken is bounded by the ``Backlog``."""
_MOST = 4096
_RESERVE = 64
"""Descriptors kept free for files, the ports themselves and libraries."""


class Holder(Protocol):
    """A connection."""

    @property
    def closed(self) -> bool:
        """Whether it is gone."""

    @property
    def spoke(self) -> bool:
        """Whether it ever said what it wants."""

    def close(self) -> None:
        """Drop it."""


class Budget:
    """Bytes held for each connection; where all are too many, the one that holds most is dropped.

    Attributes:
        limit_bytes: What all may hold together.
    """

    def __init__(self, limit_bytes: int = LARGEST_TOTAL) -> None:
        self.limit_bytes = limit_bytes
        self._held: dict[Holder, int] = {}
        self._total = 0

    def note(self, holder: Holder, size: int) -> None:
        """So many bytes are held for a connection now."""
        if size or holder in self._held:
            self._total += size - self._held.pop(holder, 0)
            if size:
                self._held[holder] = size
            if self._total > self.limit_bytes:
                max(self._held, key=self._held.__getitem__).close()


class Crowd:
    """The connections of one port: never more than ``most``.

    Where one too many comes, the oldest goes that has not said yet what it wants, so that silent connections shut
    nobody out; if all have, the new one is turned away.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._members: list[Holder] = []

    def join(self, newcomer: Holder) -> None:
        """A connection was accepted."""
        self._members = [member for member in self._members if not member.closed]
        self._members.append(newcomer)
        if len(self._members) > self._most:
            loser = next((member for member in self._members if not member.spoke), newcomer)
            self._members.remove(loser)
            loser.close()


def raise_limit() -> None:
    """Let this process have as many descriptors as the system allows it, up to what a crowd on both ports needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _MOST + _RESERVE
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_connections() -> int:
    """How many connections each of the two ports can hold: half of the descriptors that this process may open."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST if soft == resource.RLIM_INFINITY else min(_MOST, max((soft - _RESERVE) // 2, 1))
