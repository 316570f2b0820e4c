"""The options of a run, and what a run is shown by: names, help and panel of each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand_drive.workflows.running.run_checks import LIMITS

WHAT, HOW, SERVERS, KEEP, ENOUGH = "What is run", "How it is run", "Servers", "What is kept", "When it is enough"
SHOW = "What is shown"

Benchmark = Annotated[
    Literal["bench2drive", "fail2drive", "builtin"],
    typer.Argument(help="Whose evaluator runs.", show_default=False),
]
Agent = Annotated[
    str,
    typer.Option(
        help="The agent's Python file, or probe:NAME for one that is shipped.",
        rich_help_panel=WHAT,
        show_default=False,
    ),
]
Out = Annotated[
    Path,
    typer.Option(help="Run folder; the same command goes on in it.", rich_help_panel=WHAT, show_default=False),
]
Root = Annotated[
    Path | None,
    typer.Option(help="The benchmark's checkout; builtin has none.", rich_help_panel=WHAT, show_default=False),
]
Routes = Annotated[
    Path | None,
    typer.Option(
        help="Suite folder, route file, or Fail2Drive's folder of them. Default for builtin: the shipped ones.",
        rich_help_panel=WHAT,
        show_default=False,
    ),
]
Part = Annotated[
    str,
    typer.Option(help="builtin: a named part of the routes, such as demo.", rich_help_panel=WHAT, show_default=False),
]
Towns = Annotated[
    Path | None,
    typer.Option(
        help="builtin: folder of further towns, OpenDRIVE files (TOWN.xodr), beside the shipped ones.",
        rich_help_panel=WHAT,
        show_default=False,
    ),
]
AgentConfig = Annotated[
    str, typer.Option(help="For the agent, parts joined by +.", rich_help_panel=WHAT, show_default=False)
]
PolicyName = Annotated[
    str | None,
    typer.Option(help="Name. Default: the run folder's.", rich_help_panel=WHAT, show_default=False),
]
PolicyId = Annotated[
    str | None,
    typer.Option(
        help="Identity of the policy, instead of the hash of agent and configuration.",
        rich_help_panel=WHAT,
        show_default=False,
    ),
]
Repeats = Annotated[int, typer.Option(help="Of every route, each with its own traffic seed.", rich_help_panel=WHAT)]
Only = Annotated[
    str, typer.Option(help="Ids of the routes to run, commas between.", rich_help_panel=WHAT, show_default=False)
]
Repeat = Annotated[
    int | None, typer.Option(help="Run this repeat only, from 0.", rich_help_panel=WHAT, show_default=False)
]
Python = Annotated[
    str,
    typer.Option(
        help="Interpreter of the evaluator, or a command that runs one. Default: python; builtin: this one.",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
Evaluator = Annotated[
    Literal["default", "local"], typer.Option(help="Fail2Drive has a second one.", rich_help_panel=HOW)
]
Env = Annotated[
    list[str] | None,
    typer.Option(help="NAME=VALUE for the evaluator; repeat.", rich_help_panel=HOW, show_default=False),
]
Track = Annotated[
    Literal["SENSORS", "MAP"] | None,
    typer.Option(help="Of the agent. Default: the benchmark's.", rich_help_panel=HOW, show_default=False),
]
MaxAttempts = Annotated[
    int, typer.Option(help="Of a route, as long as none has a result of the policy.", rich_help_panel=HOW)
]
Timeout = Annotated[
    float | None, typer.Option(help="The evaluator's own, in seconds.", rich_help_panel=HOW, show_default=False)
]
RouteLimit = Annotated[
    float | None,
    typer.Option(
        help="Seconds of a whole attempt; a longer drive has no score and is not tried again. Default: none.",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        help=f"NAME=SECONDS without progress; names: {', '.join(LIMITS)}.", rich_help_panel=HOW, show_default=False
    ),
]
StopGrace = Annotated[
    float, typer.Option(help="Seconds between SIGTERM and SIGKILL for what is ended.", rich_help_panel=HOW)
]
Durations = Annotated[
    list[Path] | None,
    typer.Option(
        help="Earlier results of another policy: the longest routes run first; repeat. Default: a suite's probes, "
        "else length.",
        rich_help_panel=HOW,
        show_default=False,
    ),
]
PoolBuilds = Annotated[
    bool, typer.Option("--pool-builds", help="Let attempts of other builds count.", rich_help_panel=HOW)
]
NoHooks = Annotated[bool, typer.Option("--no-hooks", help="Leave the evaluator's Python alone.", rich_help_panel=HOW)]
CarlaRoot = Annotated[
    Path | None,
    typer.Option(help="CARLA's folder. builtin: else a headless server.", rich_help_panel=SERVERS, show_default=False),
]
Engine = Annotated[
    Literal["local", "workers", "ray", "slurm"],
    typer.Option(
        help="Who makes attempts: this machine, `bestrand worker` wherever, a Ray cluster, or Slurm jobs.",
        rich_help_panel=SERVERS,
    ),
]
RayAddress = Annotated[
    str,
    typer.Option(
        help="HOST:PORT of its head; auto: the one this machine is of; local: one that is started here meanwhile.",
        rich_help_panel=SERVERS,
    ),
]
RayResource = Annotated[
    str,
    typer.Option(
        help="Of which each server leases one, where nodes have no GPU that Ray knows. Default: 1 GPU / "
        "--servers-per-gpu; a CPU for the headless server.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
Servers = Annotated[int, typer.Option(help="At the same time.", rich_help_panel=SERVERS)]
Slurm = Annotated[
    list[str] | None,
    typer.Option(
        help="KEY=VALUE for sbatch, such as partition=gpu, gres=gpu:1, time=600; repeat.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
Scratch = Annotated[
    str,
    typer.Option(
        help="slurm: folder on each node; $VARIABLES are the job's. Default: its $TMPDIR.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
Gpus = Annotated[
    str,
    typer.Option(
        help="Such as 0,1; or 0:0,1:2 where CARLA counts otherwise than CUDA.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
ServersPerGpu = Annotated[
    int, typer.Option(help="Of --servers on one of --gpus; more than 1 can change scores.", rich_help_panel=SERVERS)
]
RoutesPerServer = Annotated[
    int | None,
    typer.Option(
        help="Fail2Drive, builtin: a fresh server after so many. Default: 10; never for the headless one.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
ServerCommand = Annotated[
    str,
    typer.Option(
        help="Another way to start a server (a container), with {port}, {gpu}, {run}, {flags} in it.",
        rich_help_panel=SERVERS,
        show_default=False,
    ),
]
ServerStopCommand = Annotated[
    str, typer.Option(help="Ends what that started.", rich_help_panel=SERVERS, show_default=False)
]
ServerExtra = Annotated[str, typer.Option(help="Flags added to CARLA's.", rich_help_panel=SERVERS, show_default=False)]
Simulator = Annotated[
    Literal["carla", "headless"] | None,
    typer.Option(help="Default: what --carla-root is.", rich_help_panel=SERVERS, show_default=False),
]
CarlaVersion = Annotated[
    str | None,
    typer.Option(help="Default: what --carla-root says.", rich_help_panel=SERVERS, show_default=False),
]
PortBase = Annotated[int, typer.Option(help="First port.", rich_help_panel=SERVERS)]
KeepOnFailure = Annotated[
    str,
    typer.Option(help="Of failed routes: record, log, agent.", rich_help_panel=KEEP, show_default=False),
]
KeepFailures = Annotated[
    Literal["any", "policy", "infrastructure"], typer.Option(help="Of whose failures.", rich_help_panel=KEEP)
]
KeepQuotaMib = Annotated[int, typer.Option(help="For all that is kept.", rich_help_panel=KEEP)]
Until = Annotated[
    list[str] | None,
    typer.Option(
        help="METRIC=HALFWIDTH, such as driving_score=3: run a suite block by block, and end when whole "
        "blocks make the interval that narrow; repeat.",
        rich_help_panel=ENOUGH,
        show_default=False,
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
