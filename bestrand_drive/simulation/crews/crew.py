"""What the engine asks of a crew and of its slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bestrand_drive.simulation.slots.cell import Cell, Finished, Sharing, Situation


class Runner(Protocol):
    """One slot: makes one attempt at a time; of no attempt's outcome does it know more than is in its record.

    Attributes:
        number: Another one for each slot that was ever there in this start.
        host: Where its attempts are made.
    """

    number: int
    host: str

    @property
    def situation(self) -> Situation | None:
        """What it does now; asked from another thread."""

    @property
    def gpu_name(self) -> str | None:
        """The GPU that it shares with other slots of its host; None when nobody chose one."""

    def run(self, cell: Cell, sharing: Sharing) -> Finished:
        """Make an attempt; its record has the reason ``worker_lost`` when nobody knows what became of it."""

    def tidy(self, finished: Finished) -> str:
        """Keep what is to be kept of an attempt, and remove the rest, where it was made; what there is to say.

        It is stored before: what fails here, such as the end of a server, loses no attempt.
        """

    def close(self) -> None:
        """End what it keeps between attempts; it may be given another one later."""


class Crew(Protocol):
    """Who makes attempts."""

    def slots(self) -> Sequence[Runner]:
        """Those that are there now; asked at every step, from one thread.

        One that is gone is given nothing more; what it runs comes back all the same, by what ``run`` returns.
        """

    def close(self) -> None:
        """No more attempts; every slot was closed before."""
