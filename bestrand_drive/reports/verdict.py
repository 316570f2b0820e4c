"""What a report says first: who stands where on the leading metric, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bestrand_drive.reports.data import Line, Metric, Policy, ReportData
from bestrand_drive.reports.numbers import decimals, ends, number, shown, unit, words


@dataclass(frozen=True)
class Verdict:
    """A headline and a sentence or two below it."""

    headline: str
    said: str


def verdict(data: ReportData, names: dict[str, str]) -> Verdict:
    """The verdict.

    Args:
        data: Of the report.
        names: Policy -> the name that is shown.
    """
    metric = data.metrics[0]
    digits = decimals(metric, data.policies)
    ranked = ranked_by(metric, data.policies)
    if not ranked:
        why = "; ".join(dict.fromkeys(p.lines[metric.name].reason for p in data.policies if metric.name in p.lines))
        return Verdict(f"No {words(metric.name)} can be told", why or "No result counts.")
    lead = ranked[0].lines[metric.name]
    if len(data.policies) == 1:
        return Verdict(
            f"{names[ranked[0].name]}: {words(metric.name)} {_value(lead, metric, digits)}",
            _alone(data, ranked[0], lead, digits),
        )
    headline = f"{names[ranked[0].name]} leads with {words(metric.name)} {_value(lead, metric, digits)}"
    if len(ranked) < 2:
        return Verdict(headline, "No other has an estimate.")
    return Verdict(headline, _followed(data, ranked, names, digits))


def ranked_by(metric: Metric, policies: Sequence[Policy]) -> list[Policy]:
    """Those with an estimate, the best first, in the order given where they tie."""
    sign = -1.0 if metric.higher_is_better else 1.0
    known = [(policy, policy.lines[metric.name].estimate) for policy in policies if metric.name in policy.lines]
    told = [(policy, value) for policy, value in known if value is not None]
    return [policy for policy, _ in sorted(told, key=lambda one: sign * one[1])]


def _value(line: Line, metric: Metric, digits: int) -> str:
    sign = unit(metric)
    return number(line.estimate, digits) + (f" {sign}" if sign == "%" else "")


def _alone(data: ReportData, policy: Policy, line: Line, digits: int) -> str:
    suite, level = data.suite, f"{100 * data.level:g} %"
    if policy.known:
        return f"It is a probe of this suite: its score over all {suite.n} {suite.item_word} is known, not estimated."
    who = "policy" if suite.driving else "model"
    about = [f"the {who} lies in {ends(line.policy, digits)}"] if line.policy else []
    about += [f"this run{'' if about else ' lies'} in {ends(line.run, digits)}"] if line.run else []
    sure = f"With {level} confidence {', '.join(about)}" if about else f"No interval: {line.reason or 'none is known'}"
    said = f"{sure}; estimated from {policy.present} of {suite.n} {suite.item_word}."
    return said if line.full is None else f"{said} Its own full result: {number(line.full, digits)}."


def _followed(data: ReportData, ranked: Sequence[Policy], names: dict[str, str], digits: int) -> str:
    metric = data.metrics[0]
    first, second = (policy.lines[metric.name] for policy in ranked[:2])
    said = f"{names[ranked[1].name]} follows at {_value(second, metric, digits)}."
    known = [names[policy.name] for policy in ranked[:2] if policy.known]
    if known:
        are = "are probes" if len(known) > 1 else "is a probe"
        return f"{said} {' and '.join(known)} {are} of this suite and known in full."
    mine, other = shown(first), shown(second)
    if mine is None or other is None:
        return said + " Not both have an interval, so the order is not tested here."
    apart = mine.low > other.high or other.low > mine.high
    level = f"{100 * data.level:g} %"
    if apart:
        return said + f" Their {level} intervals lie apart: {ends(mine, digits)} and {ends(other, digits)}."
    return said + (
        f" Their {level} intervals overlap ({ends(mine, digits)} and {ends(other, digits)}), which leaves the order "
        f"open: a paired comparison on the shared {data.suite.item_word} is sharper."
    )
