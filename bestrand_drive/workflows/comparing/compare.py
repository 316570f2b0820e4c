"""Compare: the difference of two policies on the whole benchmark from their results on a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.compression.comparison.flips import flips
from bestrand_drive.compression.comparison.lines import Pair, metric_differences
from bestrand_drive.compression.comparison.results import MetricDifference
from bestrand_drive.compression.selectors.registry import DRAWN
from bestrand_drive.errors import DataRefused, Incomplete
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.comparison import Comparison, Side
from bestrand_drive.workflows.comparing.pairing import Pairing, pairing
from bestrand_drive.workflows.comparing.reading import (
    Contestant,
    Entry,
    digest_of,
    entry_cautions,
    on_items,
    read_entry,
    refuse_unlike_entries,
    told_apart,
)
from bestrand_drive.workflows.comparing.request import CompareRequest
from bestrand_drive.workflows.comparing.uses import count_uses, folder_of
from bestrand_drive.workflows.estimating.knowledge import population_of
from bestrand_drive.workflows.estimating.missing import with_filled
from bestrand_drive.workflows.estimating.targets import TABLE, Target

__all__ = ["CompareRequest", "Contestant", "compare"]


def compare(
    suite: Suite,
    baseline: Contestant,
    candidate: Contestant,
    request: CompareRequest,
    ledger: Path | None = None,
) -> Comparison:
    """Compare two policies on a suite.

    Args:
        suite: What both were run on.
        baseline: Whose scores are taken off.
        candidate: The other.
        request: How.
        ledger: Suite folder in which the use is counted (``uses.jsonl``); None counts nothing.

    Raises:
        DataRefused: Results are damaged, or the sides were made by different simulators, builds, evaluators, routes or
            loads.
        Incomplete: No item of the suite was measured on both sides.
        UsageError: Unknown metric, or the level is out of range.
    """
    request.check(suite)
    entries = read_entries(suite, (baseline, candidate), request)
    pairs = pairing(suite, [one.target for one in entries])
    names = [one.target.name for one in entries]
    items, scores = paired_scores(suite, entries, pairs, request)
    pair = Pair(scores[0], scores[1], population_of(suite), request.level)
    lines = metric_differences(pair)
    lines = _with_bounds(suite, entries, pairs, pair, lines)
    wanted = request.metrics or tuple(lines)
    uses, trouble = counted_uses(ledger, suite, entries)
    return Comparison(
        benchmark=suite.benchmark,
        suite_digest=suite.choice_digest(),
        suite_items=suite.k,
        all_items=suite.n,
        baseline=_side(entries[0], pairs, 0, scores[0]),
        candidate=_side(entries[1], pairs, 1, scores[1]),
        metrics=tuple(lines[name] for name in wanted),
        paired=items,
        left_out=pairs.left_out(suite, names),
        missing_rule=request.missing,
        prefix=pairs.prefix,
        flips=tuple(flip for flip in flips(pair) if flip.metric in wanted),
        simulator=common_simulator(entries),
        uses=uses,
        cautions=(*trouble, *entry_cautions(suite, entries), *suite_cautions(suite, uses, pairs)),
        notes=notes_of(entries),
    )


def read_entries(suite: Suite, contestants: Sequence[Contestant], request: CompareRequest) -> list[Entry]:
    """Read all policies and refuse those that were made unlike each other; equal names are told apart by the folder.

    Raises:
        BestrandError: See ``compare``.
    """
    entries = [
        read_entry(suite, one, request.missing or "exclude", allow_mismatch=request.allow_mismatch)
        for one in contestants
    ]
    entries = told_apart(entries, contestants)
    refuse_unlike_entries(entries)
    return entries


def paired_scores(
    suite: Suite, entries: Sequence[Entry], pairs: Pairing, request: CompareRequest
) -> tuple[tuple[str, ...], list[ScoreMatrix]]:
    """Ids of the items that count and each policy's scores on them, missing ones scored as was asked for.

    Raises:
        Incomplete: There is none.
    """
    targets = [one.target for one in entries]
    items = pairs.paired
    if request.missing == "zero":
        targets, items = _filled(suite, targets, pairs, [False] * len(targets)), pairs.part
    if not items:
        names = ", ".join(target.name for target in targets)
        raise Incomplete(f"{names}: no item of the suite has a result on every side; run all of them on it.")
    return items, [on_items(target.scores, items) for target in targets]


def _filled(suite: Suite, targets: Sequence[Target], pairs: Pairing, best: Sequence[bool]) -> list[Target]:
    return [
        with_filled(target, sorted(gone), suite, best=side)
        for target, gone, side in zip(targets, pairs.missing, best, strict=True)
    ]


def _with_bounds(
    suite: Suite, entries: Sequence[Entry], pairs: Pairing, pair: Pair, lines: Mapping[str, MetricDifference]
) -> dict[str, MetricDifference]:
    """The lines with the differences that would be if all that is missing were at its worst, or best, for each side."""
    if not any(pairs.missing):
        return dict(lines)
    targets, ends = [one.target for one in entries], []
    for best in ((True, False), (False, True)):
        filled = [on_items(one.scores, pairs.part) for one in _filled(suite, targets, pairs, best)]
        ends.append(metric_differences(replace(pair, baseline=filled[0], candidate=filled[1])))
    open_ended = {metric.name for metric in suite.metrics if metric.ratio or metric.low is None or metric.high is None}
    out = {}
    for name, line in lines.items():
        low, high = (end[name].paired for end in ends)
        bounded = name not in open_ended and low is not None and high is not None
        out[name] = replace(line, if_missing=(low, high)) if bounded and low and high else line
    return out


def _side(entry: Entry, pairs: Pairing, number: int, scores: ScoreMatrix) -> Side:
    target = entry.target
    values = {spec.name: scores.masked(position)[:, 0] for position, spec in enumerate(scores.metrics)}
    known = [place for place in range(len(scores.items)) if bool(scores.valid[place, 0].any())]
    return Side(
        name=target.name,
        simulator=target.simulator,
        missing={item: target.reasons.get(item, "no result") for item in pairs.part if item in pairs.missing[number]},
        loads=target.loads,
        counts=target.counts,
        scores={scores.items[place]: _known(values, place) for place in known},
    )


def _known(values: Mapping[str, np.ndarray], place: int) -> dict[str, float]:
    return {name: float(column[place]) for name, column in values.items() if not np.isnan(column[place])}


def common_simulator(entries: Sequence[Entry]) -> str:
    """What simulated all of them, ``unknown`` where not all of them say."""
    found = {one.target.simulator for one in entries}
    return found.pop() if len(found) == 1 else UNKNOWN_SIMULATOR


def notes_of(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What was said while reading, each sentence once."""
    return tuple(dict.fromkeys(note for one in entries for note in one.target.notes))


def counted_uses(ledger: Path | None, suite: Suite, entries: Sequence[Entry]) -> tuple[int | None, list[str]]:
    """Uses of the suite, these policies among them, and what went wrong in counting."""
    if ledger is None:
        return None, []
    policies = {digest_of(suite, one): one.target.name for one in entries}
    try:
        return count_uses(folder_of(ledger), suite.choice_digest(), policies), []
    except (OSError, DataRefused) as error:
        return None, [f"this use of the suite could not be counted: {error}"]


def suite_cautions(suite: Suite, uses: int | None, pairs: Pairing) -> Iterator[str]:
    """What a reader must know of the suite, as sentences."""
    if pairs.prefix is not None:
        begun = f"the first {pairs.prefix} blocks of the suite's order ({len(pairs.part)} items)"
        yield f"a run was stopped early: only {begun} count"
    if suite.choice.selector not in DRAWN:
        yield f"{suite.choice.selector} did not draw the suite at random, which the intervals assume"
    many = "1 policy was" if uses == 1 else f"{uses} policies were"
    judged = "" if uses is None else f"{many} judged on this suite so far; "
    what = "items" if suite.benchmark == TABLE else "routes"
    yield f"{judged}the intervals assume that nothing was tuned on its {what}"
