"""What a report holds, apart from how it looks: the same as JSON and on the page.

Numbers are in the metrics' own units; hours of driving are of wall time (of ``builtin`` simulated). None stands for
what is not known, and a reason says why wherever a reader would ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

SCHEMA = "bestrand-report/1"
KNOWN = "known"
"""Estimator of a probe's line: its own full score."""
State = Literal["completed", "failed", "measured", "missing"]
"""Of one item of one policy: driven to its end; ended otherwise, by the policy; has a score; has none."""


@dataclass(frozen=True)
class Ends:
    """Both ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """One metric of one policy.

    Attributes:
        estimate: Metric units; None when withheld.
        run: Interval for this run on all items.
        policy: Interval for the policy's mean over runs.
        noise_source: What run noise in ``policy`` rests on.
        estimator: Its name.
        reason: What must be known; "" for nothing.
        full: The policy's own value over (nearly) all items, when it has them.
        if_missing: With all missing items at their worst and at their best.
    """

    estimate: float | None
    run: Ends | None
    policy: Ends | None
    noise_source: str
    estimator: str
    reason: str
    full: float | None
    if_missing: Ends | None


@dataclass(frozen=True)
class Hours:
    """What a policy cost, hours.

    Attributes:
        suite: Driving on the suite's items, all repeats.
        others: Driving on items outside the suite.
        attempts: Of all attempts of a run folder from start to end, retries and map loads included.
        tried: Number of those attempts.
        in_vain: Those without a result.
        whole: Of the whole benchmark, as often: driven, and predicted by the items' durations where it was not.
        spared: The part of it that is outside the suite and was not driven.
    """

    suite: float | None
    others: float | None
    attempts: float | None
    tried: int
    in_vain: int
    whole: float | None
    spared: float | None


@dataclass(frozen=True)
class Policy:
    """One policy on the suite.

    Attributes:
        name: As given.
        source: Name of its result file or folder.
        simulator: What simulated it, "unknown" when nothing says.
        known: Whether it is a probe, so that nothing had to be estimated.
        lines: By metric.
        present: Items of the suite with a complete result.
        missing: Item -> why it has none.
        missing_rule: ``exclude`` or ``zero``.
        hours: What it cost.
        warnings: Before its numbers are used.
        notes: What else there is to say.
        provenance: Where its results are from: label and text.
    """

    name: str
    source: str
    simulator: str
    known: bool
    lines: Mapping[str, Line]
    present: int
    missing: Mapping[str, str]
    missing_rule: str
    hours: Hours
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: Mapping[str, str]


@dataclass(frozen=True)
class Try:
    """One attempt at a route of an item.

    Attributes:
        route: Its id.
        repeat: From 0.
        number: From 1.
        outcome: ``scored``, ``infrastructure`` and the like.
        said: Status or reason, in words.
        minutes: From start to end.
        place: Host and GPU, "" when not known.
    """

    route: str
    repeat: int
    number: int
    outcome: str
    said: str
    minutes: float | None
    place: str


@dataclass(frozen=True)
class Cell:
    """One item of the suite and one policy.

    Attributes:
        policy: Name.
        item: Id.
        stratum: Label, "" without strata.
        state: How it stands.
        status: In words, as the evaluator wrote it, or why there is nothing.
        values: By metric; None where it has none.
        hours: Of driving, all repeats.
        tries: Its attempts; empty where no run folder tells of them.
        log: End of the log of the last attempt that failed, "" for none.
        again: Commands that run its routes once more, in a folder of their own.
    """

    policy: str
    item: str
    stratum: str
    state: State
    status: str
    values: Mapping[str, float | None]
    hours: float | None
    tries: tuple[Try, ...] = ()
    log: str = ""
    again: tuple[str, ...] = ()


@dataclass(frozen=True)
class Share:
    """A part of the benchmark: how many of its items the suite has."""

    name: str
    pool: int
    chosen: int


@dataclass(frozen=True)
class Curve:
    """What to expect of an estimate by size of the suite: mean absolute error, metric units.

    Attributes:
        sizes: Ascending; the suite's own is among them.
        run: About this run on all items, one a size.
        policy: About the policy's mean over runs; empty when run noise is not known.
        floor: Of one run on all items about the policy: no suite is better; None when run noise is not known.
        reason: Why there is no curve; "" when there is one.
    """

    sizes: tuple[int, ...] = ()
    run: tuple[float, ...] = ()
    policy: tuple[float, ...] = ()
    floor: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Metric:
    """One number that is reported.

    Attributes:
        name: As in files.
        unit: In words.
        low: Least possible value.
        high: Greatest possible value.
        higher_is_better: Direction.
        part: Whether it is about a part of the benchmark (an ability).
        of_items: Whether every item has a value of its own.
        curve: Expected error by size; None for what is not planned.
    """

    name: str
    unit: str
    low: float | None
    high: float | None
    higher_is_better: bool
    part: bool
    of_items: bool
    curve: Curve | None


@dataclass(frozen=True)
class Probe:
    """Whose results guided the choice."""

    name: str
    source: str
    licence: str
    items: int


@dataclass(frozen=True)
class SuiteFacts:
    """What is told of the suite.

    Attributes:
        title: Of the benchmark, for people.
        benchmark: Its name.
        route_set: Of the known route set or score table.
        k: Chosen items.
        n: Items of the benchmark.
        item_word: What items are called, plural.
        stratum_word: What strata are called, plural.
        driving: Whether its items are driven.
        strata: Shares of each.
        parts: Shares of each part that is reported on its own.
        selector: How it was chosen.
        seed: Of that.
        imbalance: Distance between its and the pool's probe means; None without probes.
        candidates: How many subsets it was chosen from, None when not known.
        hours: Predicted of a policy, on the suite and on all items; None when not known.
        excluded: Item -> why it could not be chosen.
        findings: What is unlike known files.
        digest: Names it.
        source_sha256: Of the route files or the table.
        probes: Whose results guided the choice.
        uses: How many policies were judged on it, by its ledger; None when there is none.
    """

    title: str
    benchmark: str
    route_set: str
    k: int
    n: int
    item_word: str
    stratum_word: str
    driving: bool
    strata: tuple[Share, ...]
    parts: tuple[Share, ...]
    selector: str
    seed: int
    imbalance: float | None
    candidates: int | None
    hours: tuple[float, float] | None
    excluded: Mapping[str, str]
    findings: tuple[str, ...]
    digest: str
    source_sha256: str
    probes: tuple[Probe, ...]
    uses: int | None = None


@dataclass(frozen=True)
class ReportData:
    """A report.

    Attributes:
        suite: What was run on.
        level: Of all intervals.
        metrics: In the suite's order, the first one leads.
        policies: In the order given.
        cells: By policy, then in the suite's order.
        notes: What the report leaves out, and what else holds for all of it.
        version: Of this package.
    """

    suite: SuiteFacts
    level: float
    metrics: tuple[Metric, ...]
    policies: tuple[Policy, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    version: str

    def as_json(self) -> dict[str, Any]:
        """In terms of JSON."""
        return {"schema": SCHEMA, **asdict(self)}
