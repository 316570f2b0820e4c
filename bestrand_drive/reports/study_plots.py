"""Plots of a study: error, and coverage of intervals, over the share of items kept or over what a sweep varied."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import log10
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from bestrand_drive.files import write_atomic

Row = Mapping[str, str | int | float | None]
Line = tuple[list[float], list[float], list[float]]
"""Places, values, and two standard errors (0 where unknown)."""
COLOURS = 10
"""Lines that colour tells apart; those after them are dashed, then dotted."""
DASHES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Drawing:
    """What one figure shows.

    Attributes:
        title: Over it.
        axis: What lies along it.
        lines: Name and points of each line, a point's place before its row.
        ticks: Names of the places 0, 1, ...; empty for numbers.
    """

    title: str
    axis: str
    lines: Mapping[str, Sequence[tuple[float, Row]]]
    ticks: Sequence[str] = ()


def write_plots(rows: Sequence[Row], folder: Path) -> list[Path]:
    """One SVG a benchmark and metric, of sweeps one a quantity that was varied; the same rows give the same bytes.

    Args:
        rows: Of a study, with ``benchmark``, ``selector``, ``estimator``, ``metric``, ``keep``, ``mae``, ``mae_se`` and
            ``coverage95``.
        folder: Where the files go.
    """
    paths: list[Path] = []
    for benchmark, metric in dict.fromkeys((str(row["benchmark"]), str(row["metric"])) for row in rows):
        own = [row for row in rows if (row["benchmark"], row["metric"]) == (benchmark, metric)]
        swept = list(dict.fromkeys(filter(None, (_setting(row)[1] for row in own))))
        for varied in swept or [""]:
            title = f"{benchmark}: {metric}"
            drawing = _over_settings(own, varied, title) if varied else _over_shares(own, title)
            path = _free(folder, "-".join(filter(None, (benchmark, metric, varied))), paths)
            write_atomic(path, _svg(drawing))
            paths.append(path)
    return paths


def _setting(row: Row) -> tuple[str, str, str]:
    """Selector, what was varied and its value, of a label such as ``bestrand m=128``; empty where nothing was."""
    selector, _, varied = str(row["selector"]).partition(" ")
    name, _, value = varied.partition("=")
    return selector, name, value


def _over_shares(rows: Sequence[Row], title: str) -> Drawing:
    lines: dict[str, list[tuple[float, Row]]] = {}
    for row in rows:
        lines.setdefault(f"{row['selector']} ({row['estimator']})", []).append((100 * float(row["keep"] or 0), row))
    return Drawing(title, "items kept, %", lines)


def _over_settings(rows: Sequence[Row], varied: str, title: str) -> Drawing:
    """A line a selector and share kept; a random draw that the setting does not touch is the same everywhere."""
    values = list(dict.fromkeys(_setting(row)[2] for row in rows if _setting(row)[1] == varied))
    own = [row for row in rows if _setting(row)[1] == varied]
    if not any(_setting(row)[0] == "random" for row in own):
        plain = [row for row in rows if not _setting(row)[1]]
        own = [*{(row["estimator"], row["keep"]): row for row in plain}.values(), *own]
    lines: dict[str, list[tuple[float, Row]]] = {}
    for row in own:
        selector, _, value = _setting(row)
        line = lines.setdefault(f"{selector} ({row['estimator']}), {100 * float(row['keep'] or 0):g} %", [])
        line.extend((float(place), row) for place, one in enumerate(values) if value in ("", one))
    return Drawing(title, varied, lines, values)


def _free(folder: Path, words: str, taken: Sequence[Path]) -> Path:
    """A file name for these words that no other plot has, though it spells only plain letters."""
    name = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in words)
    path, number = folder / f"{name}.svg", 1
    while path in taken:
        number += 1
        path = folder / f"{name}-{number}.svg"
    return path


def _svg(drawing: Drawing) -> bytes:
    drawn = BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that the font does not have are drawn as boxes
        # a fixed salt for equal bytes; a name with dollar signs is a name, no formula
        with rc_context({"svg.hashsalt": "bestrand", "font.size": 9, "text.parse_math": False}):
            _figure(drawing).savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def _figure(drawing: Drawing) -> Figure:
    figure = Figure(figsize=(11, max(3.6, 0.8 + 0.16 * len(drawing.lines))), layout="constrained")
    error, coverage = figure.subplots(1, 2)
    for number, (name, points) in enumerate(drawing.lines.items()):
        _draw(error, _line(points, "mae", "mae_se"), name, number)
        _draw(coverage, _line(points, "coverage95", None), name, number)
    error.set(title=drawing.title, xlabel=drawing.axis, ylabel="mean absolute error (bars: 2 standard errors)")
    if error.lines:
        error.set_yscale("log")
        _plain_numbers(error)
        figure.legend(*error.get_legend_handles_labels(), fontsize=7, frameon=False, loc="outside right center")
    coverage.axhline(0.95, color="grey", linewidth=0.8, linestyle=":")
    coverage.set(title="95 % run interval", xlabel=drawing.axis, ylabel="share that held the truth")
    for axes in (error, coverage):
        if drawing.ticks:
            axes.set_xticks(range(len(drawing.ticks)), drawing.ticks)
    return figure


def _plain_numbers(axes: Axes) -> None:
    """Name the places of a logarithmic axis as numbers: the usual names are formulas, which names of scores forbid."""
    low, high = axes.get_ylim()
    numbers = FuncFormatter(lambda value, _: f"{value:.3g}")
    axes.yaxis.set_major_formatter(numbers)
    axes.yaxis.set_minor_formatter(numbers if log10(high / low) < 1 else FuncFormatter(lambda *_: ""))


def _line(points: Sequence[tuple[float, Row]], value: str, error: str | None) -> Line:
    """The points of one curve; an error of 0 has no place on a logarithmic axis."""
    known = [
        (place, row)
        for place, row in points
        if row[value] is not None and (error is None or float(row[value] or 0) > 0)
    ]
    errors = [2 * float((row[error] if error else 0) or 0) for _, row in known]
    return [place for place, _ in known], [float(row[value] or 0) for _, row in known], errors


def _draw(axes: Axes, line: Line, name: str, number: int) -> None:
    """Draw one curve in the look of its number."""
    places, values, errors = line
    if not places:
        return
    drawn = axes.errorbar(places, values, yerr=errors, label=name, marker="o", markersize=3, linewidth=1, capsize=2)
    for part in drawn.get_children():
        part.set(color=f"C{number % COLOURS}")
    drawn[0].set_linestyle(DASHES[number // COLOURS % len(DASHES)])
