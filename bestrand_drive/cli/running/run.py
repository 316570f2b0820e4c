"""``bestrand run``: a policy on routes in CARLA, by the benchmark's own evaluator."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Annotated

from rich.console import Console

from bestrand_drive.cli.declared import Options, declared
from bestrand_drive.cli.running.driving_options import DryRun, Explain, Json
from bestrand_drive.cli.running.run_lines import Lines
from bestrand_drive.cli.running.run_live import LiveTable
from bestrand_drive.cli.running.run_options import run_request
from bestrand_drive.cli.running.run_text import as_json, print_plan, print_summary
from bestrand_drive.cli.running.until_text import print_judged
from bestrand_drive.cli.tables import console, say
from bestrand_drive.errors import ExitCode
from bestrand_drive.files import dump_json
from bestrand_drive.simulation.processes.interrupts import Interrupts, interrupts
from bestrand_drive.workflows.running.dry_run import dry_run as lines_of
from bestrand_drive.workflows.running.preparing import prepare
from bestrand_drive.workflows.running.run import RunReport, plan_run, run_policy
from bestrand_drive.workflows.running.run_again import again_line
from bestrand_drive.workflows.running.run_request import RunRequest, routes_or_shipped


def _run_command(
    request: Annotated[RunRequest, Options(run_request)],
    dry_run: DryRun = False,
    explain: Explain = False,
    json: Json = False,
) -> int:
    """Run a policy by the benchmark's own evaluator; give the same command again to go on.

    A result of the policy counts, however bad; only what the simulator or the machine did is tried again.

    Example: bestrand run builtin --agent probe:expert --part demo --servers 2 --out runs/expert

    Example: bestrand run bench2drive --root Bench2Drive --carla-root carla --routes suite/ --agent a.py --out runs/A
    """
    request = replace(request, routes=routes_or_shipped(request.benchmark, request.routes))
    return _show(request, commands=dry_run, as_object=json) if dry_run or explain else _run(request, as_object=json)


run = declared(_run_command)


def _show(request: RunRequest, *, commands: bool, as_object: bool) -> int:
    prepared, report = plan_run(request)
    lines = lines_of(prepared, report.to_run) if commands else []
    if as_object:
        said = as_json(report, partial(again_line, request))
        if commands:
            said["commands"] = [line for line in lines if not line.startswith("#")]
        print(dump_json(said).decode(), end="")
    elif commands:
        for line in lines:
            say(console(), line)
    else:
        print_plan(console(), report)
        print_judged(console(), report, request)
    return ExitCode.OK


def _run(request: RunRequest, *, as_object: bool) -> int:
    prepared = prepare(request)
    out = Console(stderr=True, highlight=False) if as_object else console()
    again = partial(again_line, request)
    listener = LiveTable(out, again) if out.is_terminal else Lines(out, again)
    with interrupts() as heard:
        with listener if isinstance(listener, LiveTable) else nullcontext():
            report = run_policy(prepared, listener, heard, listener.say, listener.judged)
        code = exit_code((report,), heard)
    if as_object:
        print(dump_json(as_json(report, again)).decode(), end="")
    print_summary(out, report, again, str(request.out))
    print_judged(out, report, request)
    return code


def exit_code(reports: Sequence[RunReport], heard: Interrupts) -> int:
    """What runs tell the shell: the signal that stopped them, 6 when routes were given up, or 0."""
    if heard.first is not None:
        return ExitCode.INTERRUPTED if heard.first == signal.SIGINT else 128 + heard.first
    return ExitCode.INCOMPLETE if any(report.lacking for report in reports) else ExitCode.OK
