"""Plots of a study: axes of numbers, a place for the legend, and a figure for each thing that a sweep varies."""

from __future__ import annotations

import re

from bestrand_drive.reports.study_plots import Row, write_plots


def row(selector: str, keep: float, mae: float, metric: str = "score") -> Row:
    return {
        "benchmark": "toy",
        "selector": selector,
        "estimator": "mean",
        "metric": metric,
        "keep": keep,
        "mae": mae,
        "mae_se": mae / 20,
        "coverage95": 0.95,
    }


def words(svg: bytes) -> list[str]:
    """What is written in a plot: the letters are drawn as shapes, with the text beside them in a remark."""
    return re.findall(r"<!-- (.*?) -->", svg.decode())


def test_a_logarithmic_axis_has_plain_numbers(tmp_path):
    for name, errors in (("near", (0.07, 0.04)), ("far", (3000.0, 0.2))):
        (path,) = write_plots(
            [row("random", keep, mae) for keep, mae in zip((0.05, 0.1), errors, strict=True)], tmp_path
        )
        assert not [word for word in words(path.read_bytes()) if "$" in word or "\\" in word], name
    assert "random (mean)" in words(path.read_bytes())


def test_each_thing_that_a_sweep_varies_has_a_figure_along_its_values(tmp_path):
    swept = [row(f"bestrand {what}", keep, 0.02) for what in ("m=1", "m=8") for keep in (0.1, 0.2)]
    own = [row(f"{name} p={p}", 0.1, 0.03) for p in (1, 2) for name in ("random", "bestrand")]
    rows = [*(row("random", keep, 0.04) for keep in (0.1, 0.2, 0.1, 0.2)), *swept, *own]
    paths = write_plots(rows, tmp_path)
    assert [path.name for path in paths] == ["toy-score-m.svg", "toy-score-p.svg"]
    along = words(paths[0].read_bytes())
    assert {"m", "1", "8", "random (mean), 10 %", "bestrand (mean), 20 %"} <= set(along)
    assert along.count("random (mean), 10 %") == 1
    assert {"random (mean), 10 %", "bestrand (mean), 10 %"} <= set(words(paths[1].read_bytes()))


def test_a_long_legend_stands_beside_the_plots(tmp_path):
    """Many lines make a higher figure instead of a legend over the curves."""
    heights = []
    for count in (2, 25):
        (path,) = write_plots([row(f"way{n}", 0.1, 0.01 * (n + 1)) for n in range(count)], tmp_path)
        heights.append(float(re.search(rb'height="([\d.]+)pt"', path.read_bytes())[1]))
        assert {f"way{n} (mean)" for n in range(count)} <= set(words(path.read_bytes()))
    assert heights[1] > heights[0]
