"""An estimate in words and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import Console

from bestrand_drive.benchmarks.catalog import UNKNOWN
from bestrand_drive.benchmarks.definitions import DEFINITIONS
from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.cli.estimating.stopping_text import until_json
from bestrand_drive.cli.tables import console, listed, say, sentences, table
from bestrand_drive.compression.intervals import Interval, ends
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.estimating.estimate import MetricResult, SuiteEstimate

NOTHING = "-"


def estimate_json(found: SuiteEstimate) -> dict[str, Any]:
    """The machine-readable form."""
    return {
        "policy": found.policy,
        "simulator": found.simulator,
        "metrics": {result.name: _metric_json(result) for result in found.results},
        "items": {
            "suite": found.suite_items,
            "present": found.suite_items - len(found.missing),
            "missing": list(found.missing),
            "missing_rule": found.missing_rule,
            "reasons": found.reasons,
            "all": found.all_items,
            "measured": found.measured_items,
        },
        "counts": dict(found.counts),
        "warnings": list(found.warnings),
        "notes": list(found.notes),
        "servers_per_gpu": {str(servers): count for servers, count in found.loads.items()},
    } | ({} if found.until is None else {"until": until_json(found.until, found.suite_items)})


def _metric_json(result: MetricResult) -> dict[str, Any]:
    line, missing = result.estimate, result.if_missing
    policy = None
    if line.policy is not None and line.noise is not None:
        policy = asdict(line.policy) | {"noise_sd": line.noise.sd, "noise_source": line.noise.source}
    return {
        "estimate": line.value,
        "level": line.level,
        "run": ends(line.run),
        "policy": policy,
        "estimator": line.method,
        "reason": line.reason,
        "full": result.full,
        "if_missing": None if missing is None else {"worst": missing[0], "best": missing[1]},
    }


def print_estimate(suite: Suite, found: SuiteEstimate) -> None:
    """The text form; the policy's interval leads."""
    out = console()
    present = found.suite_items - len(found.missing)
    routes = "unknown route set" if suite.route_set == UNKNOWN else suite.route_set
    where = "" if found.simulator == UNKNOWN_SIMULATOR else f", simulated in {found.simulator}"
    said = f"{found.policy} on {suite.benchmark} ({routes}){where}"
    say(out, f"{said}: {present} of {found.suite_items} suite items")
    _print_lines(out, suite, found)
    _print_missing(out, found)
    sentences(out, [*_reasons(found), *_noise(suite, found), *_counted(found), *found.notes])
    sentences(out, found.warnings, mark="warning")


def _print_lines(out: Console, suite: Suite, found: SuiteEstimate) -> None:
    level = found.results[0].estimate.level
    shown = _displayed(suite, found)
    full = any(result.full is not None for result in found.results)
    heads = [
        "metric",
        "estimate",
        f"policy {100 * level:g}%",
        f"this run {100 * level:g}%",
        *(["full"] if full else []),
        "unit",
    ]
    rows = []
    for result in found.results:
        line = result.estimate
        known = [_number(result.full)] if full else []
        rows.append([result.name, shown[result.name], _range(line.policy), _range(line.run), *known, result.unit])
    table(out, heads, rows)


def _counted(found: SuiteEstimate) -> list[str]:
    """What the full column is about, and what was read."""
    lines = []
    if any(result.full is not None for result in found.results) and found.measured_items < found.all_items:
        rule = (
            "the others score zero where the benchmark says so" if found.missing_rule == "zero" else "others left out"
        )
        lines.append(f"full: {found.measured_items} of {found.all_items} items have a result, {rule}")
    counted = {name: count for name, count in found.counts.items() if count and name not in {"routes", "no_record"}}
    if counted:
        lines.append("read: " + ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counted.items()))
    return lines


def _reasons(found: SuiteEstimate) -> list[str]:
    """One sentence a reason, with the metrics it is about."""
    reasons: dict[str, list[str]] = {}
    for result in found.results:
        if result.estimate.reason:
            reasons.setdefault(result.estimate.reason, []).append(result.name)
    return [f"{listed(names)}: {reason}" for reason, names in reasons.items()]


def _noise(suite: Suite, found: SuiteEstimate) -> list[str]:
    """One sentence a source of run noise; domains have their metric's."""
    sources: dict[str, list[str]] = {}
    domains = {domain.name for domain in suite.domains}
    for result in found.results:
        noise = result.estimate.noise
        if noise is not None and result.estimate.policy is not None and result.name not in domains:
            sources.setdefault(noise.source, []).append(f"{result.name} {noise.sd:.3g}")
    return [f"run noise (sd of one item between runs), {source}: {listed(sds)}" for source, sds in sources.items()]


def _displayed(suite: Suite, found: SuiteEstimate) -> dict[str, str]:
    """Estimates as shown; a benchmark that rounds its own numbers has them rounded its way."""
    values = {result.name: result.estimate.value for result in found.results}
    known = {name: value for name, value in values.items() if value is not None}
    kind = DEFINITIONS.get(suite.benchmark)
    if kind is None or kind.rounded is None:
        return {name: _number(value) for name, value in values.items()}
    rounded = kind.rounded(known)
    return {name: f"{rounded[name]:.1f}" if name in rounded else NOTHING for name in values}


def _number(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.4f}" if abs(value) < 1.5 else f"{value:.2f}"


def _range(interval: Interval | None) -> str:
    return NOTHING if interval is None else f"{_number(interval.low)} to {_number(interval.high)}"


def _print_missing(out: Console, found: SuiteEstimate) -> None:
    if not found.missing:
        return
    rule = "left out" if found.missing_rule == "exclude" else "scored at their worst"
    why = [f"{item} ({found.reasons[item]})" for item in found.missing]
    say(out, f"missing: {len(found.missing)} of {found.suite_items} items, {rule}: {listed(why, 6)}")
    bounds = [
        f"{r.name} {_number(r.if_missing[0])} to {_number(r.if_missing[1])}" for r in found.results if r.if_missing
    ]
    if bounds:
        say(out, f"with all of them at their worst or best the estimates are: {'; '.join(bounds)}")
