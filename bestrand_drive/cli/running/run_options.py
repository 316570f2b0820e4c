"""The options of a run, said once: ``bestrand run`` needs some, ``bestrand doctor`` takes all and needs none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from bestrand_drive.benchmarks.builtin_routes import NAME
from bestrand_drive.cli.declared import declared, parameters_of
from bestrand_drive.cli.options import comma_list, numbers, pairs
from bestrand_drive.cli.running import driving_options as driving
from bestrand_drive.cli.running.driving_options import HOW, SERVERS, SHOW, WHAT
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.variables import parse_variables
from bestrand_drive.simulation.attempts.plan import MAX_ATTEMPTS
from bestrand_drive.simulation.crews.on_ray.cluster import AUTO
from bestrand_drive.simulation.servers.gpus import parse_gpus
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.simulation.slots.keeping import Failure, parse_what
from bestrand_drive.workflows.running.run_checks import LIMITS
from bestrand_drive.workflows.running.run_request import LEVEL, RunRequest, routes_or_shipped

KEEP, ENOUGH = "What is kept", "When it is enough"
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Print every command, start nothing; files go to OUT/dry-run.", rich_help_panel=SHOW
    ),
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Say why each route will or will not run, start nothing.", rich_help_panel=SHOW),
]


def of_a_run(command: Callable[..., int], *, needed: bool) -> Callable[..., int]:
    """A command with the options of a run, which it gets as its first argument, and its own behind them.

    Args:
        command: Takes a ``RunRequest``; its other parameters are options.
        needed: Whether what a run cannot do without must be given; else its fields are None. Shipped routes need not.
    """
    given = parameters_of(run_request)

    def ask(**words: Any) -> RunRequest:  # noqa: ANN401  of the parser, which knows their types
        if needed or words["benchmark"] == NAME:
            words["routes"] = routes_or_shipped(words["benchmark"], words["routes"])
        return run_request(**words)

    if not needed:
        given = [one.replace(default=None) if one.default is one.empty else one for one in given]
    return declared(command, ask, [*given, *parameters_of(command)[1:]])


def run_request(
    benchmark: Annotated[
        Literal["bench2drive", "fail2drive", "builtin"],
        typer.Argument(help="Whose evaluator runs.", show_default=False),
    ],
    agent: Annotated[
        str,
        typer.Option(
            help="The agent's Python file, or probe:NAME for one that is shipped.",
            rich_help_panel=WHAT,
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(help="Run folder; the same command goes on in it.", rich_help_panel=WHAT, show_default=False),
    ],
    root: driving.Root = None,
    routes: Annotated[
        Path | None,
        typer.Option(
            help="Suite folder, route file, or Fail2Drive's folder of them. Default for builtin: the shipped ones.",
            rich_help_panel=WHAT,
            show_default=False,
        ),
    ] = None,
    part: Annotated[
        str,
        typer.Option(
            help="builtin: a named part of the routes, such as demo.", rich_help_panel=WHAT, show_default=False
        ),
    ] = "",
    towns: driving.Towns = None,
    agent_config: Annotated[
        str, typer.Option(help="For the agent, parts joined by +.", rich_help_panel=WHAT, show_default=False)
    ] = "",
    policy_name: Annotated[
        str | None,
        typer.Option(help="Name. Default: the run folder's.", rich_help_panel=WHAT, show_default=False),
    ] = None,
    policy_id: Annotated[
        str | None,
        typer.Option(
            help="Identity of the policy, instead of the hash of agent and configuration.",
            rich_help_panel=WHAT,
            show_default=False,
        ),
    ] = None,
    repeats: driving.Repeats = 1,
    only: Annotated[
        str, typer.Option(help="Ids of the routes to run, commas between.", rich_help_panel=WHAT, show_default=False)
    ] = "",
    repeat: Annotated[
        int | None, typer.Option(help="Run this repeat only, from 0.", rich_help_panel=WHAT, show_default=False)
    ] = None,
    python: Annotated[
        str,
        typer.Option(
            help="Interpreter of the evaluator, or a command that runs one. Default: python; builtin: this one.",
            rich_help_panel=HOW,
            show_default=False,
        ),
    ] = "",
    evaluator: Annotated[
        Literal["default", "local"], typer.Option(help="Fail2Drive has a second one.", rich_help_panel=HOW)
    ] = "default",
    env: driving.Env = None,
    track: Annotated[
        Literal["SENSORS", "MAP"] | None,
        typer.Option(help="Of the agent. Default: the benchmark's.", rich_help_panel=HOW, show_default=False),
    ] = None,
    max_attempts: driving.MaxAttempts = MAX_ATTEMPTS,
    timeout: driving.Timeout = None,
    route_limit: driving.RouteLimit = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            help=f"NAME=SECONDS without progress; names: {', '.join(LIMITS)}.", rich_help_panel=HOW, show_default=False
        ),
    ] = None,
    stop_grace: Annotated[
        float, typer.Option(help="Seconds between SIGTERM and SIGKILL for what is ended.", rich_help_panel=HOW)
    ] = 5.0,
    durations: driving.Durations = None,
    pool_builds: Annotated[
        bool, typer.Option("--pool-builds", help="Let attempts of other builds count.", rich_help_panel=HOW)
    ] = False,
    no_hooks: Annotated[
        bool, typer.Option("--no-hooks", help="Leave the evaluator's Python alone.", rich_help_panel=HOW)
    ] = False,
    carla_root: driving.CarlaRoot = None,
    engine: Annotated[
        Literal["local", "workers", "ray", "slurm"],
        typer.Option(
            help="Who makes attempts: this machine, `bestrand worker OUT` wherever, a Ray cluster, or Slurm jobs.",
            rich_help_panel=SERVERS,
        ),
    ] = "local",
    ray_address: Annotated[
        str,
        typer.Option(
            help="HOST:PORT of its head; auto: the one this machine is of; local: one that is started here meanwhile.",
            rich_help_panel=SERVERS,
        ),
    ] = AUTO,
    ray_resource: Annotated[
        str,
        typer.Option(
            help="Of which each server leases one, where nodes have no GPU that Ray knows. Default: 1 GPU / "
            "--servers-per-gpu; a CPU for the headless server.",
            rich_help_panel=SERVERS,
            show_default=False,
        ),
    ] = "",
    servers: driving.Servers = 1,
    slurm: Annotated[
        list[str] | None,
        typer.Option(
            help="KEY=VALUE for sbatch, such as partition=gpu, gres=gpu:1, time=600; repeat.",
            rich_help_panel=SERVERS,
            show_default=False,
        ),
    ] = None,
    scratch: Annotated[
        str,
        typer.Option(
            help="slurm: folder on each node; $VARIABLES are the job's. Default: its $TMPDIR.",
            rich_help_panel=SERVERS,
            show_default=False,
        ),
    ] = "",
    gpus: driving.Gpus = "",
    servers_per_gpu: driving.ServersPerGpu = 1,
    routes_per_server: Annotated[
        int | None,
        typer.Option(
            help="Fail2Drive, builtin: a fresh server after so many. Default: 10; never for the headless one.",
            rich_help_panel=SERVERS,
            show_default=False,
        ),
    ] = None,
    server_command: driving.ServerCommand = "",
    server_stop_command: driving.ServerStopCommand = "",
    server_extra: Annotated[
        str, typer.Option(help="Flags added to CARLA's.", rich_help_panel=SERVERS, show_default=False)
    ] = "",
    simulator: Annotated[
        Literal["carla", "headless"] | None,
        typer.Option(help="Default: what --carla-root is.", rich_help_panel=SERVERS, show_default=False),
    ] = None,
    carla_version: driving.CarlaVersion = None,
    port_base: driving.PortBase = FIRST,
    keep_on_failure: Annotated[
        str,
        typer.Option(help="Of failed routes: record, log, agent.", rich_help_panel=KEEP, show_default=False),
    ] = "",
    keep_failures: Annotated[
        Literal["any", "policy", "infrastructure"], typer.Option(help="Of whose failures.", rich_help_panel=KEEP)
    ] = "any",
    keep_quota_mib: Annotated[int, typer.Option(help="For all that is kept.", rich_help_panel=KEEP)] = 4096,
    until: Annotated[
        list[str] | None,
        typer.Option(
            help="METRIC=HALFWIDTH, such as driving_score=3: run a suite block by block, and end when whole "
            "blocks make the interval that narrow; repeat.",
            rich_help_panel=ENOUGH,
            show_default=False,
        ),
    ] = None,
    until_interval: Annotated[
        Literal["policy", "run"], typer.Option(help="Whose half width --until is.", rich_help_panel=ENOUGH)
    ] = "policy",
    level: Annotated[float, typer.Option(help="Confidence of the intervals.", rich_help_panel=ENOUGH)] = LEVEL,
) -> RunRequest:
    """What the options ask for.

    Raises:
        UsageError: The words of an option cannot be read.
    """
    return RunRequest(
        benchmark=benchmark,
        root=root,
        routes=cast(Path, routes),  # None only for a command that needs none
        part=part,
        towns=towns,
        agent=agent,
        out=out,
        carla_root=carla_root,
        agent_config=agent_config,
        engine=engine,
        ray_address=ray_address,
        ray_resource=ray_resource,
        servers=servers,
        slurm=pairs("--slurm", slurm or ()),
        scratch=scratch,
        gpus=parse_gpus(gpus) if gpus else (),
        servers_per_gpu=servers_per_gpu,
        repeats=repeats,
        only=comma_list(only),
        repeat=repeat,
        python=python,
        max_attempts=max_attempts,
        routes_per_server=routes_per_server,
        server_command=server_command,
        server_stop_command=server_stop_command,
        server_extra=server_extra,
        simulator=simulator,
        carla_version=carla_version,
        policy_name=policy_name,
        policy_id=policy_id,
        variables=parse_variables(env or ()),
        local=evaluator == "local",
        track=track,
        timeout_s=timeout,
        route_limit_s=route_limit,
        stop_grace_s=stop_grace,
        limits=_limits(limit or []),
        keep=parse_what(keep_on_failure),
        keep_failure=Failure(keep_failures),
        keep_quota_mib=keep_quota_mib,
        pool_builds=pool_builds,
        hooks=not no_hooks,
        port_base=port_base,
        durations=tuple(durations or ()),
        until=numbers("--until", until) if until else {},
        until_interval=until_interval,
        level=level,
    )


def _limits(values: list[str]) -> dict[str, float]:
    try:
        return {name: float(text) for name, text in pairs("--limit", values).items()}
    except ValueError as error:
        raise UsageError(f"--limit: {error}; write NAME=SECONDS.") from error
