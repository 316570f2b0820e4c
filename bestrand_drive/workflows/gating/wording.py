"""A gate's verdict in sentences; text, JUnit and Markdown say the same ones."""

from __future__ import annotations

import re

from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.results import Verdict
from bestrand_drive.compression.gating.deciding import Deciding
from bestrand_drive.compression.gating.rules import Status
from bestrand_drive.workflows.comparing.figures import NOTHING, decimals, signed, span
from bestrand_drive.workflows.estimating.targets import TABLE
from bestrand_drive.workflows.gating.verdict import Gate, GateLine, Reference

_TUNED = re.compile(
    r"([0-9]+ polic(y was|ies were) judged .*; )?the intervals assume that nothing was tuned on its \w+"
)
"""The caution that every comparison on a suite says anew, with the uses counted so far."""


def verdict(gate: Gate) -> str:
    """The first sentence: status, rule, and whether the change is let through."""
    through = "" if gate.status is not Status.UNDECIDED else f", which {_undecided(gate)}"
    roles = [(one.role, one.comparison.baseline.name) for one in gate.references]
    against = " and ".join(role if name == role else f"{role} {name}" for role, name in roles)
    rule = f"{gate.request.rule.value}, {100 * gate.request.level:g} %"
    what = ", of the stack on the headless server, not of driving" if gate.of_the_stack else ""
    return f"gate {gate.status.value}{through}: {gate.candidate} against {against} ({rule}){what}"


def _undecided(gate: Gate) -> str:
    if gate.incomplete:
        return "does not pass until the missing results are there or --missing says what to do"
    return "passes" if gate.passes else "does not pass"


def line_words(reference: Reference, line: GateLine) -> str:
    """What one metric says against one reference."""
    metric, around = line.metric, line.metric.interval
    head = f"{metric.name} against {reference.comparison.baseline.name}: {line.status.value}"
    if around is None or metric.difference is None:
        return f"{head} ({metric.reason})"
    asked = "not given" if line.question.max_drop is None else plain(line.question.max_drop)
    digits = decimals(metric.baseline, metric.candidate)
    unit = f" {metric.unit}" if metric.unit else ""
    between = f"{100 * metric.level:g} %: {span(around, digits)}"
    measured = f"{signed(metric.difference, digits)}{unit} ({between}), tolerated drop {asked}"
    open_ = _open(line)
    why = f"; {open_}" if open_ else ""
    return f"{head}, {measured}{why}; {sees(line)}"


def _open(line: GateLine) -> str:
    """What the status leaves open, or ""."""
    metric, around, asked = line.metric, line.metric.interval, line.question.max_drop is not None
    if line.reason:
        return line.reason
    if line.status is Status.UNDECIDED and metric.verdict is Verdict.WORSE:
        return "it dropped; whether by more than is tolerated is open"
    if line.status is Status.PASSED and not asked and around is not None and around.low <= 0 <= around.high:
        return "no drop was shown, which does not say that there is none (--max-drop D would)"
    return ""


def sees(line: GateLine) -> str:
    """What the gate can see at this size."""
    detectable, fails, paired = line.metric.detectable, line.fails_at, line.metric.paired
    if paired is not None and paired.sees_nothing(line.metric.level):
        return "no drop that is possible would be told from none at this size"
    found = f"a true drop of {plain(detectable)} would be told from none in 80 of 100 cases"
    if not line.question.max_drop:
        return found
    return f"{found}, one of {plain(fails)} would fail"


def deciding_words(gate: Gate, line: GateLine) -> str:
    """With how much more it would be decided; "" where that is no question."""
    if line.open_by_missing:
        return "the missing results come first: run them again"
    if line.deciding is None or line.metric.paired is None:
        return ""
    plan, often = line.deciding, "in 80 of 100 cases"
    case = "for a candidate that does not differ,"
    if plan.measured:
        case = f"were the true difference the measured one, {plain(plan.distance)} from the bound,"
    routes, runs = _routes(gate, line.metric.paired, plan), _runs(plan)
    if routes:
        return f"{case} {' or '.join(way for way in (routes, runs) if way)} would decide {often}"
    none = f"{case} no number of {_items(gate)} would decide {often}"
    return f"{none}, but {runs} would" if runs else f"{none}; {_no_runs(line.metric.paired)}"


def _routes(gate: Gate, paired: PairedDifference, plan: Deciding) -> str:
    if plan.items is None:
        return ""
    more = max(plan.items - paired.n, 1)
    return f"{more} more {_items(gate)} ({paired.n + more} of {paired.population:g})"


def _runs(plan: Deciding) -> str:
    return f"{plan.repeats} times as many runs of both sides" if plan.repeats and plan.repeats > 1 else ""


def _no_runs(paired: PairedDifference) -> str:
    if paired.parts.noise_variance is None and paired.parts.reference is None:
        return "what more runs would bring is known when each one was run more than once"
    return "nor would more runs"


def _items(gate: Gate) -> str:
    return "items" if gate.suite.benchmark == TABLE else "routes"


def cautions(gate: Gate) -> tuple[str, ...]:
    """What a reader must know, each once."""
    said = list(dict.fromkeys(one for reference in gate.references for one in reference.comparison.cautions))
    counted = [one for one in said if _TUNED.fullmatch(one)]
    return tuple(one for one in said if one not in counted[:-1])


def plain(value: float | None) -> str:
    """A figure, or a dash."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if 0 < abs(value) < 0.1 else f"{value:.4g}"
