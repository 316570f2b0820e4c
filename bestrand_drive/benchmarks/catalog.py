"""Known route sets and the rules of their benchmarks, from ``route_configs/*.yaml``; which one a user's file is.

A route set is recognised by hashes only: the whole file's, or each route's content. A route's id alone is no key:
two of Bench2Drive's route files share ids 26990 and 4183 with different content.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from bestrand_drive.benchmarks.benchmark import MetricDescription
from bestrand_drive.benchmarks.configs import configs_folder, damaged, read_config
from bestrand_drive.benchmarks.routes import RouteFile

UNKNOWN = "unknown"
_HASH_DIGITS = 16
_LISTED = 10
_Model = TypeVar("_Model", bound=BaseModel)


class MetricRules(BaseModel):
    """One metric as a YAML file describes it; the fields are those of ``MetricDescription``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: str
    low: float | None
    high: float | None
    higher_is_better: bool
    binary: bool
    ratio: bool
    select: bool
    note: str = ""


class BenchmarkRules(BaseModel):
    """What belongs to a benchmark whatever its route file.

    ``ceiling_coverage``: metric -> items of a replayed suite -> how many 95 % intervals held the truth, and out of how
    many, among policies that showed no failure on it (scripts/figures.py). ``title``, ``source`` and ``url`` are what
    one cites.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    benchmark: str
    title: str = ""
    source: str = ""
    url: str = ""
    metrics: dict[str, MetricRules]
    abilities: dict[str, tuple[str, ...]] = {}
    run_noise: dict[str, float]
    run_noise_source: str
    ceiling_coverage: dict[str, dict[int, tuple[int, int]]] = {}

    def descriptions(self) -> tuple[MetricDescription, ...]:
        """The metrics, in the order of the file."""
        return tuple(MetricDescription(name=name, **rules.model_dump()) for name, rules in self.metrics.items())


class RouteSet(BaseModel):
    """One known route set: its files by SHA-256, and each route's content hash (first 16 hex digits)."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    benchmark: str
    files: dict[str, str]
    count: int
    towns: dict[str, int]
    types: dict[str, int]
    routes: dict[str, str]
    fragile: dict[str, str] = {}


@dataclass(frozen=True)
class Identification:
    """Which known route set some files are.

    Attributes:
        name: Of the route set when all its routes are there unchanged and no others; else ``unknown``.
        nearest: The known set with the most routes in common, None when there is none.
        findings: What differs, as sentences; empty for an exact copy.
        unchanged: Ids of the routes that are the nearest set's, content included.
    """

    name: str
    nearest: RouteSet | None
    findings: tuple[str, ...]
    unchanged: frozenset[str]


def load_rules(benchmark: str) -> BenchmarkRules:
    """Rules of ``bench2drive``, ``fail2drive`` or ``builtin``."""
    path = configs_folder() / f"{benchmark}.yaml"
    return _validated(BenchmarkRules, path, read_config(path))


def load_route_sets(benchmark: str) -> tuple[RouteSet, ...]:
    """All known route sets of one benchmark, by name."""
    read = {path: read_config(path) for path in sorted(configs_folder().glob(f"{benchmark}*.yaml"))}
    return tuple(_validated(RouteSet, path, content) for path, content in read.items() if "routes" in content)


def identify(files: Sequence[RouteFile], benchmark: str) -> Identification:
    """Name the route set that ``files`` are, or say what differs from the nearest one.

    Args:
        files: The route files of one benchmark.
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``.
    """
    present = {route.id: route.sha256[:_HASH_DIGITS] for file in files for route in file.routes}
    matches = [_compare(present, known) for known in load_route_sets(benchmark)]
    best = max(matches, key=lambda match: (len(match.unchanged), -match.known.count), default=None)
    if best is None or not best.unchanged:
        finding = f"unknown route set: none of its {len(present)} routes is in a known {benchmark} route file"
        return Identification(UNKNOWN, None, (finding,), frozenset())
    if sorted(file.sha256 for file in files) == sorted(best.known.files.values()):
        return Identification(best.known.name, best.known, (), best.unchanged)
    complete = len(best.unchanged) == len(present) == best.known.count
    name = best.known.name if complete else UNKNOWN
    return Identification(name, best.known, (best.describe(len(present)),), best.unchanged)


@dataclass(frozen=True)
class _Match:
    """How a user's routes relate to one known set."""

    known: RouteSet
    unchanged: frozenset[str]
    changed: tuple[str, ...]
    foreign: tuple[str, ...]

    def describe(self, present: int) -> str:
        known, same = self.known, len(self.unchanged)
        if same == present == known.count:
            return f"same routes as {known.name}, other whitespace or file layout"
        parts = [f"{same} of {known.name}'s {known.count} routes"]
        if self.changed:
            parts.append(f"{len(self.changed)} changed: {_some(self.changed)}")
        if self.foreign:
            parts.append(f"{len(self.foreign)} not in it: {_some(self.foreign)}")
        return ", ".join(parts)


def _compare(present: dict[str, str], known: RouteSet) -> _Match:
    return _Match(
        known,
        frozenset(route for route, digest in present.items() if known.routes.get(route) == digest),
        tuple(route for route, digest in present.items() if known.routes.get(route, digest) != digest),
        tuple(route for route in present if route not in known.routes),
    )


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_LISTED]) + (" ..." if len(ids) > _LISTED else "")


def _validated(model: type[_Model], path: Path, content: dict[str, Any]) -> _Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise damaged(path, error) from error
