"""A comparison of two policies in words."""

from __future__ import annotations

from rich.console import Console

from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.cli.tables import console, listed, say, sentences, table
from bestrand_drive.compression.comparison.lines import OWN_REPEATS
from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.results import MetricDifference, Verdict
from bestrand_drive.workflows.comparing.comparison import Comparison
from bestrand_drive.workflows.comparing.figures import NOTHING, decimals, signed, span

SHOWN_FLIPS = 8


def print_comparison(found: Comparison) -> None:
    """The text form: the verdict leads, then the table, then what to bear in mind."""
    out = console()
    for line in found.metrics[:1]:
        say(out, verdict_words(found, line))
    _print_lines(out, found)
    _print_missing(out, found)
    _print_flips(out, found)
    sentences(out, [*_reasons(found), *_noise(found), *found.notes])
    sentences(out, found.cautions, mark="caution")


def verdict_words(found: Comparison, line: MetricDifference) -> str:
    """What the line says, in plain words."""
    who = f"{found.candidate.name} against {found.baseline.name}, {line.name}"
    around, difference = line.interval, line.difference
    if around is None or difference is None or line.paired is None:
        return f"{who}: no verdict ({line.reason})"
    digits = decimals(line.baseline, line.candidate)
    moved = " ".join(part for part in (signed(difference, digits), line.unit) if part)
    said = f"{moved} ({100 * line.level:g} %: {span(around, digits)})"
    if line.verdict is not Verdict.OPEN:
        return f"{who}: {line.verdict.value if line.verdict else ''}, {said}"
    return f"{who}: not distinguishable at this size, {said}; {_would_be(found, line, line.paired)}"


def _would_be(found: Comparison, line: MetricDifference, paired: PairedDifference) -> str:
    """With how much more a true difference of the measured size would be found."""
    items = paired.items_to_detect(paired.value, line.level)
    repeats = paired.repeats_to_detect(paired.value, line.level)
    ways = [f"about {items} items"] if items else []
    if repeats and repeats > 1:
        now = round(max(line.runs))
        ways.append(f"{now * repeats} runs of each item on both sides" + ("" if items else " as it seems"))
    detectable = line.detectable or 0.0
    sees = f"a true difference of {number(detectable)} would be found in 80 of 100 cases"
    if paired.sees_nothing(line.level):
        sees = "no difference that is possible would be found in 80 of 100 cases"
    if not ways:
        return f"{sees}; one as small as this by no size of a suite of these {found.all_items} items"
    return f"{sees}, one as small as this with {' or '.join(ways)}"


def _print_lines(out: Console, found: Comparison) -> None:
    level = found.metrics[0].level
    heads = ["metric", found.baseline.name, found.candidate.name, "difference", f"{100 * level:g}%", "verdict"]
    rows = [
        [
            line.name,
            number(line.baseline),
            number(line.candidate),
            signed(line.difference, decimals(line.baseline, line.candidate)),
            span(line.interval, decimals(line.baseline, line.candidate)),
            line.verdict.value if line.verdict else NOTHING,
            number(line.detectable),
            line.unit,
        ]
        for line in found.metrics
    ]
    table(out, [*heads, "detectable", "unit"], rows)
    where = "" if found.simulator == UNKNOWN_SIMULATOR else f", simulated in {found.simulator}"
    say(out, f"paired on {len(found.paired)} of {found.suite_items} suite items of {found.all_items}{where}")


def _print_missing(out: Console, found: Comparison) -> None:
    gone = {**found.baseline.missing, **found.candidate.missing}
    if not gone:
        return
    rule = "scored at their worst" if found.missing_rule == "zero" else "left out"
    sides = [f"{side.name} {len(side.missing)}" for side in (found.baseline, found.candidate) if side.missing]
    why = [f"{item} ({reason})" for item, reason in gone.items()]
    say(out, f"missing: {', '.join(sides)}, {rule}: {listed(why, 6)}")
    bounds = [_bounds(line, *line.if_missing) for line in found.metrics if line.if_missing]
    if bounds:
        say(out, f"with all of them at their worst for one and best for the other: {'; '.join(bounds)}")


def _bounds(line: MetricDifference, low: PairedDifference, high: PairedDifference) -> str:
    digits = decimals(line.baseline, line.candidate)
    return f"{line.name} {signed(low.value, digits)} to {signed(high.value, digits)}"


def _print_flips(out: Console, found: Comparison) -> None:
    for metric in dict.fromkeys(flip.metric for flip in found.flips):
        flips = [flip for flip in found.flips if flip.metric == metric]
        real = [flip for flip in flips if not flip.within_noise]
        lost = sum(flip.candidate < flip.baseline for flip in flips)
        said = f"{metric}: {len(flips)} items flipped, {len(flips) - lost} up and {lost} down"
        noise = "all within noise" if not real else f"{len(flips) - len(real)} within noise"
        usual = _usual_flips(found[metric], len(found.paired))
        names = [f"{flip.item}{'+' if flip.candidate > flip.baseline else '-'}" for flip in real or flips]
        say(out, f"{said}, {noise}{usual}: {listed(names, SHOWN_FLIPS)}")


def _usual_flips(line: MetricDifference, items: int) -> str:
    """How many items flip between single runs of one policy, by the noise that the suite borrows."""
    paired = line.paired
    if paired is None or not paired.parts.reference or not paired.size or max(line.runs) > 1:
        return ""
    return f" (two runs of one policy flip about {round(items * paired.parts.reference / paired.size**2)})"


def _reasons(found: Comparison) -> list[str]:
    return [f"{line.name}: {line.reason}" for line in found.metrics if line.reason]


def _noise(found: Comparison) -> list[str]:
    """Where run noise comes from; metrics that agree share a sentence."""
    sources: dict[str, list[str]] = {}
    for line in found.metrics:
        if line.paired is not None:
            sources.setdefault(line.noise_source, []).append(line.name)
    one = len(sources) == 1
    said = {source: f"run noise: {source}" if source == OWN_REPEATS else source for source in sources}
    return [said[source] if one else f"{', '.join(names)}: {said[source]}" for source, names in sources.items()]


def number(value: float | None) -> str:
    """A figure, or a dash."""
    return NOTHING if value is None else f"{value:.{decimals(value)}f}"
