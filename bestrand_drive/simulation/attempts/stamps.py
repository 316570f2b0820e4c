"""When an attempt ran: stamps in UTC for people, durations from a clock that nobody can set."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timezone


def utc_stamp() -> str:
    """Now, in ISO 8601 with its offset, always UTC."""
    return datetime.fromtimestamp(time.time(), timezone.utc).isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class Span:
    """Beginning and end in UTC, and the seconds between them on the monotonic clock.

    The two need not agree: the wall clock may be set in between, and then only ``wall_s`` is right.
    """

    started: str
    ended: str
    wall_s: float


@dataclass(frozen=True)
class Stopwatch:
    """Started when it is made by ``start``."""

    started: str
    monotonic: float

    @classmethod
    def start(cls) -> Stopwatch:
        """Begin now."""
        return cls(utc_stamp(), time.monotonic())

    def stop(self) -> Span:
        """What has passed; the watch goes on."""
        return Span(self.started, utc_stamp(), round(time.monotonic() - self.monotonic, 3))
