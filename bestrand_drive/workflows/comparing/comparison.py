"""What ``compare`` gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bestrand_drive.benchmarks.definitions import MissingRule
from bestrand_drive.compression.comparison.results import Flip, MetricDifference
from bestrand_drive.errors import UsageError


@dataclass(frozen=True)
class Side:
    """One of the two policies.

    Attributes:
        name: Of the policy.
        simulator: ``carla``, ``headless`` or ``unknown``.
        missing: Items of the compared part of the suite without a result -> why.
        loads: See ``estimating.targets.Target``.
        counts: What was counted while reading.
        scores: Item id -> metric -> mean over its runs, for the chosen items that were measured.
    """

    name: str
    simulator: str
    missing: Mapping[str, str]
    loads: Mapping[int, int]
    counts: Mapping[str, int]
    scores: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Comparison:
    """Candidate minus baseline, metric by metric.

    Attributes:
        benchmark: Of the suite.
        suite_digest: ``Suite.choice_digest``.
        suite_items: k.
        all_items: N.
        baseline: One side.
        candidate: The other.
        metrics: One line a metric, harmonic mean and domain, in the order of ``estimate``.
        paired: Ids of the items that both have, benchmark order.
        left_out: Chosen items that do not count -> why (missing on a side, or behind the common prefix).
        missing_rule: What was done with missing items; None when nothing was said, and then it is ``exclude``.
        prefix: Blocks of the suite's order that both finished, when a run was stopped early; else None.
        flips: Items on which a 0/1 metric came out the other way.
        simulator: Of both sides.
        uses: Distinct policies judged on this suite so far, these among them; None when the ledger cannot be read.
        cautions: What the reader must know before using the numbers.
        notes: What else is to be said.
    """

    benchmark: str
    suite_digest: str
    suite_items: int
    all_items: int
    baseline: Side
    candidate: Side
    metrics: tuple[MetricDifference, ...]
    paired: tuple[str, ...]
    left_out: Mapping[str, str]
    missing_rule: MissingRule | None
    prefix: int | None
    flips: tuple[Flip, ...]
    simulator: str
    uses: int | None
    cautions: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def incomplete(self) -> bool:
        """Whether items are missing on a side and nothing was said of them (exit code 6)."""
        return self.missing_rule is None and bool(self.baseline.missing or self.candidate.missing)

    def __getitem__(self, name: str) -> MetricDifference:
        """The line of one metric.

        Raises:
            UsageError: Unknown name; the message lists the known ones.
        """
        for line in self.metrics:
            if line.name == name:
                return line
        known = ", ".join(line.name for line in self.metrics)
        raise UsageError(f"No metric {name!r} in this comparison; it has {known}.")
