"""What a run of many short routes says to a log: how far it is, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console

from bestrand_drive.cli.running.run_lines import Lines
from bestrand_drive.simulation.engines.books import Settled
from bestrand_drive.simulation.slots.cell import Cell, Finished, Situation

PARTS = 10


class BriefLines(Lines):
    """A line a tenth or a minute, and one an attempt that has no result.

    Args:
        out: Where they go.
        again: See ``Lines``.
        count: Routes and repeats to be run.
    """

    def __init__(self, out: Console, again: Callable[[str, int], str], count: int) -> None:
        super().__init__(out, again)
        self._count = max(count, 1)
        self._parts = 0
        self._running = 0

    def started(self, cell: Cell, slot: int) -> None:
        """See ``Listener``: nothing worth a line."""

    def ended(self, finished: Finished, settled: Settled) -> None:
        """See ``Listener``."""
        if settled.attempt is None or not settled.attempt.counts:
            super().ended(finished, settled)
            return
        over = self.count(settled)
        parts = PARTS * over // self._count
        if parts > self._parts:
            self._parts = parts
            left = self._count - over
            running = min(max(self._running - 1, 0), left)
            self.say(self.progress(running, left - running))

    def look(self, situations: Sequence[Situation], waiting: int) -> None:
        """See ``Listener``."""
        self._running = len(situations)
        super().look(situations, waiting)
