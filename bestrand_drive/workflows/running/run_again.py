"""The command that runs one route of a run once more, in a folder of its own, as one line for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.workflows.running.run_request import RunRequest

_FLAGS: Mapping[str, str] = {
    "carla_root": "--carla-root",
    "agent_config": "--agent-config",
    "part": "--part",
    "towns": "--towns",
    "python": "--python",
    "server_command": "--server-command",
    "server_stop_command": "--server-stop-command",
    "server_extra": "--server-extra",
    "simulator": "--simulator",
    "carla_version": "--carla-version",
    "policy_id": "--policy-id",
    "track": "--track",
    "timeout_s": "--timeout",
    "route_limit_s": "--route-limit",
    "port_base": "--port-base",
    "ray_address": "--ray-address",
    "ray_resource": "--ray-resource",
    "scratch": "--scratch",
}
"""Fields of a request and their options; those that do not matter for one route are left out."""
_CLUSTERS = ("ray", "slurm")
"""Engines whose nodes must see the run folder; workers elsewhere would wait for it, so that this machine drives."""


def again_line(request: RunRequest, route_id: str, repeat: int) -> str:
    """The command, for the folder in which the first one was given; each time it is pasted, it runs."""
    words = ["bestrand", "run", request.benchmark, *_arguments(request), "--only", route_id, "--repeat", str(repeat)]
    beside = f" -p {shlex.quote(str(request.out.parent))}" if request.engine in _CLUSTERS else ""
    return f'{shlex.join(words)} --max-attempts 1 --out "$(mktemp -d{beside})/{route_id}"'


def _arguments(request: RunRequest) -> Iterator[str]:
    if request.root is not None:
        yield from ("--root", str(request.root))
    yield from ("--routes", str(request.routes), "--agent", request.agent)
    default = RunRequest("", request.root, request.routes, "", request.out)
    for field, flag in _FLAGS.items():
        value = getattr(request, field)
        if value != getattr(default, field):
            yield from (flag, exact(value) if isinstance(value, float) else str(value))
    yield from _places(request)
    for name, text in request.variables.items():
        yield from ("--env", f"{name}={text}")
    for name, seconds in request.limits.items():
        yield from ("--limit", f"{name}={exact(seconds)}")
    if request.local:
        yield from ("--evaluator", "local")
    if not request.hooks:
        yield "--no-hooks"


def _places(request: RunRequest) -> Iterator[str]:
    """Where the route is driven: on the cluster, or on one GPU of this machine."""
    if request.engine in _CLUSTERS:
        yield from ("--engine", request.engine)
    for name, text in request.slurm.items():
        yield from ("--slurm", f"{name}={text}")
    if request.gpus:
        any_of = request.gpus if request.engine == "ray" else request.gpus[:1]
        yield from ("--gpus", ",".join(map(_gpu, any_of)))


def exact(number: float) -> str:
    """As short as it is the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def _gpu(gpu: Gpu) -> str:
    return f"{gpu.cuda}:{gpu.adapter}"
