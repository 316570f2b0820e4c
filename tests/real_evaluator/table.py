"""The rows of a run as a table for people."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from tests.real_evaluator.driving import Row, as_json

HEAD = ("route", "town", "scenario type", "agent", "status", "driving score", "completion %", "game s", "wall s",
        "scenario set up", "runs", "re-runs")  # fmt: skip


def markdown(rows: Sequence[Row]) -> str:
    """A summary and a table; runs of one route that ended alike share a line."""
    lines = [summary(rows), "", _line(HEAD), _line(["---"] * len(HEAD))]
    for runs in _by_route(rows):
        alike = all(row.scored() == runs[0].scored() for row in runs)
        lines += [_cells(runs)] if alike else [_cells([row]) for row in runs]
    return "\n".join(lines) + "\n"


def _cells(runs: Sequence[Row]) -> str:
    """The line of runs that ended alike."""
    row, wall_s = runs[0], sum(run.wall_s for run in runs) / len(runs)
    set_up = "yes" if row.scenario_run else f"no: {row.left_out}"
    figures = (f"{row.driving_score:.1f}", f"{row.completion:.1f}", f"{row.game_s:.1f}", f"{wall_s:.1f}")
    counts = (str(len(runs)), str(sum(run.reruns for run in runs)))
    return _line((row.route, row.town, row.scenarios, row.agent, row.status, *figures, set_up, *counts))


def _by_route(rows: Sequence[Row]) -> list[list[Row]]:
    """The runs of each route and agent, in order of the first."""
    runs = defaultdict(list)
    for row in rows:
        runs[row.evaluator, row.agent, row.route].append(row)
    return list(runs.values())


def summary(rows: Sequence[Row]) -> str:
    """How many ended how, and how alike repeats were."""
    counts = Counter(row.status or "without record" for row in rows).most_common()
    statuses = ", ".join(f"{count} {status}" for status, count in counts)
    game_s, wall_s = sum(row.game_s for row in rows), sum(row.wall_s for row in rows)
    text = (
        f"{len(rows)} runs: {statuses}. Scenario set up in {sum(row.scenario_run for row in rows)}. "
        f"Mean driving score {_mean(row.driving_score for row in rows):.1f}, completion "
        f"{_mean(row.completion for row in rows):.1f} %. {game_s:.0f} s of game in {wall_s:.0f} s. "
        f"Known faults of the client, run again: {sum(row.reruns for row in rows)}."
    )
    same, repeated = repeats(rows)
    return f"{text} Driven twice or more: {repeated} routes, {same} with equal results." if repeated else text


def _mean(values: Iterable[float]) -> float:
    """Of those that are numbers: a run that the simulation ended has no score."""
    numbers = [value for value in values if not math.isnan(value)]
    return fmean(numbers) if numbers else math.nan


def repeats(rows: Sequence[Row]) -> tuple[int, int]:
    """Routes whose runs all ended alike (see ``Row.scored``), of those with several runs."""
    several = [runs for runs in _by_route(rows) if len(runs) > 1]
    return sum(all(row.scored() == runs[0].scored() for row in runs) for runs in several), len(several)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


def write(folder: Path, rows: Sequence[Row]) -> None:
    """``table.json`` and ``table.md``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.json").write_text(as_json(rows))
    (folder / "table.md").write_text(markdown(rows))
