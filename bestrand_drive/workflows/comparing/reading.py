"""One policy of a comparison as read: its scores, how they were made, and what must be said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import torch

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.benchmarks.records import PolicyResults
from bestrand_drive.benchmarks.run_header import UNKNOWN_SIMULATOR
from bestrand_drive.errors import Incomplete, UsageError
from bestrand_drive.files import printable
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.simulation.attempts.loads import mixture
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.comparing.provenance import Provenance, provenance_of, refuse_unlike, told_by_header
from bestrand_drive.workflows.comparing.repeats import independent
from bestrand_drive.workflows.estimating.knowledge import chosen_numbers
from bestrand_drive.workflows.estimating.missing import only_chosen, unboundable
from bestrand_drive.workflows.estimating.targets import TABLE, Target, read_target
from bestrand_drive.workflows.evidence.digests import score_digest


@dataclass(frozen=True)
class Contestant:
    """Where the results of a policy are.

    Attributes:
        results: Result file or folder; for a ``scores`` suite a table.
        name: Of the policy, in a table its column; None takes the file's.
    """

    results: Path
    name: str | None = None


@dataclass(frozen=True)
class Entry:
    """A policy as read.

    Attributes:
        target: Its scores.
        made: How.
        copies: Repeats that were left out because they say what another one does.
    """

    target: Target
    made: Provenance
    copies: int


def read_entry(suite: Suite, contestant: Contestant, missing: MissingRule, *, allow_mismatch: bool) -> Entry:
    """Read one side.

    Raises:
        DataRefused: See ``read_target``.
        Incomplete: No chosen item was measured.
        UsageError: Missing items are to be scored at a worst value that is not known.
    """
    made = Provenance() if suite.benchmark == TABLE else provenance_of(contestant.results)
    copies = 0

    def kept(results: PolicyResults) -> PolicyResults:
        nonlocal copies
        results, copies = independent(results, made.seeds)
        return results

    target = read_target(
        suite,
        contestant.results,
        name=contestant.name,
        missing=missing,
        allow_mismatch=allow_mismatch,
        kept=kept,
    )
    if not bool(only_chosen(target, suite).valid.any()):
        raise Incomplete(f"{target.name}: none of the suite's {suite.k} items has a usable result; run it first.")
    unbounded = unboundable(target, suite) if missing == "zero" else []
    if unbounded:
        raise UsageError(f"--missing zero: no worst value is known for {', '.join(unbounded)}; use --missing exclude.")
    return Entry(target, told_by_header(made, target.simulator), copies)


def told_apart(entries: Sequence[Entry], contestants: Sequence[Contestant]) -> list[Entry]:
    """The entries; where two have one name, all are called by the folder above too (``main/results``)."""
    if len({one.target.name for one in entries}) == len(entries):
        return list(entries)
    above = [printable(one.results.resolve().parent.name) for one in contestants]
    return [
        replace(one, target=replace(one.target, name=f"{folder}/{one.target.name}"))
        for one, folder in zip(entries, above, strict=True)
    ]


def refuse_unlike_entries(entries: Sequence[Entry]) -> None:
    """Refuse when any two were made unlike: all are compared with each other, and the first may tell nothing.

    Raises:
        DataRefused: Naming what differs.
    """
    for one, other in combinations(entries, 2):
        refuse_unlike(
            (one.target.name, other.target.name),
            (one.made, other.made),
            (set(one.target.loads), set(other.target.loads)),
        )


def on_items(scores: ScoreMatrix, items: Sequence[str]) -> ScoreMatrix:
    """The scores on some items; everything else is hidden."""
    place = {item: number for number, item in enumerate(scores.items)}
    return scores.hidden_outside(torch.tensor([place[item] for item in items], dtype=torch.long))


def digest_of(suite: Suite, entry: Entry) -> str:
    """What tells this policy from others: its identity where a run folder says it, else its scores on the suite."""
    return entry.made.policy or f"scores:{_score_digest(suite, entry)}"


def _score_digest(suite: Suite, entry: Entry) -> str:
    return score_digest(entry.target.scores, torch.from_numpy(chosen_numbers(suite)))


def entry_cautions(suite: Suite, entries: Sequence[Entry]) -> Iterator[str]:
    """What a reader must know of the policies before using the numbers, as sentences."""
    yield from _simulated(entries)
    for entry in entries:
        target = entry.target
        if said := mixture(target.loads):
            yield f"{target.name}: {said}"
        if crashed := target.counts.get("agent_crashed", 0):
            records = target.counts.get("records", 0)
            yield f"{target.name}: {crashed} of {records} records are agent crashes; they count as its own scores"
        if entry.copies:
            yield (
                f"{target.name}: {entry.copies} repeats have the traffic seed and the content of another one; "
                "they are not independent and count once"
            )
    yield from _relations(suite, entries)


def _simulated(entries: Sequence[Entry]) -> Iterator[str]:
    unknown = [one.target.name for one in entries if one.target.simulator == UNKNOWN_SIMULATOR]
    driven = [one for one in entries if one.target.simulator == "headless"]
    if driven:
        yield "simulated on the headless server, whose scores are not CARLA's: this compares stacks, not driving"
    if unknown and any(one.target.official for one in entries):
        yield (
            f"the results of {', '.join(unknown)} do not say what simulated them; that all were made with one "
            "simulator, build, evaluator and load is for you to know"
        )


def _relations(suite: Suite, entries: Sequence[Entry]) -> Iterator[str]:
    digests = [_score_digest(suite, one) for one in entries]
    for number, one in enumerate(entries):
        twin = next((other for other in range(number) if digests[other] == digests[number]), None)
        if twin is not None:
            yield (
                f"{entries[twin].target.name} and {one.target.name} have exactly the same scores on the suite; "
                "are these two runs?"
            )
    probes = {probe.digest: probe.name for probe in suite.probes}
    names = {probe.name for probe in suite.probes}
    guided = [
        one.target.name for one, own in zip(entries, digests, strict=True) if own in probes or one.target.name in names
    ]
    if guided:
        yield f"{', '.join(guided)} guided the choice of this suite: the estimate leans on the same scores"
