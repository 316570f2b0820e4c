"""How long the routes of a run are expected to take: by which of the sources there are."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.route_set import RouteSet
from bestrand_drive.simulation.scheduling.durations import Durations, expect
from bestrand_drive.suite.reading import read_suite
from bestrand_drive.suite.schema import Suite

_MOST_S = 1e7
"""A third of a year: what took longer is no duration of a drive, and would be all that is seen of the others."""


def find_durations(routes: RouteSet, benchmark: str, earlier: Sequence[Path]) -> Durations:
    """By earlier results that are named, else by the suite's own costs, else by route length.

    Args:
        routes: Of the run.
        benchmark: Whose evaluator wrote the results.
        earlier: Run folders, result files or folders of them; a policy each.

    Raises:
        DataRefused: One is damaged, or the suite is.
        UsageError: One has no duration of any of these routes.
    """
    if earlier:
        columns = [_of_results(path, routes, benchmark) for path in earlier]
        return expect(routes.routes, columns, f"earlier results ({', '.join(map(str, earlier))})")
    if (routes.path / "suite.json").is_file():
        costs = _of_suite(read_suite(routes.path), routes)
        return expect(routes.routes, [costs], f"the suite's probes ({routes.path / 'suite.json'})")
    return expect(routes.routes, [], "")


def _of_results(path: Path, routes: RouteSet, benchmark: str) -> dict[str, float]:
    """Mean seconds of a policy's drives by route; what ended by a crash of the simulator or the machine is no drive."""
    drives: dict[str, list[float]] = defaultdict(list)
    for record in read_results(path, name=path.name, benchmark=benchmark).records:
        seconds = record.duration_system_s
        if record.outcome is not Outcome.INFRASTRUCTURE and 0 < seconds < _MOST_S:
            drives[record.route_id].append(seconds)
    if not drives.keys() & routes.routes.keys():
        raise UsageError(f"--durations {path}: records no duration (duration_system) of a route of {routes.path}.")
    return {name: math.fsum(seconds) / len(seconds) for name, seconds in drives.items()}


def _of_suite(suite: Suite, routes: RouteSet) -> dict[str, float]:
    """What its items cost; of a pair of routes, by their lengths."""
    costs: dict[str, float] = {}
    for item in suite.items:
        if not item.cost_s:
            continue
        members = [route_number(leaf) for leaf in item.leaves]
        lengths: Mapping[str, float] = {name: routes.routes[name].length_m for name in members if name in routes.routes}
        if len(lengths) == len(members):
            whole = math.fsum(lengths.values())
            costs |= {
                name: item.cost_s * (length / whole if whole else 1 / len(members)) for name, length in lengths.items()
            }
    return costs
