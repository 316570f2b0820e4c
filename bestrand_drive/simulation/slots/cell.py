"""A cell on its way: what is to be run, what is seen of it meanwhile, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bestrand_drive.benchmarks.routes import RouteFile
from bestrand_drive.simulation.attempts.key import AttemptKey
from bestrand_drive.simulation.attempts.record import Attempt

STEP_S = 0.05
"""Simulated seconds a tick in both benchmarks (20 Hz)."""


@dataclass(frozen=True)
class Cell:
    """One attempt to be made.

    Attributes:
        key: At what.
        number: Of the attempt.
        routes: The user's file that holds the route.
    """

    key: AttemptKey
    number: int
    routes: RouteFile

    @property
    def name(self) -> str:
        """Unique among the attempts of a run, and fit for a file's name."""
        return f"{self.key.folder}.{self.number}"


@dataclass(frozen=True)
class Situation:
    """What a slot does now.

    Attributes:
        slot: Its number.
        cell: What runs.
        since_s: Monotonic clock at its start.
        state: In a word or two.
        ticks: Steps of the world so far.
        speed: Simulated seconds a wall second lately, None before the first steps.
    """

    slot: int
    cell: Cell
    since_s: float
    state: str = "starts"
    ticks: int = 0
    speed: float | None = None


@dataclass(frozen=True)
class Finished:
    """An attempt that has ended; its scratch is still there.

    Attributes:
        cell: What was run.
        attempt: Its record; None when we were told to stop before it had a result.
        result: What the evaluator wrote, None without a file.
        metric_info: What the agent wrote of each step for comfort, None without.
        work: Folder of all that it wrote.
        log: Of the evaluator.
    """

    cell: Cell
    attempt: Attempt | None
    result: bytes | None
    metric_info: bytes | None
    work: Path
    log: Path


class Halt(Protocol):
    """Whether to stop."""

    @property
    def asked(self) -> bool:
        """In peace: what runs is ended with its grace."""

    @property
    def forced(self) -> bool:
        """At once."""


@dataclass(frozen=True)
class Sharing:
    """Slots of this run that may make attempts beside one, itself included.

    Attributes:
        servers: On its host.
        servers_per_gpu: Those of them on its GPU.
    """

    servers: int
    servers_per_gpu: int


Tell = Callable[[str], None]
"""Takes a sentence for people."""
