"""The options of a run, and what a run is shown by: names, help and panel of each."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.workflows.running.run_checks import LIMITS

WHAT, HOW, SERVERS, KEEP, ENOUGH = "What is run", "How it is run", "Servers", "What is kept", "When it is enough"
SHOW = "What is shown"
_what = partial(typer.Option, rich_help_panel=WHAT, show_default=False)
_how = partial(typer.Option, rich_help_panel=HOW, show_default=False)
_servers = partial(typer.Option, rich_help_panel=SERVERS, show_default=False)
_keep = partial(typer.Option, rich_help_panel=KEEP, show_default=False)
_enough = partial(typer.Option, rich_help_panel=ENOUGH, show_default=False)

Benchmark = Annotated[
    Literal["bench2drive", "fail2drive", "builtin"],
    typer.Argument(
        help="Whose evaluator runs: bench2drive, fail2drive or builtin.", show_default=False, show_choices=False
    ),
]
Agent = Annotated[str, _what(help="The agent's Python file, or probe:NAME for one that is shipped.")]
Out = Annotated[Path, _what(help="Run folder; the same command goes on in it.")]
Root = Annotated[Path | None, _what(help="The benchmark's checkout; builtin has none.")]
Routes = Annotated[
    Path | None,
    _what(help="Suite folder, route file, or Fail2Drive's folder of them. Default for builtin: the shipped ones."),
]
Part = Annotated[str, _what(help="builtin: a named part of the routes, such as demo.")]
Towns = Annotated[
    Path | None, _what(help="builtin: folder of further towns, OpenDRIVE files (TOWN.xodr), beside the shipped ones.")
]
AgentConfig = Annotated[str, _what(help="For the agent, parts joined by +.")]
PolicyName = Annotated[str | None, _what(help="Name. Default: the run folder's.")]
PolicyId = Annotated[str | None, _what(help="Identity of the policy, instead of the hash of agent and configuration.")]
Repeats = Annotated[int, typer.Option(help="Of every route, each with its own traffic seed.", rich_help_panel=WHAT)]
Only = Annotated[str, _what(help="Ids of the routes to run, commas between.")]
Repeat = Annotated[int | None, _what(help="Run this repeat only, from 0.")]
Python = Annotated[
    str, _how(help="Interpreter of the evaluator, or a command that runs one. Default: python; builtin: this one.")
]
Evaluator = Annotated[
    Literal["default", "local"], typer.Option(help="Fail2Drive has a second one.", rich_help_panel=HOW)
]
Env = Annotated[list[str] | None, _how(help="NAME=VALUE for the evaluator; repeat.")]
Track = Annotated[Literal["SENSORS", "MAP"] | None, _how(help="Of the agent. Default: the benchmark's.")]
MaxAttempts = Annotated[
    int, typer.Option(help="Of a route, as long as none has a result of the policy.", rich_help_panel=HOW)
]
Timeout = Annotated[float | None, _how(help="The evaluator's own, in seconds.")]
RouteLimit = Annotated[
    float | None,
    _how(help="Seconds of a whole attempt; a longer drive has no score and is not tried again. Default: none."),
]
Limit = Annotated[list[str] | None, _how(help=f"NAME=SECONDS without progress; names: {', '.join(LIMITS)}.")]
StopGrace = Annotated[
    float, typer.Option(help="Seconds between SIGTERM and SIGKILL for what is ended.", rich_help_panel=HOW)
]
Durations = Annotated[
    list[Path] | None,
    _how(
        help="Earlier results of another policy: the longest routes run first; repeat. Default: a suite's probes, "
        "else length."
    ),
]
PoolBuilds = Annotated[
    bool, typer.Option("--pool-builds", help="Let attempts of other builds count.", rich_help_panel=HOW)
]
NoHooks = Annotated[bool, typer.Option("--no-hooks", help="Leave the evaluator's Python alone.", rich_help_panel=HOW)]
CarlaRoot = Annotated[Path | None, _servers(help="CARLA's folder. builtin: else a headless server.")]
Engine = Annotated[
    Literal["local", "workers", "ray", "slurm"],
    typer.Option(
        help="Who makes attempts. local: this machine; workers: `bestrand worker` wherever; ray: a Ray cluster; "
        "slurm: its jobs.",
        show_choices=False,
        rich_help_panel=SERVERS,
    ),
]
RayAddress = Annotated[
    str,
    typer.Option(
        help="ray: HOST:PORT of its head; auto: the one this machine is of; local: one that is started here meanwhile.",
        rich_help_panel=SERVERS,
    ),
]
RayResource = Annotated[
    str,
    _servers(
        help="ray: of which each server leases one, where nodes have no GPU that Ray knows. Default: 1 GPU / "
        "--servers-per-gpu; a CPU for the headless server."
    ),
]
Servers = Annotated[int, typer.Option(help="At the same time.", rich_help_panel=SERVERS)]
Slurm = Annotated[
    list[str] | None, _servers(help="slurm: KEY=VALUE for sbatch, such as partition=gpu, gres=gpu:1, time=600; repeat.")
]
Scratch = Annotated[str, _servers(help="slurm: folder on each node; $VARIABLES are the job's. Default: its $TMPDIR.")]
Gpus = Annotated[str, _servers(help="Such as 0,1; or 0:0,1:2 where CARLA counts otherwise than CUDA.")]
ServersPerGpu = Annotated[
    int, typer.Option(help="Of --servers on one of --gpus; more than 1 can change scores.", rich_help_panel=SERVERS)
]
RoutesPerServer = Annotated[
    int | None,
    _servers(help="Fail2Drive, builtin: a fresh server after so many. Default: 10; never for the headless one."),
]
ServerCommand = Annotated[
    str, _servers(help="Another way to start a server (a container), with {port}, {gpu}, {run}, {flags} in it.")
]
ServerStopCommand = Annotated[str, _servers(help="Ends what that started.")]
ServerExtra = Annotated[str, _servers(help="Flags added to CARLA's.")]
Simulator = Annotated[Literal["carla", "headless"] | None, _servers(help="Default: what --carla-root is.")]
CarlaVersion = Annotated[str | None, _servers(help="Default: what --carla-root says.")]
PortBase = Annotated[
    int, typer.Option(help="First port; each server takes ten, from a multiple of ten on.", rich_help_panel=SERVERS)
]
KeepOnFailure = Annotated[str, _keep(help="Of failed routes: record, log, agent.")]
KeepFailures = Annotated[
    Literal["any", "policy", "infrastructure"],
    typer.Option(help="Whose failures: any, policy or infrastructure.", rich_help_panel=KEEP, show_choices=False),
]
KeepQuotaMib = Annotated[int, typer.Option(help="For all that is kept.", rich_help_panel=KEEP)]
Until = Annotated[
    list[str] | None,
    _enough(
        help="METRIC=HALFWIDTH, such as driving_score=3: run a suite block by block, and end when whole "
        "blocks make the interval that narrow; repeat."
    ),
]
UntilInterval = Annotated[
    Literal["policy", "run"], typer.Option(help="Whose half width --until is.", rich_help_panel=ENOUGH)
]
Level = Annotated[float, typer.Option(help="Confidence of the intervals.", rich_help_panel=ENOUGH)]
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
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.", rich_help_panel=SHOW)]
