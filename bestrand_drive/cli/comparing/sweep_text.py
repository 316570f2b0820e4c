"""A sweep of many policies in words and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from bestrand_drive.cli.comparing.compare_text import number
from bestrand_drive.cli.tables import console, listed, say, sentences, table
from bestrand_drive.compression.intervals import ends
from bestrand_drive.workflows.comparing.figures import NOTHING, decimals, signed, span
from bestrand_drive.workflows.comparing.sweep import Sweep, SweepMetric


def sweep_json(found: Sweep) -> dict[str, Any]:
    """The machine-readable form."""
    return {
        "benchmark": found.benchmark,
        "suite": found.suite_digest,
        "level": found.level,
        "policies": list(found.policies),
        "metrics": {one.name: _metric_json(one) for one in found.metrics},
        "items": {
            "suite": found.suite_items,
            "all": found.all_items,
            "paired": list(found.paired),
            "left_out": dict(found.left_out),
            "missing_rule": found.missing_rule,
            "missing": dict(found.missing),
        },
        "uses": found.uses,
        "disjoint_suite": found.again,
        "cautions": list(found.cautions),
        "notes": list(found.notes),
    }


def _metric_json(metric: SweepMetric) -> dict[str, Any]:
    return {
        "unit": metric.unit,
        "higher_is_better": metric.higher_is_better,
        "leader": metric.leader,
        "not_distinguishable_from_leader": list(metric.level_with_leader()),
        "estimates": dict(metric.estimates),
        "drawn_back": None if metric.drawn_back is None else dict(metric.drawn_back),
        "each_level": metric.each_level,
        "pairs": [
            {
                "first": rival.first,
                "second": rival.second,
                "difference": rival.line.difference,
                "together": ends(rival.together),
                "noise_source": rival.line.noise_source,
            }
            for rival in metric.rivals
        ],
    }


def print_sweep(found: Sweep) -> None:
    """The text form: who leads and whether that says anything, a table, and what to do next."""
    out = console()
    for metric in found.metrics:
        _print_metric(out, metric, found.level)
    say(out, f"paired on {len(found.paired)} of {found.suite_items} suite items of {found.all_items}")
    gone = [f"{name} {count}" for name, count in found.missing.items() if count]
    if gone:
        say(out, f"missing: {', '.join(gone)}")
    say(out, _next(found))
    sentences(out, found.notes)
    sentences(out, found.cautions, mark="caution")


def _print_metric(out: Console, metric: SweepMetric, level: float) -> None:
    alike = metric.level_with_leader()
    said = "told from all others" if not alike else f"not distinguishable from {listed(alike)}"
    say(out, f"{metric.name}: {metric.leader} leads, {said}")
    order = sorted(metric.estimates, key=lambda name: metric.estimates[name], reverse=metric.higher_is_better)
    rows, digits = [], decimals(*metric.estimates.values())
    for name in order:
        back = NOTHING if metric.drawn_back is None else number(metric.drawn_back[name])
        if name == metric.leader:
            rows.append([name, number(metric.estimates[name]), back, NOTHING, NOTHING])
            continue
        difference, around = metric.against_leader(name)
        rows.append([name, number(metric.estimates[name]), back, signed(difference, digits), span(around, digits)])
    heads = ["policy", "estimate", "drawn back", f"minus {metric.leader}", f"all together {100 * level:g}%"]
    table(out, heads, rows)


def _next(found: Sweep) -> str:
    """What an honest figure of the winner needs."""
    why = "the leader's own estimate is too good: it was picked for it. Run it again on a disjoint suite"
    if not found.again:
        return f"{why}; there are too few items left for one of this size, so with other traffic seeds (--repeats)"
    return f"{why}: {found.again}"
