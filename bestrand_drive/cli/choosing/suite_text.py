"""A suite in words: what compress and inspect print."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from bestrand_drive.benchmarks.definitions import DEFINITIONS
from bestrand_drive.cli.tables import console, listed, say, sentences, share, table
from bestrand_drive.compression.selectors.registry import DRAWN
from bestrand_drive.suite.schema import Suite, SuiteProbe
from bestrand_drive.workflows.choosing.advice import advice
from bestrand_drive.workflows.evidence.evidence import Evidence

ITEM_WORDS = {name: known.item_word for name, known in DEFINITIONS.items()}
STRATUM_WORDS = {name: known.stratum_word for name, known in DEFINITIONS.items()}
COUNT_HEADS = (
    ("records", "records"),
    ("usable_routes", "usable"),
    ("infrastructure", "infra"),
    ("agent_crashed", "crashed"),
    ("no_record", "missing"),
)


def print_compressed(evidence: Evidence, suite: Suite, out_folder: Path) -> None:
    """What was read, what was chosen, what to do next."""
    out = console()
    _print_probes_read(out, evidence, suite)
    sentences(out, _probe_notes(evidence))
    print_suite(suite)
    sentences(out, list(advice(evidence, suite, ITEM_WORDS.get(suite.benchmark, "items"))))
    names = sorted({name.split("/")[0] + ("/" if "/" in name else "") for name in evidence.files(suite.chosen)})
    say(out, f"wrote {out_folder}: {', '.join(['suite.json', 'provenance.json', *names])}")
    who = "a policy" if suite.benchmark in ITEM_WORDS else "a model"
    say(out, f"next: run {who} on it, then  bestrand estimate {out_folder} --results RESULTS")


def _print_probes_read(out: Console, evidence: Evidence, suite: Suite) -> None:
    if not evidence.probes:
        return
    heads = [(key, head) for key, head in COUNT_HEADS if any(key in info.counts for info in evidence.probes)]
    metrics = [metric.name for metric in suite.metrics]
    rows = [
        [info.name, *(str(info.counts.get(key, "")) for key, _ in heads), *_totals(probe, metrics)]
        for info, probe in zip(evidence.probes, suite.probes, strict=True)
    ]
    table(out, ["probe", *(head for _, head in heads), *metrics, "hours"], rows)


def _probe_notes(evidence: Evidence) -> list[str]:
    """Each note once, with the probes that it is about."""
    about: dict[str, list[str]] = {}
    for info in evidence.probes:
        for note in info.notes:
            about.setdefault(note, []).append(info.name)
    every = len(evidence.probes)
    return [note if len(names) == every else f"{listed(names)}: {note}" for note, names in about.items()]


def _totals(probe: SuiteProbe, metrics: list[str]) -> list[str]:
    values = [f"{probe.full[name]:.4g}" if name in probe.full else "-" for name in metrics]
    return [*values, f"{probe.hours[1]:.1f}" if probe.hours else "-"]


def print_suite(suite: Suite) -> None:
    """The suite itself."""
    out = console()
    word = ITEM_WORDS.get(suite.benchmark, "items")
    choice = suite.choice
    say(
        out,
        f"suite: {suite.k} of {suite.n} {word} ({suite.k / suite.n:.1%}) of {suite.benchmark} ({suite.route_set}), "
        f"chosen by {choice.selector}, seed {choice.seed}",
    )
    unused = _unused(choice.selector)
    settings = {name: value for name, value in choice.settings.items() if value is not None and name not in unused}
    say(out, "settings: " + ", ".join(f"{name} {_plain(value)}" for name, value in settings.items()))
    if suite.strata:
        driven = len(suite.strata) - len(choice.undriven_strata)
        kind = STRATUM_WORDS.get(suite.benchmark, "strata")
        say(out, f"{kind}: {driven} of {len(suite.strata)} driven")
        say(out, f"{kind} not driven: {listed(choice.undriven_strata, 100) or 'none'}")
    for domain in suite.domains:
        inside = len(set(domain.items) & set(suite.chosen))
        say(out, f"{domain.name}: {inside} of {len(domain.items)} {word}")
    if choice.excluded:
        say(out, f"excluded: {listed([f'{item} ({reason})' for item, reason in choice.excluded.items()], 6)}")
    outside = sum(not item.in_pool for item in suite.items)
    if outside:
        say(out, f"pool: {suite.n - outside} of {suite.n} {word} have probe scores; the rest is estimated by stratum")
    if suite.predecessor:
        before = suite.predecessor
        say(out, f"refreshed: {len(before.kept)} {word} kept, {len(before.added)} new; predecessor {before.digest}")
    _print_hours(out, suite)
    _print_expected(out, suite)
    _print_probes(out, suite)
    sentences(out, suite.findings, mark="finding")


def _unused(selector: str) -> set[str]:
    """Settings that are kept of every choice and have no part in this selector's."""
    judged = {"balanced", "bestrand"}
    return ({"candidates"} if selector not in judged else set()) | ({"guard"} if selector not in DRAWN else set())


def _plain(value: str | int | float | bool | None) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _print_hours(out: Console, suite: Suite) -> None:
    hours = suite.predicted_hours()
    if hours is None:
        say(out, "predicted hours: unknown, no durations are recorded")
        return
    shares = sorted(probe.hours[0] / probe.hours[1] for probe in suite.probes if probe.hours and probe.hours[1] > 0)
    spread = f"; {shares[0]:.0%} to {shares[-1]:.0%} over the probes" if len(shares) > 1 else ""
    say(
        out,
        f"predicted hours a policy: {hours[0]:.2f} of {hours[1]:.2f} ({share(*hours)}{spread})"
        + (", driving only, without map loads and restarts" if suite.benchmark in ITEM_WORDS else ""),
    )


def _print_expected(out: Console, suite: Suite) -> None:
    expected = [
        f"{metric.name} {metric.expected_error:.3g} {metric.unit}".rstrip()
        for metric in suite.metrics
        if metric.expected_error is not None
    ]
    selector = suite.choice.selector
    if suite.probes and selector not in DRAWN:
        say(
            out,
            f"expected error: not known; {selector} does not draw at random (bestrand study measures it)",
        )
    elif expected:
        say(out, f"expected error of an estimate (mean absolute, a policy unlike the probes): {', '.join(expected)}")
    elif suite.probes:
        say(out, "expected error: not known (no per-item probe data is kept, or the probes overlap on too few items)")


def _print_probes(out: Console, suite: Suite) -> None:
    if not suite.probes:
        say(
            out,
            "probes: none; the choice is a stratified random sample" if suite.strata else "probes: none; random sample",
        )
        return
    names = [f"{probe.name} ({probe.family})" if probe.family else probe.name for probe in suite.probes]
    say(out, f"probes: {listed(names, 20)}")
