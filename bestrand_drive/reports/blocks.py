"""What stands where on the page: a report's data as the words, numbers and drawings that its template puts down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from markupsafe import Markup

from bestrand_drive.reports.data import Cell, Line, Metric, Policy, ReportData, Share
from bestrand_drive.reports.drawings import curve, strip
from bestrand_drive.reports.numbers import NOTHING, decimals, ends, hours, number, shown, unit, words
from bestrand_drive.reports.scales import Scale, round_scale
from bestrand_drive.reports.text import labels, short
from bestrand_drive.reports.verdict import Verdict, ranked_by, verdict

MOST_COLUMNS = 5
"""Metrics of the table of routes."""


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


@dataclass(frozen=True)
class Plot:
    """Expected error of one metric by size."""

    title: str
    unit: str
    drawing: Markup
    reason: str


@dataclass(frozen=True)
class Column:
    """One metric of the table of routes."""

    title: str
    unit: str


@dataclass(frozen=True)
class Number:
    """A number as shown and as sorted."""

    text: str
    key: str


@dataclass(frozen=True)
class RouteRow:
    """One cell of the table of routes."""

    cell: Cell
    policy: str
    item: str
    stratum: str
    values: tuple[Number, ...]
    hours: Number


@dataclass(frozen=True)
class Part:
    """A stratum or a part: how much of it the suite holds, widths of 100."""

    label: str
    said: str
    width: float


@dataclass(frozen=True)
class Blocks:
    """The page from top to bottom."""

    data: ReportData
    names: dict[str, str]
    verdict: Verdict
    level: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[tuple[str, str], ...]
    cards: tuple[Card, ...]
    parts: tuple[Card, ...]
    matrix: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    matrix_heads: tuple[str, ...]
    remarks: tuple[str, ...]
    costs: tuple[tuple[str, ...], ...]
    tried: bool
    strata: tuple[Part, ...]
    domains: tuple[Part, ...]
    plots: tuple[Plot, ...]
    columns: tuple[Column, ...]
    left_out: tuple[str, ...]
    routes: tuple[RouteRow, ...]
    missing: tuple[tuple[str, str, tuple[str, ...]], ...]

    @property
    def index(self) -> dict[str, int]:
        """Policy -> its number from 1, by which rows are filtered."""
        return {policy.name: number for number, policy in enumerate(self.data.policies, 1)}

    @property
    def headless(self) -> bool:
        """Whether any result is the headless server's."""
        return any(policy.simulator in ("headless", "mixed") for policy in self.data.policies)

    @property
    def any_full(self) -> bool:
        """Whether any policy is known in full."""
        return any(card.full for card in (*self.cards, *self.parts))

    @property
    def any_hours(self) -> bool:
        """Whether any duration is known."""
        return any(policy.hours.suite is not None for policy in self.data.policies)

    @property
    def any_curve(self) -> bool:
        """Whether any expected error is known."""
        return any(not plot.reason for plot in self.plots)

    @property
    def any_floor(self) -> bool:
        """Whether any run noise is known."""
        return any(metric.curve and metric.curve.floor is not None for metric in self.data.metrics)

    @property
    def part_metric(self) -> str:
        """What parts are means of."""
        return "Success" if self.data.suite.driving else "The mean"

    @property
    def who(self) -> str:
        """What is evaluated."""
        return "policy" if self.data.suite.driving else "model"

    @property
    def item_head(self) -> str:
        """What one item is called."""
        return self.data.suite.item_word.removesuffix("s")

    @property
    def stratum_head(self) -> str:
        """What one stratum is called."""
        return {"classes": "class", "strata": "stratum"}.get(self.data.suite.stratum_word, "type")

    @property
    def states(self) -> tuple[str, ...]:
        """Those that occur."""
        return tuple(dict.fromkeys(cell.state for cell in self.data.cells))

    @property
    def width(self) -> int:
        """Columns of the table of routes."""
        fixed = 2 + (len(self.data.policies) > 1) + bool(self.strata) + self.any_hours + self.tried
        return fixed + len(self.columns)

    @property
    def even(self) -> float:
        """Where a bar would end if every part had the suite's share."""
        return round(100 * self.data.suite.k / self.data.suite.n, 1)

    @property
    def share(self) -> str:
        """The suite's share of the whole."""
        return f"{self.data.suite.k / self.data.suite.n:.0%}"

    @property
    def chosen(self) -> str:
        """How it was chosen, as sentences."""
        suite = self.data.suite
        of = f", the best of {suite.candidates} draws" if suite.candidates and suite.imbalance is not None else ""
        said = f"Chosen by {suite.selector}{of}, seed {suite.seed}."
        if suite.imbalance is not None:
            said += (
                f" Imbalance {number(suite.imbalance, 3)}: how far the probes' means on the suite lie from those on "
                "the pool, over all of them and all metrics, in standard deviations of their scores."
            )
        return said

    @property
    def routes_said(self) -> str:
        """What the table of routes holds."""
        said = f"Every one of the suite{f' and every {self.who}' if len(self.data.policies) > 1 else ''}."
        return said + (f" Left to the JSON: {', '.join(self.left_out)}." if self.left_out else "")


def blocks(data: ReportData) -> Blocks:
    """The page's content."""
    names = labels(policy.name for policy in data.policies)
    data = replace(data, policies=_in_order(data))
    whole = [metric for metric in data.metrics if not metric.part]
    parts = [metric for metric in data.metrics if metric.part]
    columns = [metric for metric in data.metrics if metric.of_items]
    alone = len(data.policies) == 1
    return Blocks(
        data=data,
        names=names,
        verdict=verdict(data, names),
        level=f"{100 * data.level:g} %",
        facts=_facts(data),
        warnings=tuple((names[one.name], said) for one in data.policies for said in one.warnings),
        cards=_cards(whole, data, names),
        parts=(_parts_card(parts, data.policies[0]),) if alone and parts else (),
        matrix=() if alone or not parts else _matrix(parts, data.policies, names),
        matrix_heads=tuple(words(metric.name) for metric in parts),
        remarks=_remarks(data, names),
        costs=tuple((names[one.name], *_cost(one)) for one in data.policies),
        tried=any(one.hours.tried for one in data.policies),
        strata=tuple(_part(share) for share in data.suite.strata),
        domains=tuple(_part(share) for share in data.suite.parts),
        plots=tuple(_plot(metric, data) for metric in whole if metric.curve),
        columns=tuple(Column(words(metric.name), unit(metric)) for metric in columns[:MOST_COLUMNS]),
        left_out=tuple(words(metric.name) for metric in columns[MOST_COLUMNS:]),
        routes=_routes(data, names, columns[:MOST_COLUMNS]),
        missing=tuple(gap for policy in data.policies for gap in _gaps(policy, names)),
    )


def _in_order(data: ReportData) -> tuple[Policy, ...]:
    """The best first; those that cannot be told last."""
    ranked = ranked_by(data.metrics[0], data.policies)
    return (*ranked, *(policy for policy in data.policies if policy not in ranked))


def _facts(data: ReportData) -> tuple[tuple[str, str], ...]:
    """Four numbers under the headline."""
    suite, policies = data.suite, data.policies
    wanted, present = suite.k * len(policies), sum(one.present for one in policies)
    driven, spared = (_sum(getattr(one.hours, name) for one in policies) for name in ("suite", "spared"))
    facts = [
        (f"{suite.item_word} in the suite", f"{suite.k} of {suite.n}"),
        ("results" if len(policies) > 1 else f"{suite.item_word} with a result", f"{present} of {wanted}"),
    ]
    if driven is not None:
        facts += [("driven on the suite", hours(driven)), ("spared, predicted", hours(spared) if spared else "nothing")]
    elif suite.hours is not None:
        facts.append(
            ("of the whole, predicted", f"{suite.hours[0] / suite.hours[1]:.0%}" if suite.hours[1] else NOTHING)
        )
    return tuple(facts)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _cards(metrics: list[Metric], data: ReportData, names: dict[str, str]) -> tuple[Card, ...]:
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


def _parts_card(parts: list[Metric], policy: Policy) -> Card:
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
        known=line.run is None and line.policy is None and line.full is not None,
    )


def _values(line: Line) -> list[float]:
    intervals = [interval for interval in (line.run, line.policy) if interval is not None]
    points = [value for value in (line.estimate, line.full) if value is not None]
    return points + [value for interval in intervals for value in (interval.low, interval.high)]


def _matrix(
    parts: list[Metric], policies: tuple[Policy, ...], names: dict[str, str]
) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
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


def _remarks(data: ReportData, names: dict[str, str]) -> tuple[str, ...]:
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
    remarks = [f"{', '.join(dict.fromkeys(metrics))}: {said}" for said, metrics in about.items()]
    for policy in data.policies:
        remarks += [f"{names[policy.name]}: {said}" for said in (*_bounds(policy, data), *policy.notes)]
    return (*remarks, *data.notes)


def _bounds(policy: Policy, data: ReportData) -> list[str]:
    told = [
        f"{words(metric.name)} {ends(line.if_missing, decimals(metric, data.policies))}"
        for metric in data.metrics
        if (line := policy.lines.get(metric.name)) is not None and line.if_missing is not None
    ]
    said = "with all missing ones at their worst or best the estimates are"
    return [f"{said}: {'; '.join(told)}"] if told else []


def _cost(policy: Policy) -> tuple[str, ...]:
    cost = policy.hours
    share = f"{cost.spared / cost.whole:.0%}" if cost.whole and cost.spared else NOTHING
    tried = f"{cost.tried} ({cost.in_vain} in vain)" if cost.in_vain else str(cost.tried or NOTHING)
    return (
        hours(cost.suite),
        hours(cost.others or None),
        tried,
        hours(cost.attempts),
        hours(cost.whole),
        hours(cost.spared or None),
        share,
    )


def _gaps(policy: Policy, names: dict[str, str]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Policy, why, and the items: one entry a reason, the commonest first."""
    items: dict[str, list[str]] = {}
    for item, why in policy.missing.items():
        items.setdefault(why, []).append(short(item))
    told = sorted(items.items(), key=lambda one: -len(one[1]))
    return [(names[policy.name], why, tuple(found)) for why, found in told]


def _part(share: Share) -> Part:
    width = 100 * share.chosen / share.pool if share.pool else 0.0
    return Part(words(share.name), f"{share.chosen} of {share.pool}", round(width, 1))


def _plot(metric: Metric, data: ReportData) -> Plot:
    found, digits = metric.curve, decimals(metric, data.policies)
    if found is None or found.reason or not found.sizes:
        return Plot(words(metric.name), unit(metric), Markup(""), found.reason if found else "")
    at = found.sizes.index(data.suite.k)
    run = number(found.run[at], digits + 1)
    said = f"Expected error of {words(metric.name)} by size: {run} at {data.suite.k} about this run"
    if found.policy and found.floor is not None:
        policy, floor = (number(value, digits + 1) for value in (found.policy[at], found.floor))
        said += f", {policy} about the policy; a full run has {floor}"
    return Plot(words(metric.name), unit(metric), curve(found, data.suite.k, digits, said), "")


def _routes(data: ReportData, names: dict[str, str], columns: list[Metric]) -> tuple[RouteRow, ...]:
    digits = [decimals(metric, data.policies) for metric in columns]
    items = labels(cell.item for cell in data.cells)
    strata = {label: words(label) for label in dict.fromkeys(cell.stratum for cell in data.cells)}
    return tuple(
        RouteRow(
            cell=cell,
            policy=names[cell.policy],
            item=items[cell.item],
            stratum=strata[cell.stratum],
            values=tuple(
                _keyed(cell.values.get(metric.name), places) for metric, places in zip(columns, digits, strict=True)
            ),
            hours=Number(hours(cell.hours), "" if cell.hours is None else f"{cell.hours:.6f}"),
        )
        for cell in data.cells
    )


def _keyed(value: float | None, digits: int) -> Number:
    return Number(number(value, digits), "" if value is None else f"{value:.9g}")
