"""What stands where on the page: a report's data as the words, numbers and drawings that its template puts down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from bestrand_drive.reports.cards import Card, Told, cards, matrix, parts_card, remarks
from bestrand_drive.reports.data import Metric, Policy, ReportData, Share
from bestrand_drive.reports.drawings import curve
from bestrand_drive.reports.numbers import NOTHING, decimals, hours, number, unit, words
from bestrand_drive.reports.rows import Column, RouteRow, route_rows
from bestrand_drive.reports.text import labels, short
from bestrand_drive.reports.verdict import Verdict, ranked_by, verdict

MOST_COLUMNS = 5
"""Metrics of the table of routes."""


@dataclass(frozen=True)
class Plot:
    """Expected error of one metric by size."""

    title: str
    unit: str
    drawing: Markup
    reason: str


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
    matrix: Told
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
    def cost_said(self) -> str:
        """What is counted as cost."""
        kind = "simulated driving" if self.data.suite.benchmark == "builtin" else "driving"
        return f"Hours of {kind}. What was not driven is predicted by the probes' durations."

    @property
    def any_curve(self) -> bool:
        """Whether any expected error is known."""
        return any(not plot.reason for plot in self.plots)

    @property
    def no_curve(self) -> str:
        """Why no expected error is known, where that is the same for all metrics; else ""."""
        reasons = {plot.reason for plot in self.plots}
        return reasons.pop() if len(reasons) == 1 else ""

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
        tuned = "ntervals take for granted that nothing was tuned on it."
        return said + (f" Judged on it so far: {suite.uses}; i{tuned}" if suite.uses else f" I{tuned}")

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
        warnings=_warnings(data, names),
        cards=cards(whole, data, names),
        parts=(parts_card(parts, data.policies[0]),) if alone and parts else (),
        matrix=() if alone or not parts else matrix(parts, data.policies, names),
        matrix_heads=tuple(words(metric.name) for metric in parts),
        remarks=remarks(data, names),
        costs=tuple((names[one.name], *_cost(one)) for one in data.policies),
        tried=any(one.hours.tried for one in data.policies),
        strata=tuple(_part(share.name, share) for share in data.suite.strata),
        domains=tuple(_part(words(share.name), share) for share in data.suite.parts),
        plots=tuple(_plot(metric, data) for metric in whole if metric.curve),
        columns=tuple(Column(words(metric.name), unit(metric)) for metric in columns[:MOST_COLUMNS]),
        left_out=tuple(words(metric.name) for metric in columns[MOST_COLUMNS:]),
        routes=route_rows(data, names, columns[:MOST_COLUMNS]),
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
    facts = [
        (f"{suite.item_word} in the suite", f"{suite.k} of {suite.n}"),
        ("results" if len(policies) > 1 else f"{suite.item_word} with a result", f"{present} of {wanted}"),
    ]
    told = [("driven on the suite", [one.hours.suite for one in policies])]
    told += [("spared, predicted", [one.hours.spared for one in policies])]
    known = [_together(name, values) for name, values in told if any(value is not None for value in values)]
    facts += known
    if not known and suite.hours is not None:
        facts.append(
            ("of the whole, predicted", f"{suite.hours[0] / suite.hours[1]:.0%}" if suite.hours[1] else NOTHING)
        )
    return tuple(facts)


def _warnings(data: ReportData, names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Each once, with the policies it is about; no name where it is about all of several."""
    about: dict[str, list[str]] = {}
    for policy in data.policies:
        for said in dict.fromkeys(policy.warnings):
            about.setdefault(said, []).append(names[policy.name])
    every = len(data.policies) if len(data.policies) > 1 else 0
    return tuple(("" if len(found) == every else ", ".join(found), said) for said, found in about.items())


def _together(name: str, values: Sequence[float | None]) -> tuple[str, str]:
    """Hours of all policies together, and of how many they are where not all are known."""
    known = [value for value in values if value is not None]
    of = f", {len(known)} of {len(values)} known" if len(known) < len(values) else ""
    return name + of, hours(sum(known)) if sum(known) else "nothing"


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


def _part(label: str, share: Share) -> Part:
    width = 100 * share.chosen / share.pool if share.pool else 0.0
    return Part(label, f"{share.chosen} of {share.pool}", round(width, 1))


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
