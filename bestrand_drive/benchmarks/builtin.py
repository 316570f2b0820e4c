"""The benchmark that comes with this package: routes of its own, its own evaluator, Bench2Drive's rules for records."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from bestrand_drive.benchmarks import bench2drive
from bestrand_drive.benchmarks.benchmark import Benchmark, ScoreTable
from bestrand_drive.benchmarks.builtin_routes import NAME, read_routes
from bestrand_drive.benchmarks.catalog import UNKNOWN, identify
from bestrand_drive.benchmarks.records import PolicyResults


def load(path: Path, part: str = "") -> Benchmark:
    """Read a route file.

    Args:
        path: Route file, or suite folder; ``items`` has one row a route, the stratum is the type of its first scenario.
        part: A named part of the shipped routes, "" for all routes of the file.

    Raises:
        DataRefused: The file is malformed, lacks routes of the part, or a route has no scenario.
        UsageError: There is no such part.
    """
    whole = read_routes(path)
    known = identify((whole,), NAME)
    if not part:
        return bench2drive.described(NAME, whole, known)
    name = UNKNOWN if known.name == UNKNOWN else f"{known.name}-{part}"
    return bench2drive.described(NAME, read_routes(path, part), replace(known, name=name))


def scores(benchmark: Benchmark, results: PolicyResults, metric_info: Path | None = None) -> ScoreTable:
    """As Bench2Drive's, whose map-based extra credit for traffic signs there is none of here.

    A route costs its simulated time: on the headless server wall time tells of the machine, and would differ from one
    run to the next where everything else is the same.
    """
    return bench2drive.scores(benchmark, results, metric_info, notes=(), duration_s=attrgetter("duration_game_s"))
