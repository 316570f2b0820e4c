"""What several runs one after the other say while they go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from rich.console import Console

from bestrand_drive.cli.run_again import again_line
from bestrand_drive.cli.run_lines import Lines
from bestrand_drive.cli.run_live import LiveTable
from bestrand_drive.cli.tables import say
from bestrand_drive.simulation.engines.local import Listener
from bestrand_drive.workflows.probe import ProbeRun


class Progress:
    """Lines or a live table for each run, which also tell how much is still to come.

    Args:
        out: Where they go.
    """

    def __init__(self, out: Console) -> None:
        self._out = out

    def say(self, line: str) -> None:
        """One line."""
        say(self._out, line)

    @contextmanager
    def listening(self, one: ProbeRun) -> Iterator[Listener]:
        """The listener of one run."""
        again = partial(again_line, one.request)
        listener = LiveTable(self._out, again) if self._out.is_terminal else Lines(self._out, again)
        listener.several = True
        own = one.cells // one.count
        listener.later = one.cells - one.before - own
        listener.title = f"{one.entry.name} ({one.number + 1} of {one.count}): "
        self.say(f"{one.entry.name}, {one.number + 1} of {one.count}: {own} routes, {one.before} of {one.cells} before")
        with listener if isinstance(listener, LiveTable) else nullcontext():
            yield listener
