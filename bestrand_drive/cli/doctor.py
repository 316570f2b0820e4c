"""``bestrand doctor``: what would fail in a run, before it does."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.benchmarks.builtin_routes import NAME, routes_path
from bestrand_drive.cli.tables import console, say
from bestrand_drive.errors import ExitCode, UsageError
from bestrand_drive.files import dump_json
from bestrand_drive.simulation.adapters.variables import parse_variables
from bestrand_drive.simulation.doctor.case import Case
from bestrand_drive.simulation.doctor.examine import examine
from bestrand_drive.simulation.doctor.finding import Finding, Level
from bestrand_drive.simulation.servers.gpus import parse_gpus

_WIDTHS = 8, 15


def doctor(
    benchmark: Annotated[
        Literal["bench2drive", "fail2drive", "builtin"] | None,
        typer.Argument(
            help="Whose checkout --root must be; builtin has none. Default: told by the checkout.", show_default=False
        ),
    ] = None,
    root: Annotated[Path | None, typer.Option(help="The benchmark's checkout.", show_default=False)] = None,
    carla_root: Annotated[Path | None, typer.Option(help="CARLA's folder.", show_default=False)] = None,
    routes: Annotated[
        Path | None, typer.Option(help="Suite folder, route file or folder of route files.", show_default=False)
    ] = None,
    agent: Annotated[str | None, typer.Option(help="The agent's Python file.", show_default=False)] = None,
    agent_config: Annotated[str, typer.Option(help="Its configuration, parts joined by +.", show_default=False)] = "",
    python: Annotated[
        str, typer.Option(help="The evaluator's interpreter. Default: python; builtin: this one.", show_default=False)
    ] = "",
    gpus: Annotated[str | None, typer.Option(help="Such as 0,1.", show_default=False)] = None,
    servers: Annotated[int, typer.Option(help="Servers at the same time.", min=1)] = 1,
    out: Annotated[Path | None, typer.Option(help="Run folder.", show_default=False)] = None,
    carla_version: Annotated[
        str | None, typer.Option(help="Of the server, if its folder does not tell.", show_default=False)
    ] = None,
    evaluator: Annotated[Literal["default", "local"], typer.Option(help="Which one of Fail2Drive's two.")] = "default",
    policy_id: Annotated[
        str | None, typer.Option(help="The policy's identity, if the run has it.", show_default=False)
    ] = None,
    env: Annotated[list[str], typer.Option(help="NAME=VALUE for the evaluator; repeatable.", show_default=False)] = [],  # noqa: B006  typer's way to say that it may be absent
    server_command: Annotated[
        str | None, typer.Option(help="Another way to start a server, as for the run.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Check what a run needs, in order, without starting a server or writing anything. Give the options of the run.

    Exit code 7 when something would fail. What is not given is skipped.
    """
    ours = benchmark == NAME
    found = examine(
        Case(
            root=root,
            benchmark=benchmark,
            local=evaluator == "local",
            carla_root=carla_root,
            carla_version=carla_version,
            server_command=_words("--server-command", server_command or ""),
            routes=routes_path() if routes is None and ours else routes,
            agent=agent,
            agent_config=agent_config,
            policy_id=policy_id,
            python=_words("--python", python) or ((sys.executable,) if ours else ("python",)),
            variables=parse_variables(env),
            gpus=parse_gpus(gpus) if gpus else (),
            servers=servers,
            out=out,
        )
    )
    levels = []
    if as_json:
        findings = list(found)
        levels = [finding.level for finding in findings]
        said = {"ok": Level.FAIL not in levels, "checks": [asdict(finding) for finding in findings]}
        print(dump_json(said).decode(), end="")
    else:
        for finding in found:
            levels.append(finding.level)
            _print(finding)
        say(console(), _summary(levels))
    return ExitCode.ENVIRONMENT if Level.FAIL in levels else ExitCode.OK


def _words(option: str, text: str) -> tuple[str, ...]:
    """A command as words."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}.") from error


def _print(finding: Finding) -> None:
    """One line, and what to do in the next."""
    level, name = _WIDTHS
    say(console(), f"{finding.level.value:<{level}} {finding.check:<{name}} {finding.said}")
    if finding.advice:
        say(console(), f"{'':<{level}} {'':<{name}} -> {finding.advice}")


def _summary(levels: list[Level]) -> str:
    counts = {level: levels.count(level) for level in Level}
    said = ", ".join(f"{count} {level.value}" for level, count in counts.items() if count)
    return f"{said}: {'a run would fail' if counts[Level.FAIL] else 'nothing was found that would fail a run'}"
