"""The driving benchmarks by name, with all that differs between them; a new one is a module that is named here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bestrand_drive.benchmarks import bench2drive, builtin, builtin_routes, fail2drive
from bestrand_drive.benchmarks.benchmark import Benchmark, ScoreTable
from bestrand_drive.benchmarks.records import PolicyResults
from bestrand_drive.errors import UsageError, choices

MissingRule = Literal["zero", "exclude"]


@dataclass(frozen=True)
class Definition:
    """What a driving benchmark does.

    Attributes:
        name: On the command line and in suites.
        load: Reads the user's route file or folder.
        scores: Turns a policy's records into a table; the path is a folder of per-step records, or None.
        totals: The benchmark's own totals by metric, missing routes scored zero or left out.
        suite_files: The files of a suite, relative name -> content, for the chosen item ids.
        item_word: What items are called.
        stratum_word: What strata are called.
        domain_metric: Metric that domains are means of, "" without domains.
        harmonic: Name, score metric and success metric of each harmonic mean it reports.
        rounded: Totals and estimates as the benchmark prints them, None for plain numbers.
        shipped: Place of its routes where they come with this package, None where they are the user's.
        load_part: As ``load``, a named part of the routes only; None where there are no parts.
    """

    name: str
    load: Callable[[Path], Benchmark]
    scores: Callable[[Benchmark, PolicyResults, Path | None], ScoreTable]
    totals: Callable[[Benchmark, PolicyResults, ScoreTable, MissingRule], dict[str, float]]
    suite_files: Callable[[Benchmark, Collection[str]], dict[str, bytes]]
    item_word: str
    stratum_word: str
    domain_metric: str = ""
    harmonic: tuple[tuple[str, str, str], ...] = ()
    rounded: Callable[[Mapping[str, float]], dict[str, float]] | None = None
    shipped: Callable[[], Path] | None = None
    load_part: Callable[[Path, str], Benchmark] | None = None


DEFINITIONS: Mapping[str, Definition] = {
    "bench2drive": Definition(
        name="bench2drive",
        load=bench2drive.load,
        scores=bench2drive.scores,
        totals=bench2drive.totals,
        suite_files=bench2drive.suite_files,
        item_word="routes",
        stratum_word="scenario types",
        domain_metric="success",
    ),
    "fail2drive": Definition(
        name="fail2drive",
        load=fail2drive.load,
        scores=lambda benchmark, results, _: fail2drive.scores(benchmark, results),
        totals=lambda benchmark, results, _table, _rule: fail2drive.official(results, benchmark),
        suite_files=fail2drive.route_files,
        item_word="pairs",
        stratum_word="classes",
        harmonic=fail2drive.HARMONIC,
        rounded=fail2drive.rounded,
    ),
    "builtin": Definition(
        name="builtin",
        load=builtin.load,
        scores=builtin.scores,
        totals=bench2drive.totals,
        suite_files=bench2drive.suite_files,
        item_word="routes",
        stratum_word="scenario types",
        domain_metric="success",
        shipped=builtin_routes.routes_path,
        load_part=builtin.load,
    ),
}


def definition(name: str) -> Definition:
    """The benchmark of that name.

    Raises:
        UsageError: Unknown; the message lists the known ones.
    """
    if name not in DEFINITIONS:
        raise UsageError(f"No driving benchmark named {name!r}; known are {choices(name, DEFINITIONS)}")
    return DEFINITIONS[name]
