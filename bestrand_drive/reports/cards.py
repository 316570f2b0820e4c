"""Estimates as tables: a card a metric, or one of all metrics where there is one policy; parts; remarks below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bestrand_drive.reports.data import KNOWN, Line, Metric, Policy, ReportData
from bestrand_drive.reports.drawings import strip
from bestrand_drive.reports.numbers import NOTHING, decimals, ends, number, shown, unit, words
from bestrand_drive.reports.scales import Scale, round_scale

Told = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""A row a policy: its name, and estimate and interval of each part."""


@dataclass(frozen=True)
class Row:
    """One estimate: a policy's, or one of the only policy's; ``axis`` holds the ends of its drawing's scale."""

    label: str
    unit: str
    axis: tuple[str, str]
    estimate: str
    strip: Markup
    policy: str
    run: str
    full: str
    reason: str
    known: bool


@dataclass(frozen=True)
class Card:
    """Estimates in one table: of one metric, or of the only policy; ``axis`` is empty where every row has its own."""

    title: str
    unit: str
    head: str
    axis: tuple[str, str] | tuple[()]
    rows: tuple[Row, ...]
    full: bool


def cards(metrics: Sequence[Metric], data: ReportData, names: dict[str, str]) -> tuple[Card, ...]:
    """One table of all metrics for the only policy, else a table a metric."""
    if len(data.policies) > 1:
        return tuple(_card(metric, data, names) for metric in metrics)
    (policy,) = data.policies
    rows = [
        _row(words(metric.name), policy.lines[metric.name], metric, _scale(metric, [policy]), data.policies)
        for metric in metrics
        if metric.name in policy.lines
    ]
    return (Card("", "", "metric", (), tuple(rows), any(row.full != NOTHING for row in rows)),)


def _card(metric: Metric, data: ReportData, names: dict[str, str]) -> Card:
    told = [policy for policy in data.policies if metric.name in policy.lines]
    scale = _scale(metric, told)
    rows = tuple(_row(names[one.name], one.lines[metric.name], metric, scale, data.policies) for one in told)
    full = any(row.full != NOTHING for row in rows)
    who = "policy" if data.suite.driving else "model"
    return Card(words(metric.name), unit(metric), who, _axis(scale), rows, full)


def parts_card(parts: Sequence[Metric], policy: Policy) -> Card:
    """All parts of the only policy."""
    told = [metric for metric in parts if metric.name in policy.lines]
    values = [value for metric in told for value in _values(policy.lines[metric.name])]
    scale = round_scale(values, parts[0].low, parts[0].high)
    rows = tuple(_row(words(one.name), policy.lines[one.name], one, scale, [policy]) for one in told)
    return Card("", "", "ability", _axis(scale), rows, any(row.full != NOTHING for row in rows))


def _scale(metric: Metric, policies: Iterable[Policy]) -> Scale:
    values = [value for policy in policies for value in _values(policy.lines[metric.name])]
    return round_scale(values, metric.low, metric.high)


def _axis(scale: Scale) -> tuple[str, str]:
    return f"{scale.low:g}", f"{scale.high:g}"


def _row(label: str, line: Line, metric: Metric, scale: Scale, policies: Iterable[Policy]) -> Row:
    digits = decimals(metric, policies)
    estimate = number(line.estimate, digits)
    return Row(
        label=label,
        unit=unit(metric),
        axis=_axis(scale),
        estimate=estimate,
        strip=strip(line, scale, f"{label}: {estimate}, {ends(shown(line), digits)}"),
        policy=ends(line.policy, digits),
        run=ends(line.run, digits),
        full=number(line.full, digits),
        reason=line.reason if line.estimate is None else "",
        known=line.estimator == KNOWN,
    )


def _values(line: Line) -> list[float]:
    intervals = [interval for interval in (line.run, line.policy) if interval is not None]
    points = [value for value in (line.estimate, line.full) if value is not None]
    return points + [value for interval in intervals for value in (interval.low, interval.high)]


def matrix(parts: Sequence[Metric], policies: Sequence[Policy], names: dict[str, str]) -> Told:
    """Parts of several policies: a row a policy, estimate and leading interval a part."""
    digits = decimals(parts[0], policies)
    rows = []
    for policy in policies:
        lines = [policy.lines.get(metric.name) for metric in parts]
        told = tuple((number(line.estimate if line else None, digits), _leading(line, digits)) for line in lines)
        rows.append((names[policy.name], told))
    return tuple(rows)


def _leading(line: Line | None, digits: int) -> str:
    interval = shown(line)
    return "" if interval is None else ends(interval, digits)


def remarks(data: ReportData, names: dict[str, str]) -> tuple[str, ...]:
    """Each once, with what it is about: reasons of lines, sources of noise, bounds when something is missing, notes."""
    about: dict[str, list[str]] = {}
    for policy in data.policies:
        for name, line in policy.lines.items():
            for said in (
                line.reason,
                f"run noise in policy intervals, {line.noise_source}" if line.noise_source else "",
            ):
                if said:
                    about.setdefault(said, []).append(words(name))
    told = [f"{', '.join(dict.fromkeys(metrics))}: {said}" for said, metrics in about.items()]
    for policy in data.policies:
        told += [f"{names[policy.name]}: {said}" for said in (*_bounds(policy, data), *policy.notes)]
    return (*told, *data.notes)


def _bounds(policy: Policy, data: ReportData) -> list[str]:
    told = [
        f"{words(metric.name)} {ends(line.if_missing, decimals(metric, data.policies))}"
        for metric in data.metrics
        if (line := policy.lines.get(metric.name)) is not None and line.if_missing is not None
    ]
    said = "with all missing ones at their worst or best the estimates are"
    return [f"{said}: {'; '.join(told)}"] if told else []
