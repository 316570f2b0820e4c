"""What probing is asked for and what follows from it: the pool, and a run of each probe on it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.benchmarks.record_ids import route_number
from bestrand_drive.errors import UsageError
from bestrand_drive.workflows.choosing.choose import family_labels, planned_pool
from bestrand_drive.workflows.choosing.request import CompressRequest, check_metrics
from bestrand_drive.workflows.choosing.suite_folder import check_target
from bestrand_drive.workflows.evidence.driving import driving_evidence, load_benchmark
from bestrand_drive.workflows.running.probe_file import ProbeEntry
from bestrand_drive.workflows.running.run_request import RunRequest
from bestrand_drive.workflows.verbs import with_exclusions


@dataclass(frozen=True)
class ProbeRequest:
    """What is asked for.

    Attributes:
        run: How every probe is run; agent, configuration and place are each probe's own, and what its entry says of
            interpreter, variables and track goes before this.
        probes: Which policies.
        choice: Size, method and guards of the suite.
        out: Suite folder.
        runs: Folder of the run folders, one a probe.
        exclude: Item ids never to choose.
        disjoint_from: Suites whose items are not to be chosen again.
        missing: Whether routes that no attempt had a result for are left out; else no suite is written.
        force: Whether another suite is replaced.
    """

    run: RunRequest
    probes: tuple[ProbeEntry, ...]
    choice: CompressRequest
    out: Path
    runs: Path
    exclude: tuple[str, ...] = ()
    disjoint_from: tuple[Path, ...] = ()
    missing: bool = False
    force: bool = False


@dataclass(frozen=True)
class ProbeRun:
    """One probe's part.

    Attributes:
        number: From 0.
        count: Of all probes.
        entry: Which probe.
        request: Its run.
        cells: Routes and repeats of all probes.
        before: Of these, those that are over when its run starts: a result is there, or they were given up.
        own: Its own routes and repeats that are to be run.
        later: The same of the probes after it.
    """

    number: int
    count: int
    entry: ProbeEntry
    request: RunRequest
    cells: int
    before: int = 0
    own: int = 0
    later: int = 0


@dataclass(frozen=True)
class ProbePlan:
    """What follows from a request.

    Attributes:
        request: It.
        benchmark: On which routes.
        choice: Its request, with what must not be chosen.
        k: Size of the suite.
        pool: Ids of the items that probes are run on.
        runs: One a probe.
    """

    request: ProbeRequest
    benchmark: Benchmark
    choice: CompressRequest
    k: int
    pool: tuple[str, ...]
    runs: tuple[ProbeRun, ...]


def plan_probes(request: ProbeRequest) -> ProbePlan:
    """Draw the pool; nothing is started or written.

    Raises:
        UsageError: An option is wrong, or nothing could be chosen by it.
        DataRefused: A route file is.
        NothingSelected: Fewer items can be chosen than are asked for.
    """
    _check_size(request.choice)
    request.choice.check()
    check_target(request.out, force=True)
    _check_runs(request)
    benchmark = load_benchmark(request.run.benchmark, request.run.routes, request.run.part)
    evidence = driving_evidence(benchmark, ())
    families = _families(request.probes)
    choice = replace(request.choice, families={**families, **request.choice.families})
    choice = with_exclusions(choice, evidence, request.exclude, request.disjoint_from)
    check_metrics(choice, evidence.scores)
    family_labels([one.name for one in request.probes], choice.families)
    k, pool = planned_pool(evidence.scores, choice, evidence.members)
    only = _routes(benchmark, pool)
    runs = tuple(_run_of(request, number, only) for number in range(len(request.probes)))
    return ProbePlan(request, benchmark, choice, k, pool, runs)


def _check_size(choice: CompressRequest) -> None:
    """Whether a size is asked for that needs no results.

    Raises:
        UsageError: Naming the options.
    """
    if choice.hours is None and (choice.keep is None) == (choice.k is None):
        raise UsageError("Give exactly one of --keep (share of the items) and --k (number).")


def _check_runs(request: ProbeRequest) -> None:
    """Whether run folders can be made, and are none of the suite's, which would not be written there.

    Raises:
        UsageError: Saying why not.
    """
    if not request.runs.absolute().parent.is_dir():
        raise UsageError(f"--runs {request.runs}: the folder above it does not exist; make it first.")
    out = Path(os.path.abspath(request.out))
    for folder in (Path(os.path.abspath(request.runs / one.name)) for one in request.probes):
        if out == folder or out in folder.parents or folder in out.parents:
            raise UsageError(f"--runs {request.runs}: {folder} and --out {request.out} are one in the other.")


def _families(probes: Sequence[ProbeEntry]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(one.family for one in probes if one.family)
    return {family: tuple(one.name for one in probes if one.family == family) for family in names if family}


def _routes(benchmark: Benchmark, pool: Sequence[str]) -> tuple[str, ...]:
    """Ids of the pool's routes as runs name them."""
    members = dict(zip(benchmark.items["item_id"], benchmark.items["members"], strict=True))
    return tuple(route_number(member) for item in pool for member in members[item])


def _run_of(request: ProbeRequest, number: int, only: tuple[str, ...]) -> ProbeRun:
    entry, cells = request.probes[number], len(only) * request.run.repeats
    run = replace(
        request.run,
        agent=entry.agent,
        agent_config=entry.config,
        python=entry.python or request.run.python,
        variables={**request.run.variables, **entry.variables},
        track=entry.track or request.run.track,
        policy_name=entry.name,
        out=request.runs / entry.name,
        only=only,
    )
    count = len(request.probes)
    return ProbeRun(number, count, entry, run, cells * count)
