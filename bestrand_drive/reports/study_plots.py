"""Plots of a study: error, and coverage of intervals, over the share of items kept."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bestrand_drive.files import write_atomic

Row = Mapping[str, str | int | float | None]
Line = tuple[list[float], list[float], list[float]]
"""Shares kept in percent, values, and two standard errors (0 where unknown)."""


def write_plots(rows: Sequence[Row], folder: Path) -> list[Path]:
    """One SVG a benchmark and metric; the same rows give the same bytes.

    Args:
        rows: Of a study, with ``benchmark``, ``selector``, ``estimator``, ``metric``, ``keep``, ``mae``, ``mae_se`` and
            ``coverage95``.
        folder: Where the files go.
    """
    paths: list[Path] = []
    for benchmark, metric in dict.fromkeys((str(row["benchmark"]), str(row["metric"])) for row in rows):
        own = [row for row in rows if (row["benchmark"], row["metric"]) == (benchmark, metric)]
        path = _free(folder, f"{benchmark}-{metric}", paths)
        drawn = BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # letters that the font does not have are drawn as boxes
            # a fixed salt for equal bytes; a name with dollar signs is a name, no formula
            with rc_context({"svg.hashsalt": "bestrand", "font.size": 9, "text.parse_math": False}):
                _figure(own, f"{benchmark}: {metric}").savefig(drawn, format="svg", metadata={"Date": None})
        write_atomic(path, drawn.getvalue())
        paths.append(path)
    return paths


def _free(folder: Path, words: str, taken: Sequence[Path]) -> Path:
    """A file name for these words that no other plot has, though it spells only plain letters."""
    name = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in words)
    path, number = folder / f"{name}.svg", 1
    while path in taken:
        number += 1
        path = folder / f"{name}-{number}.svg"
    return path


def _figure(rows: Sequence[Row], title: str) -> Figure:
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    error, coverage = figure.subplots(1, 2)
    for name in dict.fromkeys(_name(row) for row in rows):
        own = [row for row in rows if _name(row) == name]
        _draw(error, _line(own, "mae", "mae_se"), name)
        _draw(coverage, _line(own, "coverage95", None), name)
    error.set(title=title, xlabel="items kept, %", ylabel="mean absolute error (bars: 2 standard errors)")
    if error.lines:
        error.set_yscale("log")
        error.legend(fontsize=7, frameon=False)
    coverage.axhline(0.95, color="grey", linewidth=0.8, linestyle=":")
    coverage.set(title="95 % run interval", xlabel="items kept, %", ylabel="share that held the truth")
    return figure


def _name(row: Row) -> str:
    return f"{row['selector']} ({row['estimator']})"


def _line(rows: Sequence[Row], value: str, error: str | None) -> Line:
    """The points of one curve; an error of 0 has no place on a logarithmic axis."""
    known = [row for row in rows if row[value] is not None and (error is None or float(row[value] or 0) > 0)]
    errors = [2 * float((row[error] if error else 0) or 0) for row in known]
    return [100 * float(row["keep"] or 0) for row in known], [float(row[value] or 0) for row in known], errors


def _draw(axes: Axes, line: Line, name: str) -> None:
    keeps, values, errors = line
    if keeps:
        axes.errorbar(keeps, values, yerr=errors, label=name, marker="o", markersize=3, linewidth=1, capsize=2)
