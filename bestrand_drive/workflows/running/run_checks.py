"""Which runs cannot be made whatever the files say: numbers, and options that do not go together."""

from __future__ import annotations

import math

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.crews.on_ray.cluster import AUTO
from bestrand_drive.simulation.servers.ports import HIGHEST, PORTS, STRIDE, blocks, ephemeral_first
from bestrand_drive.workflows.running.run_request import LEVEL, RunRequest

LIMITS = ("ready", "start", "load", "tick", "grace", "gone")
"""Names of ``--limit``: fields of ``Limits`` without their unit."""
ROUTES_PER_SERVER = 10
"""After which a server is replaced, unless the user says otherwise."""


def check_numbers(request: RunRequest) -> None:
    """Refuse numbers with which no run can be made, whatever the files say.

    Raises:
        UsageError: Naming the option.
    """
    numbers = {
        "--servers": request.servers,
        "--servers-per-gpu": request.servers_per_gpu,
        "--repeats": request.repeats,
        "--routes-per-server": ROUTES_PER_SERVER if request.routes_per_server is None else request.routes_per_server,
        "--max-attempts": request.max_attempts,
    }
    for option, value in numbers.items():
        if value < 1:
            raise UsageError(f"{option} {value}: at least 1.")
    if request.keep_quota_mib < 0:
        raise UsageError(f"--keep-quota-mib {request.keep_quota_mib}: at least 0.")
    _check_seconds(request)
    if request.repeat is not None and request.repeat < 0:
        raise UsageError(f"--repeat {request.repeat}: repeats count from 0.")
    if request.local and request.benchmark == "bench2drive":
        raise UsageError("--evaluator local: only Fail2Drive has two evaluators.")
    _check_engine(request)
    if not request.until and (request.level, request.until_interval) != (LEVEL, "policy"):
        raise UsageError("--level, --until-interval: they are of --until METRIC=HALFWIDTH, which is not given.")
    _check_ports(request)
    if request.engine != "ray":  # there, GPUs are leased
        _check_gpus(request)


def _check_seconds(request: RunRequest) -> None:
    """Whether every time is one that can be over; NaN never is."""
    for name, limit in request.limits.items():
        if name not in LIMITS or not 0 < limit < math.inf:
            raise UsageError(f"--limit {name}={limit:g}: give {', '.join(LIMITS)} a positive number of seconds.")
    for option, seconds in {"--timeout": request.timeout_s, "--route-limit": request.route_limit_s}.items():
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"{option} {seconds:g}: give a positive number of seconds.")
    if not 0 <= request.stop_grace_s < math.inf:
        raise UsageError(f"--stop-grace {request.stop_grace_s:g}: give a number of seconds, 0 or more.")


def _check_engine(request: RunRequest) -> None:
    """Whether options of an engine are given to that engine."""
    if request.engine != "slurm" and (request.slurm or request.scratch):
        raise UsageError("--slurm, --scratch: they are of --engine slurm, which is not given.")
    if request.engine != "ray" and (request.ray_address, request.ray_resource) != (AUTO, ""):
        raise UsageError("--ray-address, --ray-resource: they are of --engine ray, which is not given.")


def most_servers(request: RunRequest) -> int:
    """Servers that there are GPUs and ports for."""
    ports = _port_blocks(request)
    return min(ports, len(request.gpus) * request.servers_per_gpu) if request.gpus else ports


def _check_gpus(request: RunRequest) -> None:
    """Whether every server has its GPU, or what it shares was said."""
    if request.gpus and request.engine == "slurm":
        raise UsageError(
            "--gpus: with --engine slurm each job has the GPU that Slurm gives it. Say --slurm gres=gpu:1."
        )
    places = len(request.gpus) * request.servers_per_gpu
    if request.gpus and request.servers > places:
        raise UsageError(
            f"--servers {request.servers}: --gpus has {len(request.gpus)}, with {request.servers_per_gpu} on each. "
            f"Give --servers-per-gpu {-(-request.servers // len(request.gpus))} for more on one, which can change "
            "scores (compare only runs of the same setting), or fewer --servers."
        )


def _check_ports(request: RunRequest) -> None:
    """Whether the range has a block for every server of a machine, were all its ports free."""
    first, ephemeral, count = request.port_base, ephemeral_first(), _port_blocks(request)
    needed = 1 if request.engine in ("ray", "slurm") else request.servers  # there, each server has a place of its own
    if count < needed:
        raise UsageError(
            f"--port-base {first}: from there on are ports for {count} servers, and there are {needed} on a machine; "
            f"each takes {STRIDE}, from a multiple of {STRIDE} on. Give one from 1, far enough below "
            f"{ephemeral if first < ephemeral else HIGHEST}."
        )


def _port_blocks(request: RunRequest) -> int:
    first = request.port_base
    return len(tuple(blocks(first, first + PORTS - 1, ephemeral_first()))) if first > 0 else 0
