"""A plan in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from bestrand_drive.benchmarks.definitions import DEFINITIONS
from bestrand_drive.cli.tables import console, say, sentences, table
from bestrand_drive.workflows.planning.plan import Errors, MetricPlan, SuitePlan

HEADS = ("metric", "k", "keep", "hours", "error", "P95", "this run", "this run P95", "detects", "unit", "about")
BASIS_HEADS = (
    *("metric", "sd of items", "correlation", "+-", "run noise", "floor", "floor P95", "floor detects"),
    *("break-even", "against random"),
)
GOALS = {"p95": "P95 error", "error": "mean error", "detect": "detected difference"}


def print_plan(plan: SuitePlan) -> None:
    """One line a metric, the size that serves all, and what the numbers rest on."""
    out = console()
    terms, request = plan.terms, plan.request
    word = DEFINITIONS[terms.benchmark].item_word if terms.benchmark in DEFINITIONS else "items"
    many = "" if request.targets == 1 else f", mean over {request.targets} policies"
    say(out, f"{terms.items} {word} of {terms.benchmark} ({terms.route_set}), chosen by {request.selector}{many}")
    told = [one for one in plan.metrics if not one.outlook.reason]
    table(out, HEADS, [_cells(one, plan) for one in told])
    _print_size(out, plan, word)
    table(out, *_without_blanks(BASIS_HEADS, [_basis(one) for one in told]))
    sentences(out, [*_said(plan, told), *plan.notes])


def _cells(one: MetricPlan, plan: SuitePlan) -> list[str]:
    about = "the policy" if one.claim == "policy" else "this run"
    if one.k is None or one.at is None or one.run is None:
        return [one.outlook.name, "none", *["-"] * 7, one.outlook.unit, about]
    hours = plan.terms.predicted(one.k)
    numbers = [one.at.expected, one.at.p95, one.run.expected, one.run.p95, one.at.detects]
    cells = [
        one.outlook.name,
        str(one.k),
        f"{one.k / plan.terms.items:.1%}",
        "-" if hours is None else f"{hours.mean:.2f}",
    ]
    return [*cells, *(_number(number) for number in numbers), one.outlook.unit, about]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _print_size(out: Console, plan: SuitePlan, word: str) -> None:
    request = plan.request
    goal = "" if request.goal is None else f" for the {GOALS[request.goal]}"
    if plan.k is None:
        say(out, f"no size serves every metric{goal}: see the notes")
        return
    line = f"k {plan.k} of {plan.terms.items} {word} ({plan.k / plan.terms.items:.1%}) serves every metric{goal}"
    if request.goal is None:
        line = f"k {plan.k} of {plan.terms.items} {word} ({plan.k / plan.terms.items:.1%})"
    if plan.hours is not None:
        spread = (
            f", {plan.hours.least:.2f} to {plan.hours.most:.2f} over the probes" if len(plan.terms.hours) > 1 else ""
        )
        line += f"; predicted hours a policy: {plan.hours.mean:.2f}{spread}"
    say(out, line)


def _basis(one: MetricPlan) -> list[str]:
    """What the predictions rest on, the noise floor, and the break-even."""
    outlook, floor, even = one.outlook, one.floor, one.break_even
    doubt = "-" if outlook.doubt is None else f"{outlook.doubt:.0%}"
    noise = "-" if outlook.noise is None else f"{outlook.noise.sd:.3g}"
    ground = ["-", "-", "-"] if floor is None else [_number(x) for x in (floor.expected, floor.p95, floor.detects)]
    pays = ["-", "-"] if even is None else [_since(even.if_run), _since(even.if_run_random)]
    return [outlook.name, _number(outlook.deviation), _number(outlook.correlation), doubt, noise, *ground, *pays]


def _without_blanks(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Sequence[str], list[list[str]]]:
    """The columns that say something in a row."""
    kept = [place for place in range(len(heads)) if not rows or any(row[place] != "-" for row in rows)]
    return [heads[place] for place in kept], [[row[place] for place in kept] for row in rows]


def _since(targets: int | None) -> str:
    return "never" if targets is None else str(targets)


def _said(plan: SuitePlan, told: Sequence[MetricPlan]) -> Iterator[str]:
    """Where the numbers come from."""
    names, families = plan.terms.probes, plan.terms.families
    grouped = "" if families == len(names) else f" of {families} families"
    who = f"{len(names)} probes{grouped}" if len(names) > 1 else f"one probe, {names[0]}, which tells no correlation"
    doubt = any(one.outlook.doubt is not None for one in told)
    yield f"all rests on {who}" + (
        "; +-: standard error of the predicted errors, for that many probes" if doubt else ""
    )
    for source in dict.fromkeys(one.outlook.noise.source for one in told if one.outlook.noise):
        yield f"floor: one run of everything against the policy's own mean, by run noise, {source}"
    for runs in dict.fromkeys(one.break_even.probe_runs for one in told if one.break_even):
        yield (
            "break-even: probes pay from the first target on, their results being at hand; had they to be run "
            f"({runs} item runs), from that many targets on, against a larger suite that is stratified, or random"
        )


def plan_json(plan: SuitePlan) -> dict[str, Any]:
    """The machine-readable form; the keys are those of the dataclasses."""
    terms, request = plan.terms, plan.request
    return {
        "benchmark": terms.benchmark,
        "route_set": terms.route_set,
        "items": terms.items,
        "selector": request.selector,
        "estimator": request.estimator,
        "targets": request.targets,
        "goal": None if request.goal is None else {"kind": request.goal, "wanted": dict(request.wanted)},
        "k": plan.k,
        "keep": None if plan.k is None else plan.k / terms.items,
        "hours": None if plan.hours is None else asdict(plan.hours),
        "probes": list(terms.probes),
        "metrics": {one.outlook.name: _metric_json(one, plan) for one in plan.metrics},
        "notes": plan.notes,
    }


def _metric_json(one: MetricPlan, plan: SuitePlan) -> dict[str, Any]:
    outlook = one.outlook
    hours = None if one.k is None else plan.terms.predicted(one.k)
    return {
        "k": one.k,
        "keep": None if one.k is None else one.k / plan.terms.items,
        "hours": None if hours is None else asdict(hours),
        "claim": one.claim,
        "unit": outlook.unit,
        **(_errors_json(one.at) or {"expected": None, "p95": None, "detects": None}),
        "run": _errors_json(one.run),
        "noise": None if outlook.noise is None else {"sd": outlook.noise.sd, "source": outlook.noise.source},
        "floor": _errors_json(one.floor),
        "break_even": None if one.break_even is None else asdict(one.break_even),
        "deviation": outlook.deviation,
        "correlation": outlook.correlation,
        "doubt": outlook.doubt,
        "reason": one.reason,
    }


def _errors_json(errors: Errors | None) -> dict[str, float | None] | None:
    return None if errors is None else asdict(errors)
