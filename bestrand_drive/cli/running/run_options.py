"""What the options of a run ask for; ``run`` needs some, ``doctor`` none, ``probe`` lacks what is each probe's."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from bestrand_drive.cli.options import comma_list, numbers, pairs
from bestrand_drive.cli.running import driving_options as driving
from bestrand_drive.simulation.adapters.variables import parse_variables
from bestrand_drive.simulation.attempts.plan import MAX_ATTEMPTS
from bestrand_drive.simulation.crews.on_ray.cluster import AUTO
from bestrand_drive.simulation.servers.gpus import parse_gpus
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.simulation.slots.keeping import Failure, parse_what
from bestrand_drive.workflows.running.run_request import LEVEL, RunRequest


def run_request(
    benchmark: driving.Benchmark,
    agent: driving.Agent,
    out: driving.Out,
    root: driving.Root = None,
    routes: driving.Routes = None,
    part: driving.Part = "",
    towns: driving.Towns = None,
    agent_config: driving.AgentConfig = "",
    policy_name: driving.PolicyName = None,
    policy_id: driving.PolicyId = None,
    repeats: driving.Repeats = 1,
    only: driving.Only = "",
    repeat: driving.Repeat = None,
    python: driving.Python = "",
    evaluator: driving.Evaluator = "default",
    env: driving.Env = None,
    track: driving.Track = None,
    max_attempts: driving.MaxAttempts = MAX_ATTEMPTS,
    timeout: driving.Timeout = None,
    route_limit: driving.RouteLimit = None,
    limit: driving.Limit = None,
    stop_grace: driving.StopGrace = 5.0,
    durations: driving.Durations = None,
    pool_builds: driving.PoolBuilds = False,
    no_hooks: driving.NoHooks = False,
    carla_root: driving.CarlaRoot = None,
    engine: driving.Engine = "local",
    ray_address: driving.RayAddress = AUTO,
    ray_resource: driving.RayResource = "",
    servers: driving.Servers = 1,
    slurm: driving.Slurm = None,
    scratch: driving.Scratch = "",
    gpus: driving.Gpus = "",
    servers_per_gpu: driving.ServersPerGpu = 1,
    routes_per_server: driving.RoutesPerServer = None,
    server_command: driving.ServerCommand = "",
    server_stop_command: driving.ServerStopCommand = "",
    server_extra: driving.ServerExtra = "",
    simulator: driving.Simulator = None,
    carla_version: driving.CarlaVersion = None,
    port_base: driving.PortBase = FIRST,
    keep_on_failure: driving.KeepOnFailure = "",
    keep_failures: driving.KeepFailures = "any",
    keep_quota_mib: driving.KeepQuotaMib = 4096,
    until: driving.Until = None,
    until_interval: driving.UntilInterval = "policy",
    level: driving.Level = LEVEL,
) -> RunRequest:
    """What the options ask for.

    Raises:
        UsageError: The words of an option cannot be read.
    """
    return RunRequest(
        benchmark=benchmark,
        root=root,
        routes=cast(Path, routes),  # None is for the command to understand: the shipped ones, or none
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
        limits=numbers("--limit", limit or (), "SECONDS"),
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
