"""What driver and supervisor say to each other: one order, then stop requests; events back. JSON, a line each.

The order does not travel on a command line: there, tools that look for a server by its flags would find the supervisor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Event(str, Enum):
    """What a supervisor tells."""

    STARTED = "started"
    """``pid`` and ``start`` of the command."""
    FAILED = "failed"
    """The command could not be started: ``why``."""
    EXITED = "exited"
    """The command itself has ended: ``code``; its tree may still be there."""
    STUCK = "stuck"
    """SIGKILL was long ago, and ``pids`` still run."""
    ENDED = "ended"
    """Nothing is left."""


@dataclass(frozen=True)
class Order:
    """What a supervisor shall run.

    Attributes:
        argv: The command.
        environment: All of it, marks included.
        folder: The command's working folder.
        log: File of its output, both streams.
        log_limit_bytes: Size that the log never passes.
        record: File in which the supervisor writes down its tree.
        driver: Id of the process that gives the order.
        stop_argv: Run first when the tree is to end, () for nothing: a container is ended by its own client.
        stop_limit_s: Seconds for that.
        unstarted: Exit codes of the command that make it needless: nothing was started.
        grace_s: Seconds between SIGTERM and SIGKILL when nobody says another number.
        sample_s: Seconds between looks at the tree's processes.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    log: str
    log_limit_bytes: int
    record: str
    driver: int
    stop_argv: tuple[str, ...] = ()
    stop_limit_s: float = 20.0
    unstarted: tuple[int, ...] = ()
    grace_s: float = 5.0
    sample_s: float = 5.0

    def line(self) -> bytes:
        """As it is sent; bytes of the environment that are no UTF-8 survive."""
        return json.dumps(asdict(self)).encode() + b"\n"


def read_order(line: bytes) -> Order:
    """The order of a line."""
    raw = json.loads(line)
    return Order(**raw | {name: tuple(raw[name]) for name in ("argv", "stop_argv", "unstarted")})


def event_line(event: Event, **fields: Any) -> bytes:  # noqa: ANN401  fields of JSON
    """An event as it is sent."""
    return json.dumps({"event": event.value} | fields).encode() + b"\n"


def stop_line(grace_s: float) -> bytes:
    """A stop request as it is sent."""
    return json.dumps({"grace_s": grace_s}).encode() + b"\n"
