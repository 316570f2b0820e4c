"""What compress works on, whatever the benchmark: probe scores with everything a suite has to remember."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from bestrand_drive.compression.noise import Noise
from bestrand_drive.scores.matrix import ScoreMatrix
from bestrand_drive.suite.schema import HarmonicMetric


@dataclass(frozen=True)
class ProbeInfo:
    """One probe as read.

    Attributes:
        name: As given.
        source: Name of the result file or folder, or of the column.
        licence: As given, else ``not stated``.
        counts: What the reader counted (records, usable, missing, duplicated ...).
        notes: What a reader must know, as sentences.
        full: Its totals by the benchmark's own rule, by metric; empty when the benchmark has none.
    """

    name: str
    source: str
    licence: str
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    full: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """Probe scores on a benchmark.

    Attributes:
        benchmark: ``bench2drive``, ``fail2drive`` or ``scores``.
        route_set: Name of the known route set or score table.
        source_sha256: Hash of the route files or of the score table.
        scores: Policies are the probes (possibly none); items are all N of the benchmark.
        probes: In the order of the matrix.
        members: Route or item ids of each item; empty tuples for single items.
        domain_metric: Metric that domains are reported on, "" without domains.
        harmonic: Metrics that derive from two others.
        fragile: Item ids known to crash simulators.
        noise: Reference run noise a metric.
        ceiling: See ``Suite.ceiling``.
        findings: What is unlike the known files, as sentences.
        imported: See ``Suite.imported``.
        contents: See ``Suite.contents``.
        files: Gives the suite's own files, name -> content, for the chosen item ids.
    """

    benchmark: str
    route_set: str
    source_sha256: str
    scores: ScoreMatrix
    probes: tuple[ProbeInfo, ...]
    members: tuple[tuple[str, ...], ...]
    files: Callable[[Collection[str]], dict[str, bytes]]
    domain_metric: str = ""
    harmonic: tuple[HarmonicMetric, ...] = ()
    fragile: tuple[str, ...] = ()
    noise: Mapping[str, Noise] = field(default_factory=dict)
    ceiling: Mapping[str, Mapping[int, tuple[int, int]]] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    imported: Mapping[str, Any] | None = None
    contents: Mapping[str, str] = field(default_factory=dict)
