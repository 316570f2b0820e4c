"""The crew whose workers are jobs of a batch system: they come to the mailbox when they are started, early or late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.crews.far_slot import FarSlot
from bestrand_drive.simulation.crews.mailbox_crew import MailboxCrew


class Jobs(Protocol):
    """Workers that a batch system starts, and starts again where it took their node."""

    def coming(self) -> bool:
        """Whether one of them runs or will; asked again and again."""

    def end(self) -> None:
        """Nobody needs them: who waits is cancelled, who works may leave by itself for a while."""

    @property
    def place(self) -> str:
        """Where people find what they have printed."""


class JobCrew:
    """Workers of a mailbox that a batch system was asked for; see ``Crew``.

    Args:
        crew: Of the mailbox.
        submit: Asks for them.

    Raises:
        EnvironmentFault: They cannot be had.
    """

    def __init__(self, crew: MailboxCrew, submit: Callable[[], Jobs]) -> None:
        self._crew = crew
        try:
            self._jobs = submit()
        except BaseException:
            crew.close()
            raise
        crew.awaited = self._jobs.coming

    def slots(self) -> list[FarSlot]:
        """See ``Crew``.

        Raises:
            EnvironmentFault: No job is left that could be a worker.
            OSError: The mailbox cannot be written.
        """
        slots = self._crew.slots()
        if not slots and not self._jobs.coming():
            raise EnvironmentFault(
                f"every job has ended and routes are left; what they printed is in {self._jobs.place}"
            )
        return slots

    def close(self) -> None:
        """See ``Crew``: the workers are told, then what is left of their jobs is ended."""
        self._crew.close()
        self._jobs.end()
