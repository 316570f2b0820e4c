"""The suite: the chosen items with everything needed to use them later. Schema of ``suite.json``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from bestrand_drive.files import dump_json, sha256_bytes
from bestrand_drive.scores.metrics import LARGEST

SCHEMA_VERSION = 1
DIGITS = 9
"""Significant digits kept of every statistic: the last bits of a linear-algebra library must not change a file."""


TINY = 1e-12
"""What is smaller is rounding residue of a zero, which no two libraries agree on."""


def _round(value: float) -> float:
    return 0.0 if abs(value) < TINY else float(f"{value:.{DIGITS}g}")


_MOST = 10 * LARGEST
"""Of a number in metric units, with room for differences and sums of scores."""
Number = Annotated[float, AfterValidator(_round), Field(allow_inf_nan=False, ge=-_MOST, le=_MOST)]
Amount = Annotated[float, AfterValidator(_round), Field(allow_inf_nan=False, ge=0, le=_MOST)]
Variance = Annotated[float, AfterValidator(_round), Field(allow_inf_nan=False, ge=0, le=_MOST**2)]
Count = Annotated[int, Field(ge=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class MixedModel(_Model):
    """Constants of the difficulty model of one metric (metric units; see ``compression.difficulty``)."""

    beta: tuple[Number, Number]
    v_b: tuple[Variance, Variance]
    s_u2: Variance
    s_e2: Variance
    within_variance: Variance
    between_variance: Variance


class Regression(_Model):
    """Probe regression of one metric, for suites without strata (see ``compression.estimators.expc``).

    Attributes:
        slope: Exchangeable slope b0.
        variance: Mean variance of the probes over the pool.
        correlation: Their mean correlation.
        pool: Items of the pool.
        scores: [chosen item][probe column], centred on the pool's mean.
    """

    slope: Number
    variance: Variance
    correlation: Annotated[Number, Field(ge=0, le=1)]
    pool: Count
    scores: list[list[Number]]


class SuiteNoise(_Model):
    """Run noise of one metric when the target was run once: standard deviation on one item, and its source."""

    sd: Amount
    source: str


class SuiteMetric(_Model):
    """One metric: its specification and what the probes tell about it.

    Attributes:
        within: [item] probe difficulty inside the stratum, or None without probe data.
        between: [item] mean probe difficulty of the stratum, or None without probe data.
        expected_error: Mean absolute error expected of the estimate for a policy like the probes, metric units.
    """

    name: str
    low: Number | None
    high: Number | None
    higher_is_better: bool
    unit: str
    binary: bool
    ratio: bool
    model: MixedModel | None
    within: list[Number] | None
    between: list[Number] | None
    regression: Regression | None
    noise: SuiteNoise | None
    expected_error: Amount | None


class SuiteProbe(_Model):
    """One probe.

    Attributes:
        name: Name given by the user.
        family: Family it was averaged in, or None.
        copy_of: Earlier probe with exactly its scores (counted once), or None.
        source: Name of its result file or folder, or of its column (the paths are in ``provenance.json``).
        licence: As given by the user; ``not stated`` otherwise.
        items: Items it has a score on.
        full: Its value over all items it has, one a metric.
        digest: SHA-256 of its scores on the chosen items, to recognise a target that is this probe.
        full_digest: The same over all items.
        hours: Its hours on the chosen items and on all (gaps filled), or None when not recorded.
    """

    name: str
    family: str | None
    copy_of: str | None
    source: str
    licence: str
    items: Annotated[int, Field(ge=0)]
    full: dict[str, Number]
    digest: str
    full_digest: str
    hours: tuple[Amount, Amount] | None = None


class SuiteItem(_Model):
    """One item of the benchmark, chosen or not.

    Attributes:
        id: Item id.
        stratum: Label, or None.
        members: Route or item ids it stands for when it is a pair or a group; empty for a single one.
        weight: What it counts in the benchmark's mean.
        in_pool: Whether the probes have scores on it.
        cost_s: Mean duration over the probes, or as given, seconds; None when not known or not kept.
    """

    id: str
    stratum: str | None = None
    members: list[str] = []
    weight: Amount = 1.0
    in_pool: bool = True
    cost_s: Amount | None = None

    @property
    def leaves(self) -> list[str]:
        """The routes or table rows that it stands for: its members, or itself."""
        return self.members or [self.id]


class HarmonicMetric(_Model):
    """A metric that is the harmonic mean of two others."""

    name: str
    score: str
    success: str


class Domain(_Model):
    """A part of the benchmark that is reported on its own: the mean of ``metric`` over ``items``."""

    name: str
    metric: str
    items: list[str]


class Choice(_Model):
    """How the items were chosen.

    Attributes:
        selector: Its name.
        seed: Of every draw.
        settings: What was set, and what the search found.
        excluded: Item ids that could not be chosen, with the reason.
        undriven_strata: Strata without a chosen item.
    """

    selector: str
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    settings: dict[str, str | int | float | bool | None]
    excluded: dict[str, str]
    undriven_strata: list[str]


class Predecessor(_Model):
    """The suite that this one was refreshed from.

    Attributes:
        digest: Its ``choice_digest``.
        kept: Ids in both, benchmark order.
        removed: Ids in the predecessor only.
        added: Ids in this suite only.
    """

    digest: str
    kept: list[str]
    removed: list[str]
    added: list[str]


class Suite(_Model):
    """A frozen choice of items (``suite.json``).

    Attributes:
        benchmark: ``bench2drive``, ``fail2drive``, ``builtin`` or ``scores``.
        route_set: Name of the known route set or score table.
        source_sha256: Of the route files or the score table.
        n: Items of the benchmark, N.
        k: Chosen items.
        chosen: Their ids, benchmark order.
        strata: Items of each stratum; empty without strata.
        choice: How they were chosen.
        metrics: What is estimated, and what the probes tell of it.
        harmonic: Metrics that derive from two others.
        domains: Parts that are reported on their own.
        probes: Whose scores guided the choice.
        families: Policies that share a lineage, probes or not, by family.
        items: All N items.
        ceiling: Metric -> k -> (intervals that held, cases) of replays in which a suite of k items showed no failure.
        findings: What is unlike the known files, as sentences.
        predecessor: What it was refreshed from; left out of the file when it was not.
        imported: How its table was read from another tool's logs (``readers.spec``); left out when it was not.
        contents: Item (or member) id -> short hash of its content, by which later logs are joined; left out when empty.
        content_sha256: Of all the above, by which a later edit is noticed.
    """

    schema_version: Literal[1] = 1
    benchmark: Literal["bench2drive", "fail2drive", "builtin", "scores"]
    route_set: str
    source_sha256: str
    n: Count
    k: Count
    chosen: list[str]
    strata: dict[str, Count]
    choice: Choice
    metrics: list[SuiteMetric]
    harmonic: list[HarmonicMetric]
    domains: list[Domain]
    probes: list[SuiteProbe]
    families: dict[str, list[str]]
    items: list[SuiteItem]
    ceiling: dict[str, dict[Count, tuple[Annotated[int, Field(ge=0)], Count]]] = {}
    findings: list[str] = []
    predecessor: Predecessor | None = None
    imported: dict[str, JsonValue] | None = None
    contents: dict[str, str] = {}

    content_sha256: str = ""

    @property
    def item_ids(self) -> list[str]:
        """Ids of all N items, benchmark order."""
        return [item.id for item in self.items]

    def metric(self, name: str) -> SuiteMetric:
        """The metric of that name."""
        return next(metric for metric in self.metrics if metric.name == name)

    def predicted_hours(self) -> tuple[float, float] | None:
        """Hours of the chosen items and of all: the mean over the probes, else from the items' costs, else None."""
        known = [probe.hours for probe in self.probes if probe.hours]
        if known:
            return sum(part for part, _ in known) / len(known), sum(whole for _, whole in known) / len(known)
        costs = {item.id: item.cost_s for item in self.items}
        if any(cost is None for cost in costs.values()):
            return None
        seconds = {name: float(cost) for name, cost in costs.items() if cost is not None}
        return sum(seconds[name] for name in self.chosen) / 3600, sum(seconds.values()) / 3600

    def sealed(self) -> Suite:
        """The same suite with the hash of its content, by which a later edit is noticed."""
        return self.model_copy(update={"content_sha256": self.content_hash()})

    def content_hash(self) -> str:
        """SHA-256 of everything but the hash itself."""
        return sha256_bytes(dump_json(self._content({"content_sha256"})))

    def choice_digest(self) -> str:
        """SHA-256 of benchmark, source and chosen ids: names the suite, whatever else is kept of its probes."""
        return sha256_bytes("\n".join([self.benchmark, self.source_sha256, *self.chosen]).encode())

    def to_json(self) -> bytes:
        """The file's bytes; equal suites give equal bytes."""
        return dump_json(self._content(set()))

    def _content(self, without: set[str]) -> dict[str, Any]:
        """What is written and hashed; fields that came later only where they say something, as old files lack them."""
        later = {name for name in ("predecessor", "imported", "contents") if not getattr(self, name)}
        return self.model_dump(mode="json", exclude=without | later)
