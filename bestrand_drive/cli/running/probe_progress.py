"""What several runs one after the other say while they go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from rich.console import Console

from bestrand_drive.cli.running.run_brief import BriefLines
from bestrand_drive.cli.running.run_lines import Lines
from bestrand_drive.cli.running.run_live import LiveTable
from bestrand_drive.cli.tables import say
from bestrand_drive.simulation.engines.dispatch import Listener
from bestrand_drive.workflows.running.probe_plan import ProbeRun
from bestrand_drive.workflows.running.run_again import again_line


class Progress:
    """Lines or a live table for each run, which also tell how much is still to come.

    Args:
        out: Where they go.
        brief: Whether lines, where no table is possible, leave out what goes as it should.
    """

    def __init__(self, out: Console, *, brief: bool = False) -> None:
        self._out, self._brief = out, brief

    def say(self, line: str) -> None:
        """One line."""
        say(self._out, line)

    @contextmanager
    def listening(self, one: ProbeRun) -> Iterator[Listener]:
        """The listener of one run."""
        listener = self._listener(one)
        listener.several = True
        listener.later = one.later
        listener.title = f"{one.entry.name} ({one.number + 1} of {one.count}): "
        said = f"{one.own} of {one.cells // one.count} routes to run, {one.before} of {one.cells} done before"
        self.say(f"{one.entry.name}, {one.number + 1} of {one.count}: {said}")
        with listener if isinstance(listener, LiveTable) else nullcontext():
            yield listener

    def _listener(self, one: ProbeRun) -> Lines:
        again = partial(again_line, one.request)
        if self._out.is_terminal:
            return LiveTable(self._out, again)
        return BriefLines(self._out, again, one.own) if self._brief else Lines(self._out, again)
