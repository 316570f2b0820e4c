"""What follows from a request before anything is started: routes, checkout, policy, simulator, settings, cells."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bestrand_drive.benchmarks.builtin_limits import refuse_towns, refuse_types
from bestrand_drive.benchmarks.builtin_routes import own_towns, towns_path
from bestrand_drive.benchmarks.routes import RouteElement
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.agent import Agent, find_agent
from bestrand_drive.simulation.adapters.catalog import find_adapter
from bestrand_drive.simulation.adapters.checkout import Checkout
from bestrand_drive.simulation.attempts.identity import PolicyIdentity, identify_policy
from bestrand_drive.simulation.attempts.key import AttemptKey, Simulator
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.route_set import RouteSet, read_route_set
from bestrand_drive.simulation.attempts.run_folder import EvaluatorRef, RoutesRef, RunInfo
from bestrand_drive.simulation.attempts.stamps import utc_stamp
from bestrand_drive.simulation.processes.marks import run_name
from bestrand_drive.simulation.scheduling.durations import Durations
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.headless import client_version, headless_command
from bestrand_drive.simulation.servers.ports import PORTS, lease_ports
from bestrand_drive.simulation.servers.root import find_simulator, find_version, look_into
from bestrand_drive.simulation.slots.keeping import MIB, Keeper, What
from bestrand_drive.simulation.slots.settings import Settings
from bestrand_drive.simulation.watchdog import Limits
from bestrand_drive.workflows.running.durations import find_durations
from bestrand_drive.workflows.running.run_checks import ROUTES_PER_SERVER, check_numbers
from bestrand_drive.workflows.running.run_request import RunRequest, words_of

if TYPE_CHECKING:
    from bestrand_drive.workflows.running.until import Until

_ENDLESS = 1_000_000_000
_LOCAL_STAGGER_S = 2.0
"""Fail2Drive's other evaluator finds a port by itself; two at the same moment would find the same."""


@dataclass(frozen=True)
class Prepared:
    """What follows from a request.

    Attributes:
        request: It.
        settings: Of all attempts.
        info: What the run folder is a run of.
        routes: Of the benchmark's files that were given.
        wanted: One key a route and repeat.
        durations: Expected, of each route that is wanted.
        until: When it is enough; None when everything is to be run.
    """

    request: RunRequest
    settings: Settings
    info: RunInfo
    routes: RouteSet
    wanted: tuple[AttemptKey, ...]
    durations: Durations
    until: Until | None = None

    @property
    def keeper(self) -> Keeper:
        """Of what failed routes leave."""
        request = self.request
        return Keeper(self.settings.layout, request.keep, request.keep_failure, request.keep_quota_mib * MIB)


def prepare(request: RunRequest) -> Prepared:
    """Read the checkout, the routes and the policy, and work out what is to be run; nothing is started or written.

    Raises:
        UsageError: An option, the checkout or the agent is wrong.
        DataRefused: A route file is, or our evaluator cannot drive its routes.
    """
    check_numbers(request)
    adapter = find_adapter("fail2drive_local" if request.local else request.benchmark)
    checkout = adapter.checkout(request.root, request.towns)
    routes = read_route_set(request.routes, request.benchmark, request.part)
    agent = find_agent(request.agent, request.agent_config, root=request.root)
    out = Path(os.path.abspath(request.out))
    policy = identify_policy(
        request.policy_name or out.name,
        agent=agent.path,
        agent_config=agent.config,
        policy_id=request.policy_id,
        shared=agent.shared,
    )
    layout = Layout(out)
    simulated = _simulated(request, adapter, checkout, routes, layout)
    settings = _settings(request, adapter, checkout, agent, layout, simulated)
    info = RunInfo(
        benchmark=request.benchmark,
        simulator=simulated.simulator,
        policy=policy,
        evaluator=EvaluatorRef(adapter=adapter.id, root=str(checkout.root), commit=checkout.commit),
        routes=RoutesRef(path=str(request.routes), sha256=routes.sha256, ids=tuple(routes.routes)),
        repeats=max(request.repeats, (request.repeat or 0) + 1),
        created=utc_stamp(),
    )
    wanted = _wanted(request, settings, simulated.simulator, policy, routes)
    if adapter.module:
        _check_routes(request, [routes.routes[name] for name in dict.fromkeys(key.route_id for key in wanted)])
    durations = find_durations(_of_wanted(routes, wanted), request.benchmark, request.durations)
    return Prepared(request, settings, info, routes, wanted, durations, _until(request, wanted))


def _of_wanted(routes: RouteSet, wanted: Sequence[AttemptKey]) -> RouteSet:
    """The routes that are wanted."""
    return replace(routes, routes={key.route_id: routes.routes[key.route_id] for key in wanted})


def _until(request: RunRequest, wanted: Sequence[AttemptKey]) -> Until | None:
    if not request.until:
        return None
    from bestrand_drive.workflows.running.until import until_of  # noqa: PLC0415  brings torch

    return until_of(request, wanted)


def _check_routes(request: RunRequest, routes: Sequence[RouteElement]) -> None:
    """Refuse what our evaluator would refuse, where it can be seen from here.

    Raises:
        DataRefused: Naming the scenario types or the towns that are lacking, and the routes.
    """
    refuse_types({route.id: route.scenario_types for route in routes})
    shipped = towns_path().glob("*.xodr")
    towns = frozenset(path.stem for path in (*shipped, *own_towns(request.towns)))
    lacking = {route.town for route in routes} - towns
    if request.carla_root is not None:
        server = look_into(request.carla_root)
        lacking = set(server.missing(sorted(lacking))) if server.towns is not None else set()
    elif request.server_command or request.server_extra:
        return  # the towns of a server of the user's, or with maps of the user's, are not seen from here
    advice = "Give its folder with --towns, or the --carla-root of a server that has it."
    refuse_towns({route.id: route.town for route in routes}, lacking, f"it is none of the shipped ones. {advice}")


@dataclass(frozen=True)
class _Simulated:
    """By what a run is simulated.

    Attributes:
        server: How a server is started.
        simulator: What it is.
        version: That it must announce.
        routes_per_server: After which it is replaced.
    """

    server: ServerCommand
    simulator: Simulator
    version: str
    routes_per_server: int


def _simulated(
    request: RunRequest, adapter: Adapter, checkout: Checkout, routes: RouteSet, layout: Layout
) -> _Simulated:
    """The user's server, or for an evaluator of ours the headless one when there is none."""
    worn = request.routes_per_server
    if adapter.module and request.carla_root is None and not request.server_command:
        version = request.carla_version or client_version()
        town = next(iter(routes.routes.values())).town if routes.routes else ""
        towns = (towns_path(), *([checkout.towns] if checkout.towns else []))
        server = replace(headless_command(towns, town, version), extra=words_of("--server-extra", request.server_extra))
        return _Simulated(server, "headless", version, _ENDLESS if worn is None else worn)
    server = ServerCommand(
        root=request.carla_root,
        extra=words_of("--server-extra", request.server_extra),
        template=words_of("--server-command", request.server_command),
        stop=words_of("--server-stop-command", request.server_stop_command),
        run=run_name(layout.root),
    )
    server.check()
    simulator = find_simulator(request.carla_root, request.simulator)
    version = find_version(request.carla_root, request.carla_version)
    return _Simulated(server, simulator, version, ROUTES_PER_SERVER if worn is None else worn)


def _settings(
    request: RunRequest, adapter: Adapter, checkout: Checkout, agent: Agent, layout: Layout, simulated: _Simulated
) -> Settings:
    limits = Limits(
        timeout_s=adapter.timeout_s if request.timeout_s is None else request.timeout_s, wall_s=request.route_limit_s
    )
    return Settings(
        adapter=adapter,
        checkout=checkout,
        python=find_python(request.python or (shlex.quote(sys.executable) if adapter.module else "python")),
        agent=agent,
        server=simulated.server,
        carla_version=simulated.version,
        layout=layout,
        limits=replace(limits, **{f"{name}_s": seconds for name, seconds in request.limits.items()}),
        gpus=request.gpus,
        timeout_s=request.timeout_s,
        track=request.track,
        variables=request.variables,
        hooks=request.hooks,
        record=What.RECORD in request.keep,
        save_agent=What.AGENT in request.keep,
        routes_per_server=simulated.routes_per_server,
        grace_s=request.stop_grace_s,
        lease=partial(lease_ports, request.port_base, request.port_base + PORTS - 1),
        stagger_s=_LOCAL_STAGGER_S if request.local and request.servers > 1 else 0.0,
    )


def find_python(text: str) -> tuple[str, ...]:
    """The words of an interpreter's command line, the program by its path.

    Raises:
        UsageError: There is no such program.
    """
    words = words_of("--python", text)
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise UsageError(
            f"--python {text}: no such program. Give the interpreter in which the benchmark's evaluator runs, "
            'such as ~/miniconda3/envs/b2d/bin/python, or "conda run -n b2d python".'
        )
    return os.path.abspath(program), *words[1:]


def _wanted(
    request: RunRequest, settings: Settings, simulator: Simulator, policy: PolicyIdentity, routes: RouteSet
) -> tuple[AttemptKey, ...]:
    unknown = [name for name in request.only if name not in routes.routes]
    if unknown:
        raise UsageError(f"--only {', '.join(unknown)}: no such route in {request.routes}.")
    ids: Sequence[str] = request.only or tuple(routes.routes)
    repeats = range(request.repeats) if request.repeat is None else (request.repeat,)
    return tuple(
        AttemptKey(
            benchmark=request.benchmark,
            route_id=name,
            town=routes.routes[name].town,
            route_sha256=routes.routes[name].sha256,
            policy=policy.digest,
            seed=settings.adapter.seed(name, repeat),
            repeat=repeat,
            simulator=simulator,
            carla_version=settings.carla_version,
            evaluator_commit=settings.checkout.commit,
            adapter=settings.adapter.id,
        )
        for repeat in repeats
        for name in ids
    )
