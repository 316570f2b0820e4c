"""The suite: the chosen items with everything needed to use them later. Schema of ``suite.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import dump_json, read_bytes, sha256_bytes

SCHEMA_VERSION = 1
DIGITS = 9
"""Significant digits kept of every statistic: the last bits of a linear-algebra library must not change a file."""


TINY = 1e-12
"""What is smaller is rounding residue of a zero, which no two libraries agree on."""


def _round(value: float) -> float:
    return 0.0 if abs(value) < TINY else float(f"{value:.{DIGITS}g}")


Number = Annotated[float, AfterValidator(_round), Field(allow_inf_nan=False)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MixedModel(_Model):
    """Constants of the difficulty model of one metric (metric units; see ``compression.difficulty``)."""

    beta: tuple[Number, Number]
    v_b: tuple[Number, Number]
    s_u2: Number
    s_e2: Number
    within_variance: Number
    between_variance: Number


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
    variance: Number
    correlation: Number
    pool: int
    scores: list[list[Number]]


class SuiteNoise(_Model):
    """Run noise of one metric when the target was run once: standard deviation on one item, and its source."""

    sd: Number
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
    expected_error: Number | None


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
    items: int
    full: dict[str, Number]
    digest: str
    full_digest: str
    hours: tuple[Number, Number] | None = None


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
    weight: Number = 1.0
    in_pool: bool = True
    cost_s: Number | None = None

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
    seed: int
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
    benchmark: str
    route_set: str
    source_sha256: str
    n: int
    k: int
    chosen: list[str]
    strata: dict[str, int]
    choice: Choice
    metrics: list[SuiteMetric]
    harmonic: list[HarmonicMetric]
    domains: list[Domain]
    probes: list[SuiteProbe]
    families: dict[str, list[str]]
    items: list[SuiteItem]
    ceiling: dict[str, dict[int, tuple[int, int]]] = {}
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


def read_suite(folder: str | Path) -> Suite:
    """Read ``suite.json`` of a suite folder (or the file itself).

    Raises:
        DataRefused: The file is absent, damaged, of a newer schema, or contradicts itself.
    """
    place = Path(folder)
    path = place if place.is_file() else place / "suite.json"
    content = read_bytes(path)
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataRefused(
            f"{path}: not valid JSON ({error}). Make the suite again with `bestrand compress`."
        ) from error
    return parsed_suite(raw, str(path))


def parsed_suite(raw: object, path: str) -> Suite:
    """A suite out of parsed JSON; ``path`` is only used in messages.

    Raises:
        DataRefused: See ``read_suite``.
    """
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if type(version) is not int or version != SCHEMA_VERSION:  # true and 1.0 equal 1
        raise DataRefused(
            f"{path}: schema version {version!r}; this version reads {SCHEMA_VERSION}. "
            "Make the suite again, or use the bestrand_drive version that wrote it."
        )
    try:
        suite = Suite.model_validate(raw)
        _check(suite, path)
    except UnicodeEncodeError as error:
        raise DataRefused(f"{path}: holds half of a surrogate pair, which is no text; make the suite again.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataRefused(f"{path}: {where}: {first['msg']} ({error.error_count()} faults).") from error
    return suite


def _check(suite: Suite, path: str) -> None:
    """Refuse a suite whose parts disagree."""
    known = set(suite.item_ids)
    lengths = {
        len(column) for metric in suite.metrics for column in (metric.within, metric.between) if column is not None
    }
    weights = {item.id: item.weight for item in suite.items}
    parts = {part for rule in suite.harmonic for part in (rule.score, rule.success)}
    faults = [
        (len(known) != len(suite.items), "an item id occurs twice"),
        (len(suite.items) != suite.n, f"{len(suite.items)} items are listed, n says {suite.n}"),
        (len(suite.chosen) != suite.k or len(set(suite.chosen)) != suite.k, "the chosen ids do not match k"),
        (not set(suite.chosen) <= known, "a chosen id is not among the items"),
        (not suite.chosen, "nothing is chosen"),
        (not suite.metrics, "it has no metric"),
        (min(weights.values(), default=0.0) < 0, "an item counts less than nothing"),
        (sum(weights.get(name, 0.0) for name in suite.chosen) <= 0, "the chosen items count nothing"),
        (not lengths <= {suite.n}, "a difficulty column has not one number an item"),
        (any(not _fits(metric.regression, suite.k) for metric in suite.metrics), "a regression has not a row an id"),
        (not parts <= {metric.name for metric in suite.metrics}, "a harmonic mean is of a metric that is not there"),
        (suite.predecessor is not None and not _follows(suite, suite.predecessor), "its predecessor is another's"),
        (suite.content_hash() != suite.content_sha256, "its content does not match its content_sha256"),
    ]
    for wrong, message in faults:
        if wrong:
            raise DataRefused(f"{path}: {message}. The file was edited or damaged; make the suite again.")


def _fits(regression: Regression | None, k: int) -> bool:
    """Whether a regression, where there is one, has a row for each chosen item, all of the same probes."""
    if regression is None:
        return True
    widths = {len(row) for row in regression.scores}
    return len(regression.scores) == k and len(widths) == 1 and 0 not in widths


def _follows(suite: Suite, before: Predecessor) -> bool:
    """Whether kept and added items make the suite, and removed ones are not in it."""
    parts = [*before.kept, *before.added]
    gone = set(before.removed)
    return len(parts) == suite.k and set(parts) == set(suite.chosen) and gone <= set(suite.item_ids) - set(suite.chosen)
