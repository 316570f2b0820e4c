"""What driver and workers tell each other: plain data, read strictly, nothing pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.models import Frozen
from bestrand_drive.simulation.attempts.record import Attempt

LETTERS: Literal[1] = 1
"""Version; driver and workers must have the same one."""
Count = Annotated[int, Field(ge=1)]


class Current(Frozen):
    """Which session is the driver's."""

    session: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class Offer(Frozen):
    """What a driver looks for workers for.

    Attributes:
        version: Of this package at the driver.
        folder: Working folder of the driver, from which its relative paths are meant.
        request: The run as it is asked for, as plain data; only who reads requests knows its fields.
        keys: Of all cells; a worker that sees other routes, another agent or checkout finds others.
    """

    letters: Literal[1] = LETTERS
    version: str
    folder: str
    request: dict[str, Any]
    keys: tuple[AttemptKey, ...]


class Hello(Frozen):
    """A worker is there.

    Attributes:
        host: Its name.
        pid: Of its process, for people.
        gpus: One entry a slot: its GPU, None where nobody chose one.
    """

    host: str
    pid: int
    gpus: Annotated[tuple[str | None, ...], Field(min_length=1)]


class Bye(Frozen):
    """A worker leaves.

    Attributes:
        answered: Orders whose answers it has put down; what else it was given it did not begin.
        fault: Why nothing can be run there; "" when it was told to leave.
    """

    answered: tuple[Count, ...]
    fault: str = ""


class Order(Frozen):
    """One attempt to be made.

    Attributes:
        key: At what.
        number: Of the attempt.
        slot: Of the worker, from 0.
        servers: See ``Sharing``.
        servers_per_gpu: See ``Sharing``.
    """

    key: AttemptKey
    number: Count
    slot: Annotated[int, Field(ge=0)]
    servers: Count
    servers_per_gpu: Count


class Told(Frozen):
    """What a worker tells of an attempt, but for its files.

    Attributes:
        attempt: Its record; None when it was told to stop before there was a result.
        kept: What there is to say of what was kept of it.
        fault: Why nothing can be run there any more; "" otherwise.
    """

    attempt: Attempt | None
    kept: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Answer:
    """All that a worker gives back of an attempt; its logs lie in the run folder already.

    Attributes:
        told: Record and remarks.
        result: What the evaluator wrote, verbatim; None without a file.
        metric_info: What the agent wrote of each step, None without.
    """

    told: Told
    result: bytes | None = None
    metric_info: bytes | None = None


class Seen(Frozen):
    """What one slot of a worker does, see ``Situation``."""

    order: Count
    state: str
    ticks: int
    speed: float | None


class Pulse(Frozen):
    """The worker's or the driver's heartbeat: it counts, and no clock is in it."""

    count: int
    slots: tuple[Seen, ...] = ()

    def of(self, order: int) -> tuple[str, int, float | None] | None:
        """State, ticks and speed of the slot that has an order; None where none has."""
        return next(((one.state, one.ticks, one.speed) for one in self.slots if one.order == order), None)
