"""What a run is asked to be."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bestrand_drive.benchmarks.builtin_routes import NAME, routes_path
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.key import Simulator
from bestrand_drive.simulation.attempts.plan import MAX_ATTEMPTS
from bestrand_drive.simulation.crews.on_ray.cluster import AUTO
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.simulation.slots.keeping import Failure, What

LEVEL = 0.95
"""Of the intervals of ``--until``."""
Engine = Literal["local", "workers", "ray", "slurm"]


@dataclass(frozen=True)
class RunRequest:
    """A run as it is asked for; every field is an option of ``bestrand run``.

    Attributes:
        benchmark: ``bench2drive``, ``fail2drive`` or ``builtin``.
        root: The benchmark's checkout, None for ``builtin``.
        routes: Suite folder, route file, or folder of route files.
        agent: File of the policy's agent.
        out: Run folder.
        carla_root: CARLA's folder, or one that ``bestrand headless install`` made; None for ``builtin``: a headless
            server with the shipped towns.
        part: A named part of ``builtin``'s routes.
        towns: Folder of further towns for ``builtin``, OpenDRIVE files.
        agent_config: For the agent, parts joined by ``+``.
        engine: Who makes attempts: ``local`` for this machine, ``workers`` for those that are started elsewhere,
            ``ray`` for a Ray cluster, ``slurm`` for jobs that this run submits.
        ray_address: Of its head; ``auto`` or ``local``, see ``joined``.
        ray_resource: That each server leases one of instead of its share of a GPU; "" for that.
        servers: Attempts at the same time; of each worker, unless it says otherwise; with ``slurm`` the jobs.
        slurm: Options of sbatch for the jobs.
        scratch: Folder on the node of each job, in which ``$VARIABLES`` are the job's; "" for its ``$TMPDIR``.
        gpus: That they go round; on a Ray cluster, which leases them, only how CARLA counts those that it may lease.
        servers_per_gpu: How many of them may share one of ``gpus``; more than one can change scores.
        repeats: Of every route, each with a traffic seed of its own.
        only: Ids of the routes to be run; () for all.
        repeat: The one repeat to be run, from 0; None for all.
        python: Command line of the evaluator's interpreter; "" for ``python``, or this one where the evaluator is ours.
        max_attempts: Of a route and repeat that may end without a result.
        routes_per_server: Routes after which a server that we start is replaced; None for 10, which CARLA bears, or no
            end of the headless server of ``builtin``.
        server_command: Another way to start a server.
        server_stop_command: Ends what that started.
        server_extra: Flags added to CARLA's.
        simulator: What simulates, None to look.
        carla_version: Of the server, None to look.
        policy_name: For people; None takes the run folder's name.
        policy_id: Identity of the policy instead of the hash of its files.
        variables: For the evaluator.
        local: Whether Fail2Drive's other evaluator runs.
        track: SENSORS or MAP, None for the benchmark's.
        timeout_s: The evaluator's own limit, None for the benchmark's.
        route_limit_s: Of a whole attempt, None for none.
        stop_grace_s: Seconds between SIGTERM and SIGKILL for what is ended.
        limits: Other limits of the watchdog in seconds, by a name of ``LIMITS``.
        keep: What is kept of failed routes.
        keep_failure: Of whose failures.
        keep_quota_mib: For all that is kept.
        pool_builds: Whether attempts of other builds count.
        hooks: Whether the evaluator's Python gets the hooks.
        port_base: First port.
        durations: Earlier results of other policies, by which the longest routes are known.
        until: Half widths by metric at which the run is sure enough; {} runs everything.
        until_interval: Whose: ``policy`` or ``run``.
        level: Of that interval.
    """

    benchmark: str
    root: Path | None
    routes: Path
    agent: str
    out: Path
    carla_root: Path | None = None
    part: str = ""
    towns: Path | None = None
    agent_config: str = ""
    engine: Engine = "local"
    ray_address: str = AUTO
    ray_resource: str = ""
    servers: int = 1
    slurm: Mapping[str, str] = field(default_factory=dict)
    scratch: str = ""
    gpus: tuple[Gpu, ...] = ()
    servers_per_gpu: int = 1
    repeats: int = 1
    only: tuple[str, ...] = ()
    repeat: int | None = None
    python: str = ""
    max_attempts: int = MAX_ATTEMPTS
    routes_per_server: int | None = None
    server_command: str = ""
    server_stop_command: str = ""
    server_extra: str = ""
    simulator: Simulator | None = None
    carla_version: str | None = None
    policy_name: str | None = None
    policy_id: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    local: bool = False
    track: str | None = None
    timeout_s: float | None = None
    route_limit_s: float | None = None
    stop_grace_s: float = 5.0
    limits: Mapping[str, float] = field(default_factory=dict)
    keep: frozenset[What] = frozenset()
    keep_failure: Failure = Failure.ANY
    keep_quota_mib: int = 4096
    pool_builds: bool = False
    hooks: bool = True
    port_base: int = FIRST
    durations: tuple[Path, ...] = ()
    until: Mapping[str, float] = field(default_factory=dict)
    until_interval: Literal["policy", "run"] = "policy"
    level: float = LEVEL


def routes_or_shipped(benchmark: str, routes: Path | None) -> Path:
    """The user's routes, or those that come with this package.

    Raises:
        UsageError: None are given, and the benchmark's are not shipped.
    """
    if routes is None and benchmark != NAME:
        raise UsageError(f"--routes is needed: {benchmark}'s route files are not shipped.")
    return routes or routes_path()


def words_of(option: str, text: str) -> tuple[str, ...]:
    """A command line as words.

    Raises:
        UsageError: Naming the option: a quotation is left open.
    """
    try:
        return tuple(shlex.split(os.path.expanduser(text)))
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}.") from error
