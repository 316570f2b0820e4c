"""The demo: the whole product on short routes of ours, on a headless server; the truth is driven too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bestrand_drive.benchmarks.builtin_routes import NAME, routes_path
from bestrand_drive.errors import Incomplete
from bestrand_drive.simulation.adapters.agent import find_agent
from bestrand_drive.simulation.attempts.plan import Action
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.simulation.slots.cell import Halt, Tell
from bestrand_drive.suite.schema import Suite
from bestrand_drive.workflows.choosing.request import CompressRequest
from bestrand_drive.workflows.estimating.estimate import SuiteEstimate
from bestrand_drive.workflows.running.probe import Listening, choose_suite, run_probes
from bestrand_drive.workflows.running.probe_file import ProbeEntry, shipped_probes
from bestrand_drive.workflows.running.probe_plan import ProbeRequest, ProbeRun, plan_probes
from bestrand_drive.workflows.running.run import RunReport, plan_run, run_policy
from bestrand_drive.workflows.running.run_request import RunRequest
from bestrand_drive.workflows.verbs import estimate

PART, KEEP = "demo", 0.35
TARGET = "novice"
"""A policy that is no probe."""


@dataclass(frozen=True)
class DemoRequest:
    """What is asked for.

    Attributes:
        out: Folder for runs and suite; the same again goes on in it.
        servers: Routes at the same time.
        target: Name of a shipped probe.
        part: Of the shipped routes.
        keep: Share of them that makes the suite.
        port_base: First port.
    """

    out: Path
    servers: int
    target: str = TARGET
    part: str = PART
    keep: float = KEEP
    port_base: int = FIRST


@dataclass(frozen=True)
class DemoReport:
    """How it came out.

    Attributes:
        suite: What was chosen.
        found: The estimate from the suite's routes alone.
        truth: Metric -> the target's own value over all routes.
        suite_s: Simulated seconds of the target on the suite.
        all_s: The same on all routes.
        folder: Of the suite.
    """

    suite: Suite
    found: SuiteEstimate
    truth: dict[str, float]
    suite_s: float
    all_s: float
    folder: Path


def run_demo(request: DemoRequest, listening: Listening, halt: Halt, tell: Tell, command: Sequence[str]) -> DemoReport:
    """Probes on the pool, the suite, the target on the suite, the estimate, then the target on the rest.

    Raises:
        UsageError: No such target is shipped.
        Incomplete: It was stopped, or routes have no result.
        BestrandError: See ``run_policy`` and ``choose_suite``.
    """
    (entry,) = shipped_probes((request.target,))
    find_agent(entry.agent)  # before three probes have driven
    request.out.mkdir(exist_ok=True)
    run = RunRequest(
        benchmark=NAME,
        root=None,
        routes=routes_path(),
        part=request.part,
        agent="",
        out=request.out,
        servers=request.servers,
        port_base=request.port_base,
    )
    suite_folder = request.out / "suite"
    choice = CompressRequest(keep=request.keep)
    wanted = ProbeRequest(run, shipped_probes(), choice, suite_folder, request.out / "probes", force=True)
    plan = plan_probes(wanted)
    reports = run_probes(plan, listening, halt, tell)
    _refuse_stopped(halt)
    tell(f"choosing {plan.k} of {len(plan.benchmark.items)} routes by {len(plan.runs)} probes")
    _, suite = choose_suite(plan, reports, command)
    target = replace(run, agent=entry.agent, policy_name=entry.name, out=request.out / entry.name)
    on_suite = replace(target, routes=suite_folder, part="")
    report = _drive(on_suite, entry, listening, halt, tell)
    found = estimate(suite, target.out)
    whole = _drive(target, entry, listening, halt, tell)
    truth = {line.name: line.full for line in estimate(suite, target.out).results if line.full is not None}
    return DemoReport(suite, found, truth, _game_s(report), _game_s(whole), suite_folder)


def _drive(request: RunRequest, entry: ProbeEntry, listening: Listening, halt: Halt, tell: Tell) -> RunReport:
    """Run the target.

    Raises:
        Incomplete: It was stopped, or routes have no result.
    """
    prepared, planned = plan_run(request)
    cells, own = len(planned.cells), len(planned.to_run)
    with listening(ProbeRun(0, 1, entry, request, cells, cells - own, own)) as listener:
        report = run_policy(prepared, listener, halt, tell)
    _refuse_stopped(halt)
    lacking = len(report.cells) - len(report.of(Action.DONE))
    if lacking:
        raise Incomplete(f"{lacking} of {entry.name}'s routes have no result; the same command goes on.")
    return report


def _refuse_stopped(halt: Halt) -> None:
    if halt.asked:
        raise Incomplete("stopped; the same command goes on.")


def _game_s(report: RunReport) -> float:
    return sum(cell.counted.game_s or 0.0 for cell in report.cells if cell.counted)
