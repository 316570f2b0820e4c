"""Numbers as they are shown: as many decimals as a metric's scale asks for, a real minus, words for what is unknown."""

from __future__ import annotations

from collections.abc import Iterable

from bestrand_drive.reports.data import Ends, Line, Metric, Policy

NOTHING = "–"
UNITS = {"percent": "%"}


def decimals(metric: Metric, policies: Iterable[Policy]) -> int:
    """Decimals of a metric: by its bounds, else by its largest value."""
    if metric.low is not None and metric.high is not None:
        scale = metric.high - metric.low
    else:
        lines = (policy.lines.get(metric.name) for policy in policies)
        scale = max((abs(line.estimate) for line in lines if line and line.estimate is not None), default=1.0)
    return 1 if scale >= 20 else 2 if scale > 2 else 3


def number(value: float | None, digits: int) -> str:
    """A number, or a dash."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return (text.removeprefix("-") if float(text) == 0 else text).replace("-", "−")


def ends(interval: Ends | None, digits: int) -> str:
    """Both ends, or a dash."""
    return NOTHING if interval is None else f"{number(interval.low, digits)} – {number(interval.high, digits)}"


def hours(value: float | None) -> str:
    """Hours in words; minutes below one hour."""
    if value is None:
        return NOTHING
    if value < 1:
        return f"{60 * value:.0f} min" if value * 60 >= 1 else f"{3600 * value:.0f} s"
    return f"{value:.1f} h" if value < 100 else f"{value:.0f} h"


def unit(metric: Metric) -> str:
    """Of a metric, as short as it goes."""
    return UNITS.get(metric.unit, metric.unit)


def words(name: str) -> str:
    """A metric's name in words."""
    return name.removeprefix("ability_").replace("_", " ")


def shown(line: Line | None) -> Ends | None:
    """The interval that leads: the policy's, else this run's."""
    return None if line is None else line.policy or line.run
