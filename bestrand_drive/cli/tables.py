"""Aligned plain tables and sentences, the same on a terminal and in a log."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text


def console() -> Console:
    """Standard output; 160 columns wide when it is not a terminal, so that tables stay whole in logs."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=160)


def table(out: Console, heads: Sequence[str], rows: Sequence[Sequence[str]], *, words: Sequence[str] = ()) -> None:
    """Print rows under heads; the first column is text, the others are right-aligned, but those with these heads."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for number, head in enumerate(heads):
        grid.add_column(Text(head), justify="left" if number == 0 or head in words else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    out.print(grid)


def sentences(out: Console, lines: Sequence[str], *, mark: str = "note") -> None:
    """Print one line a sentence, each behind a mark."""
    for line in lines:
        say(out, f"{mark}: {line}")


def say(out: Console, line: str) -> None:
    """Print one line as it is; a terminal wraps it, a log keeps it whole."""
    out.print(Text(line), soft_wrap=True)


def share(part: float, whole: float) -> str:
    """A percentage of a whole, or a dash when there is none."""
    return f"{part / whole:.0%}" if whole else "-"


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names joined by commas, the rest counted."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
