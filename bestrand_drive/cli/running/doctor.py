"""``bestrand doctor``: what would fail in a run, before it does."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from types import FrameType
from typing import Annotated

from bestrand_drive.benchmarks.builtin_routes import NAME
from bestrand_drive.cli.declared import Options, declared
from bestrand_drive.cli.running.driving_options import DryRun, Explain, Json
from bestrand_drive.cli.running.run_options import run_request
from bestrand_drive.cli.tables import console, say
from bestrand_drive.errors import ExitCode
from bestrand_drive.files import dump_json
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.examine import examine
from bestrand_drive.simulation.doctor.finding import Finding, Level
from bestrand_drive.workflows.running.run_checks import check_numbers
from bestrand_drive.workflows.running.run_request import RunRequest, routes_or_shipped, words_of

_WIDTHS = 8, 15


class _Signalled(BaseException):
    """Told to end; what was started is ended on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _doctor(
    request: Annotated[RunRequest, Options(run_request, needed=False)],
    dry_run: DryRun = False,
    explain: Explain = False,
    json: Json = False,
) -> int:
    """Check what a run needs, in order, without starting a server or writing anything. Give the options of the run.

    Exit code 7 when something would fail. What is not given is skipped; --dry-run and --explain change nothing.

    Example: bestrand doctor builtin --agent probe:expert --part demo

    Example: bestrand doctor bench2drive --root Bench2Drive --carla-root carla --routes suite/ --agent agent.py
    """
    if request.benchmark == NAME:
        request = replace(request, routes=routes_or_shipped(NAME, request.routes))
    check_numbers(request)
    if request.until and request.routes and request.benchmark:
        from bestrand_drive.workflows.running.until import goal_of  # noqa: PLC0415  brings torch

        goal_of(request)
    try:
        with _signals_end_it():
            return _examine(_case(request), as_object=json)
    except _Signalled as told:
        return 128 + told.number


doctor = declared(_doctor)


@contextmanager
def _signals_end_it() -> Iterator[None]:
    """SIGTERM and SIGHUP end the block as Ctrl-C does: by an exception. A hang-up that is ignored stays ignored."""

    def leave(number: int, _: FrameType | None) -> None:
        raise _Signalled(number)

    numbers = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _case(request: RunRequest) -> Case:
    """What is asked of a run, of which nothing need be given here: then the fields of ``request`` are None."""
    return Case(
        root=request.root,
        benchmark=request.benchmark,
        local=request.local,
        carla_root=request.carla_root,
        carla_version=request.carla_version,
        server_command=words_of("--server-command", request.server_command),
        server_stop_command=words_of("--server-stop-command", request.server_stop_command),
        server_extra=words_of("--server-extra", request.server_extra),
        simulated_in=request.simulator,
        routes=request.routes,
        part=request.part,
        towns=request.towns,
        only=request.only,
        agent=request.agent,
        agent_config=request.agent_config,
        policy_name=request.policy_name,
        policy_id=request.policy_id,
        python=words_of("--python", request.python) or (sys.executable if request.benchmark == NAME else "python",),
        variables=request.variables,
        gpus=request.gpus,
        servers=request.servers,
        engine=request.engine,
        ray_address=request.ray_address,
        ray_resource=request.ray_resource,
        slurm=request.slurm,
        servers_per_gpu=request.servers_per_gpu,
        port_base=request.port_base,
        out=request.out,
        pool_builds=request.pool_builds,
    )


def _examine(case: Case, *, as_object: bool) -> int:
    levels = []
    if as_object:
        findings = [finding for finding in examine(case) if finding.level is not Level.WAIT]
        levels = [finding.level for finding in findings]
        said = {"ok": Level.FAIL not in levels, "checks": [asdict(finding) for finding in findings]}
        print(dump_json(said).decode(), end="")
    else:
        for finding in examine(case):
            levels.append(finding.level)
            _print(finding)
        say(console(), _summary(levels))
    return ExitCode.ENVIRONMENT if Level.FAIL in levels else ExitCode.OK


def _print(finding: Finding) -> None:
    """One line, and what to do in the next."""
    level, name = _WIDTHS
    say(console(), f"{finding.level.value:<{level}} {finding.check:<{name}} {finding.said}")
    if finding.advice:
        say(console(), f"{'':<{level}} {'':<{name}} -> {finding.advice}")


def _summary(levels: list[Level]) -> str:
    counts = {level: levels.count(level) for level in Level if level is not Level.WAIT}
    said = ", ".join(f"{count} {level.value}" for level, count in counts.items() if count)
    return f"{said}: {'a run would fail' if counts[Level.FAIL] else 'nothing was found that would fail a run'}"
