"""The live table of a run on a terminal: what every slot does now; lines of ended attempts scroll above it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bestrand_drive.cli.running.run_lines import Lines, duration
from bestrand_drive.cli.running.until_text import block_line
from bestrand_drive.simulation.slots.cell import Cell, Situation
from bestrand_drive.workflows.running.judged import Judged

HEADS = ("server", "town", "route", "repeat", "attempt", "state", "tick", "speed", "since")


class LiveTable(Lines):
    """Lines, and the table below them.

    Args:
        out: A terminal.
        again: See ``Lines``.
    """

    def __init__(self, out: Console, again: Callable[[str, int], str]) -> None:
        super().__init__(out, again)
        self._live = Live(console=out, refresh_per_second=4, transient=True)
        self._sure: tuple[Text, ...] = ()

    def __enter__(self) -> LiveTable:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()

    def started(self, cell: Cell, slot: int) -> None:
        """See ``Listener``: the table tells."""

    def judged(self, judged: Judged) -> None:
        """Above the table as a line, and below it until the next one."""
        super().judged(judged)
        self._sure = (Text(block_line(judged)),)

    def look(self, situations: Sequence[Situation], waiting: int) -> None:
        """See ``Listener``."""
        self.servers = max(self.servers, len(situations))
        said = Text(self.progress(len(situations), waiting))
        self._live.update(Group(table_of(situations, time.monotonic()), said, *self._sure))


def table_of(situations: Sequence[Situation], now_s: float) -> Table:
    """What runs: one row a slot."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for head in HEADS:
        grid.add_column(head, justify="left" if head in ("town", "state") else "right")
    for one in situations:
        grid.add_row(*map(Text, row_of(one, now_s)))
    return grid


def row_of(one: Situation, now_s: float) -> tuple[str, ...]:
    """The row of a slot."""
    key = one.cell.key
    speed = "" if one.speed is None else f"{one.speed:.2f}x"
    return (
        str(one.slot),
        key.town or "",
        key.route_id,
        str(key.repeat),
        str(one.cell.number),
        one.state,
        str(one.ticks or ""),
        speed,
        duration(now_s - one.since_s),
    )
