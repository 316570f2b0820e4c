"""A study in words: progress while it runs, a table when it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bestrand_drive.cli.tables import console, say, sentences, table
from bestrand_drive.workflows.studying.study import StudyResult

EVERY_S = 10.0
"""Seconds between lines of progress in a log."""
HEADS = (
    *("benchmark", "metric", "keep", "k", "selector", "estimator", "MAE", "SE", "spread", "P95", "bias", "risk"),
    *("Spearman", "pairs", "top 3", "held", "worst", "width", "cost"),
)

LEGEND = (
    "MAE: mean over draws of the targets' mean absolute error, with its standard error (SE), its spread over draws and",
    "its 95th percentile (P95); bias: mean error; risk: share of draws above random's 70th percentile; Spearman,",
    "pairs, top 3: order of the targets (rank correlation, pairs put right, three best found); held: share of 95 %",
    "run intervals that held the truth (worst: for the target where least), and their width; cost: item runs of",
    "probes over N.",
)
"""What the heads of the table mean."""


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on a terminal, a line now and then in a log, both on standard error."""
    out = Console(stderr=True)
    if not out.is_terminal:
        yield _lines()
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("blocks")
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what or "blocks")


def _lines() -> Callable[[int, int, str], None]:
    last = -EVERY_S

    def told(done: int, total: int, what: str) -> None:
        nonlocal last
        if done == total or time.monotonic() - last >= EVERY_S:
            last = time.monotonic()
            print(f"{done} of {total} blocks" + (f": {what}" if what else ""), file=sys.stderr)

    return told


def print_study(result: StudyResult) -> None:
    """The table, what must be known, and where the files are."""
    out = console()
    wide = out if out.is_terminal else Console(highlight=False, width=240)
    table(wide, HEADS, [_cells(row) for row in result.rows])
    for line in LEGEND:
        say(out, line)
    sentences(out, result.notes)
    for path in result.files:
        say(out, f"written: {path}")


def _cells(row: Mapping[str, str | int | float | None]) -> list[str]:
    def number(key: str, digits: int = 3) -> str:
        value = row[key]
        if value is None:
            return "-"
        text = f"{float(value):.{digits}f}"
        return text.lstrip("-") if float(text) == 0 else text

    def amount(key: str) -> str:
        """In the metric's unit, which may be a very small or a very large one."""
        value = row[key]
        return f"{float(value):.3g}" if value and (0 < size < 1e-3 or size >= 1e6) else number(key, digits)

    size = abs(float(row["mae"] or 0))
    digits = 4 if size < 0.1 else 3 if size < 1 else 2
    words = [str(row["benchmark"]), str(row["metric"]), f"{float(row['keep'] or 0):g}", str(row["k"])]
    words += [str(row["selector"]), str(row["estimator"])]
    words += [amount(key) for key in ("mae", "mae_se", "mae_sd", "p95", "bias")]
    words += [number(key) for key in ("risk_p70", "spearman", "pairwise", "top3", "coverage95", "coverage95_worst")]
    return [*words, amount("width"), number("cost", 2)]
