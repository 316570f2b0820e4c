"""A comparison of two policies in words and as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.cli.tables import console, listed, say, sentences, table
from bestrand_drive.compression.comparison.paired import PairedDifference
from bestrand_drive.compression.comparison.results import MetricDifference, Verdict
from bestrand_drive.compression.intervals import Interval
from bestrand_drive.workflows.comparing.comparison import Comparison, Side

NOTHING = "-"
SHOWN_FLIPS = 8


def comparison_json(found: Comparison) -> dict[str, Any]:
    """The machine-readable form."""
    return {
        "benchmark": found.benchmark,
        "suite": found.suite_digest,
        "simulator": found.simulator,
        "baseline": _side_json(found.baseline),
        "candidate": _side_json(found.candidate),
        "metrics": {line.name: _line_json(line) for line in found.metrics},
        "items": {
            "suite": found.suite_items,
            "all": found.all_items,
            "paired": list(found.paired),
            "left_out": dict(found.left_out),
            "missing_rule": found.missing_rule,
            "prefix_blocks": found.prefix,
        },
        "flips": [
            {
                "item": flip.item,
                "metric": flip.metric,
                "baseline": flip.baseline,
                "candidate": flip.candidate,
                "runs": list(flip.runs),
                "within_noise": flip.within_noise,
            }
            for flip in found.flips
        ],
        "uses": found.uses,
        "cautions": list(found.cautions),
        "notes": list(found.notes),
    }


def _side_json(side: Side) -> dict[str, Any]:
    return {
        "policy": side.name,
        "simulator": side.simulator,
        "missing": dict(side.missing),
        "servers_per_gpu": {str(servers): count for servers, count in side.loads.items()},
        "counts": dict(side.counts),
    }


def _line_json(line: MetricDifference) -> dict[str, Any]:
    paired, verdict = line.paired, line.verdict
    content: dict[str, Any] = {
        "baseline": line.baseline,
        "candidate": line.candidate,
        "difference": line.difference,
        "level": line.level,
        "interval": ends(line.interval),
        "verdict": None if verdict is None else verdict.value,
        "higher_is_better": line.higher_is_better,
        "unit": line.unit,
        "runs": {"baseline": line.runs[0], "candidate": line.runs[1]},
        "noise_source": line.noise_source,
        "detectable": line.detectable,
        "reason": line.reason,
        "if_missing": None,
    }
    if paired is not None:
        parts = paired.parts
        content |= {
            "standard_error": paired.standard_error,
            "df": paired.df,
            "p_value": paired.p_value(),
            "variance": {"items": parts.items, "noise": parts.noise, "item_noise": parts.noise_variance},
            "items": paired.n,
            "estimator": paired.method,
        }
    if line.if_missing is not None:
        low, high = (_bound_json(one, line.level) for one in line.if_missing)
        content["if_missing"] = {"worst": low, "best": high}
    return content


def _bound_json(bound: PairedDifference, level: float) -> dict[str, Any]:
    return {"difference": bound.value, "interval": ends(bound.interval(level))}


def ends(interval: Interval | None) -> dict[str, float] | None:
    """An interval as JSON has it."""
    return None if interval is None else {"low": interval.low, "high": interval.high}


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
    said = f"{signed(difference)} {line.unit} ({100 * line.level:g} %: {signed(around.low)} to {signed(around.high)})"
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
            signed(line.difference),
            between(line.interval),
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
    bounds = [
        f"{line.name} {signed(line.if_missing[0].value)} to {signed(line.if_missing[1].value)}"
        for line in found.metrics
        if line.if_missing
    ]
    if bounds:
        say(out, f"with all of them at their worst for one and best for the other: {'; '.join(bounds)}")


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
    return [source if one else f"{', '.join(names)}: {source}" for source, names in sources.items()]


def number(value: float | None) -> str:
    """A figure, or a dash."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if abs(value) < 1.5 else f"{value:.2f}"


def signed(value: float | None) -> str:
    """A difference, always with its sign."""
    if value is None:
        return NOTHING
    return f"{value:+.4f}" if abs(value) < 0.1 else f"{value:+.2f}"


def between(interval: Interval | None) -> str:
    """An interval of differences, or a dash."""
    return NOTHING if interval is None else f"{signed(interval.low)} to {signed(interval.high)}"
