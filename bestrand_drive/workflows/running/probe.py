"""Probe: draw the pool, run the probes on it, and choose a suite by what they did; the same again goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from bestrand_drive.benchmarks.benchmark import Benchmark
from bestrand_drive.errors import DataRefused, Incomplete, UsageError
from bestrand_drive.simulation.adapters.agent import find_agent
from bestrand_drive.simulation.attempts.plan import Action
from bestrand_drive.simulation.engines.dispatch import Listener
from bestrand_drive.simulation.slots.cell import Halt, Tell
from bestrand_drive.suite import Suite
from bestrand_drive.workflows.choosing.choose import family_labels, planned_pool
from bestrand_drive.workflows.choosing.compress import compress_evidence
from bestrand_drive.workflows.choosing.request import CompressRequest, check_metrics
from bestrand_drive.workflows.choosing.suite_folder import check_target, write_suite
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence, load_benchmark
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.running.crews import check_engine
from bestrand_drive.workflows.running.preparing import Prepared, find_python, prepare
from bestrand_drive.workflows.running.probe_file import ProbeEntry
from bestrand_drive.workflows.running.run import RunReport, plan_run, run_policy
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


Listening = Callable[[ProbeRun], AbstractContextManager[Listener]]
"""Gives the listener of one probe's run."""


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


def plan_runs(plan: ProbePlan) -> list[tuple[Prepared, RunReport]]:
    """How each probe's run stands; nothing is started or written.

    Raises:
        DataRefused: What a probe's entry names is not there.
        UsageError: A probe cannot be run as it is described, or a folder is another run's.
    """
    for one in plan.runs:
        _check_entry(one)
    return [plan_run(one.request, above=False) for one in plan.runs]


def run_probes(plan: ProbePlan, listening: Listening, halt: Halt, tell: Tell) -> list[RunReport]:
    """Run the probes, one after the other, each on all servers; what is done already is not run again.

    Returns:
        A report a probe, those of a run that was stopped last.

    Raises:
        BestrandError: See ``run_policy``; nothing is started unless every probe could be.
    """
    check_engine(plan.request.run)
    waiting = [to_run(report) for _, report in plan_runs(plan)]
    plan.request.runs.mkdir(exist_ok=True)
    reports: list[RunReport] = []
    for one in plan.runs:
        if halt.asked:
            break
        left = [*(to_run(report) for report in reports), *waiting[one.number :]]
        own, later = waiting[one.number], sum(waiting[one.number + 1 :])
        with listening(replace(one, before=one.cells - sum(left), own=own, later=later)) as listener:
            reports.append(run_policy(prepare(one.request), listener, halt, tell))
    return reports


def to_run(report: RunReport) -> int:
    """Routes and repeats that a run would still run."""
    return len(report.of(Action.RUN))


def check_place(plan: ProbePlan) -> None:
    """Refuse to run for a suite that would not be written: there is another one already.

    Raises:
        UsageError: A suite is there, and some probe still has routes to run.
    """
    if plan.request.force or not (plan.request.out / "suite.json").exists():
        return
    if any(report.of(Action.RUN) for _, report in plan_runs(plan)):
        check_target(plan.request.out, force=False)


def choose_suite(plan: ProbePlan, reports: Sequence[RunReport], command: Sequence[str]) -> tuple[Evidence, Suite]:
    """Choose by what the probes did and write the suite; the same suite as ``compress`` makes of these results.

    Raises:
        Incomplete: Routes of the pool have no result, and nothing was said about it.
        UsageError: Another suite is there.
        DataRefused: A probe's results are refused.
        NothingSelected: No subset satisfies the guards.
    """
    request = plan.request
    if not request.missing:
        _refuse_incomplete(plan, reports)
    sources = [ResultSource(one.entry.name, one.request.out, one.entry.licence) for one in plan.runs]
    evidence = driving_evidence(plan.benchmark, sources)
    suite = compress_evidence(evidence, plan.choice)
    present = request.out / "suite.json"
    if present.is_file() and present.read_bytes() == suite.to_json():
        return evidence, suite
    write_suite(request.out, suite, evidence.files(suite.chosen), command, force=request.force)
    return evidence, suite


def _refuse_incomplete(plan: ProbePlan, reports: Sequence[RunReport]) -> None:
    lacking = {
        one.entry.name: len(report.cells) - len(report.of(Action.DONE))
        for one, report in zip(plan.runs, reports, strict=True)
    }
    said = ", ".join(f"{name} {count}" for name, count in lacking.items() if count)
    if said:
        raise Incomplete(
            f"routes of the pool without a result: {said}. No suite was written. Give the same command again (with a "
            "higher --max-attempts if they were given up), or --missing exclude to choose without them."
        )


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
    return tuple(str(int(member.rsplit("_", 1)[-1])) for item in pool for member in members[item])


def _check_entry(one: ProbeRun) -> None:
    """Whether what an entry names is there; here, as the benchmark's checkout may hold it.

    Raises:
        DataRefused: Agent, configuration or interpreter are not.
    """
    entry = one.entry
    try:
        find_agent(entry.agent, entry.config, root=one.request.root)
        if entry.python:
            find_python(entry.python)
    except UsageError as error:
        raise DataRefused(f"probe {entry.name}: {error}") from error


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
