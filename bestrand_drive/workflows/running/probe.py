"""Probe: run the probes on the pool, and choose a suite by what they did; the same again goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import torch

from bestrand_drive.errors import DataRefused, Incomplete, UsageError
from bestrand_drive.simulation.adapters.agent import find_agent
from bestrand_drive.simulation.attempts.plan import Action
from bestrand_drive.simulation.engines.dispatch import Listener
from bestrand_drive.simulation.slots.cell import Halt, Tell
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.choose import planned_pool
from bestrand_drive.workflows.choosing.compress import compress_evidence
from bestrand_drive.workflows.choosing.suite_folder import check_target, write_suite
from bestrand_drive.workflows.evidence.driving import ResultSource, driving_evidence
from bestrand_drive.workflows.evidence.evidence import Evidence
from bestrand_drive.workflows.running.crews import check_engine
from bestrand_drive.workflows.running.preparing import Prepared, find_python, prepare
from bestrand_drive.workflows.running.probe_plan import ProbePlan, ProbeRun
from bestrand_drive.workflows.running.run import RunReport, plan_run, run_policy

Listening = Callable[[ProbeRun], AbstractContextManager[Listener]]
"""Gives the listener of one probe's run."""


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
    waiting = [len(report.to_run) for _, report in plan_runs(plan)]
    plan.request.runs.mkdir(exist_ok=True)
    reports: list[RunReport] = []
    for one in plan.runs:
        if halt.asked:
            break
        left = [*(len(report.to_run) for report in reports), *waiting[one.number :]]
        own, later = waiting[one.number], sum(waiting[one.number + 1 :])
        with listening(replace(one, before=one.cells - sum(left), own=own, later=later)) as listener:
            reports.append(run_policy(prepare(one.request), listener, halt, tell))
    return reports


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
    evidence = _on_pool(plan, driving_evidence(plan.benchmark, sources))
    suite = compress_evidence(evidence, plan.choice)
    present = request.out / "suite.json"
    if present.is_file() and present.read_bytes() == suite.to_json():
        return evidence, suite
    write_suite(request.out, suite, evidence.files(suite.chosen), command, force=request.force)
    return evidence, suite


def _on_pool(plan: ProbePlan, evidence: Evidence) -> Evidence:
    """Without scores on routes of another pool, which an earlier start has left, where they would change the pool."""
    _, drawn = planned_pool(evidence.scores, plan.choice, evidence.members)
    if drawn == plan.pool:
        return evidence
    inside = torch.tensor([number for number, item in enumerate(evidence.scores.items) if item in plan.pool])
    return replace(evidence, scores=evidence.scores.hidden_outside(inside))


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
