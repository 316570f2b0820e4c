"""What a run would be asked for, and what several checks derive from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bestrand_drive.benchmarks.builtin_routes import towns_path
from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.agent import Agent, find_agent
from bestrand_drive.simulation.adapters.catalog import ADAPTERS, find_adapter
from bestrand_drive.simulation.adapters.checkout import Checkout
from bestrand_drive.simulation.adapters.command import Command
from bestrand_drive.simulation.adapters.interpreter import Interpreter, look_at
from bestrand_drive.simulation.adapters.job import Job
from bestrand_drive.simulation.attempts.key import Simulator
from bestrand_drive.simulation.crews.on_ray.cluster import AUTO
from bestrand_drive.simulation.doctor.finding import NotLooked
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.headless import client_version
from bestrand_drive.simulation.servers.ports import FIRST
from bestrand_drive.simulation.servers.root import CarlaRoot, look_into

_NOWHERE = Path("/nonexistent")
_SOME_ROUTE = (
    b'<routes><route id="0" town="Town01"><waypoints><position x="0" y="0" z="0"/></waypoints><scenarios/></route>'
    b"</routes>"
)
_SOME_PORT = 20_000
_AGENTS = "agents"
"""Belongs to CARLA's release, not to the interpreter, and has a check of its own."""
_MAIN_ADAPTERS = ("bench2drive", "fail2drive")


@dataclass(frozen=True)
class Case:
    """The options of a run, each None or empty when it was not given.

    Attributes:
        root: The benchmark's checkout.
        benchmark: Name of the benchmark, None to tell by the checkout.
        local: Whether Fail2Drive's local evaluator is meant.
        carla_root: CARLA's folder.
        carla_version: Of the server, None to read it from its folder.
        server_command: Another way to start a server.
        server_stop_command: Ends what that started.
        server_extra: Flags added to the server's, which may name other maps.
        simulated_in: What simulates, None to look.
        routes: Suite folder, route file or folder of route files.
        part: A named part of the built-in benchmark's routes, "" for all.
        towns: Folder of further towns for the built-in benchmark, None for none.
        only: Ids of the routes to be run, () for all.
        agent: The agent's file, as given.
        agent_config: Its configuration, as given.
        policy_name: For people, None for the run folder's.
        policy_id: Replaces the hash over the agent's files.
        python: Words of the evaluator's interpreter.
        variables: For the evaluator's environment.
        gpus: To be used.
        servers: At the same time.
        engine: Who makes attempts.
        ray_address: Of the head of a Ray cluster.
        ray_resource: Of which each server leases one there.
        slurm: Options of sbatch.
        servers_per_gpu: That share one.
        port_base: First port of theirs.
        out: Run folder.
        pool_builds: Whether attempts of other builds count.
    """

    root: Path | None = None
    benchmark: str | None = None
    local: bool = False
    carla_root: Path | None = None
    carla_version: str | None = None
    server_command: tuple[str, ...] = ()
    server_stop_command: tuple[str, ...] = ()
    server_extra: tuple[str, ...] = ()
    simulated_in: Simulator | None = None
    routes: Path | None = None
    part: str = ""
    towns: Path | None = None
    only: tuple[str, ...] = ()
    agent: str | None = None
    agent_config: str = ""
    policy_name: str | None = None
    policy_id: str | None = None
    python: tuple[str, ...] = ("python",)
    variables: Mapping[str, str] = field(default_factory=dict)
    gpus: tuple[Gpu, ...] = ()
    servers: int = 1
    engine: str = "local"
    ray_address: str = AUTO
    ray_resource: str = ""
    slurm: Mapping[str, str] = field(default_factory=dict)
    servers_per_gpu: int = 1
    port_base: int = FIRST
    out: Path | None = None
    pool_builds: bool = False

    @cached_property
    def server(self) -> ServerCommand:
        """How servers would be started."""
        return ServerCommand(self.carla_root, template=self.server_command, stop=self.server_stop_command)

    @property
    def ours(self) -> bool:
        """Whether a run would use the evaluator that comes with this package."""
        return self.benchmark is not None and bool(find_adapter(self.benchmark).module)

    @property
    def brings_server(self) -> bool:
        """Whether a run would start the headless server for the built-in evaluator, as none is given."""
        return self.ours and self.carla_root is None and not self.server_command

    @cached_property
    def simulator(self) -> CarlaRoot:
        """What CARLA's folder holds; without one, what the headless server of the built-in evaluator has.

        Raises:
            NotLooked: It was not given, holds no server, or another command starts the servers.
            UsageError: The headless server lacks what it needs.
        """
        if self.brings_server:
            towns = frozenset(path.stem for path in towns_path().glob("*.xodr"))
            return CarlaRoot(True, self.carla_version or client_version(), towns)
        if self.server_command:
            raise NotLooked("a server of --server-command is not seen from here")
        if self.carla_root is None or not self.server.script.is_file():
            raise NotLooked("needs the server of --carla-root")
        return look_into(self.carla_root)

    def find_evaluator(self) -> tuple[Adapter, Checkout]:
        """The evaluator, and the checkout that holds it.

        Raises:
            NotLooked: No checkout was given.
            UsageError: It is no checkout of the benchmark, or of none.
        """
        if self.benchmark and self.ours:
            ours = find_adapter(self.benchmark)
            return ours, ours.checkout(self.root, self.towns)
        if self.root is None:
            raise NotLooked("no --root given")
        faults = []
        for name in (self.benchmark,) if self.benchmark else _MAIN_ADAPTERS:
            adapter = ADAPTERS["fail2drive_local"] if self.local and name == "fail2drive" else find_adapter(name)
            try:
                return adapter, adapter.checkout(self.root, self.towns)
            except UsageError as error:
                faults.append(str(error))
        raise UsageError(" ".join(faults))

    @cached_property
    def evaluator(self) -> tuple[Adapter, Checkout]:
        """As ``find_evaluator``, for checks that need it and do not judge it.

        Raises:
            NotLooked: There is none.
        """
        try:
            return self.find_evaluator()
        except UsageError as error:
            raise NotLooked("needs the benchmark's checkout") from error

    @cached_property
    def interpreter(self) -> Interpreter:
        """What the interpreter says of itself.

        Raises:
            NotLooked: There is no evaluator.
            EnvironmentFault: It does not run.
        """
        modules = tuple(name for name in self.evaluator[0].modules if name != _AGENTS)
        return look_at(self.python, modules, self.command())

    def find_agent(self) -> Agent:
        """The agent, with absolute paths.

        Raises:
            NotLooked: None was given.
            UsageError: A file of it is not there.
        """
        if self.agent is None:
            raise NotLooked("no --agent given")
        return find_agent(self.agent, self.agent_config, root=self.root)

    @cached_property
    def policy(self) -> Agent:
        """As ``find_agent``, for checks that need it and do not judge it.

        Raises:
            NotLooked: There is none.
        """
        try:
            return self.find_agent()
        except UsageError as error:
            raise NotLooked("needs the agent's files") from error

    def command(self) -> Command:
        """A command of the evaluator for its environment; it is never started as it is, and writes nothing.

        Raises:
            NotLooked: There is no evaluator.
        """
        adapter, checkout = self.evaluator
        try:
            agent = self.policy
        except NotLooked:
            agent = Agent(_NOWHERE / "agent.py")
        job = Job(
            checkout=checkout,
            python=self.python,
            carla_root=(self.carla_root or _NOWHERE).absolute(),
            routes=parse_routes(_NOWHERE / "routes.xml", _SOME_ROUTE),
            route_id="0",
            repeat=0,
            agent=agent,
            work=_NOWHERE,
            port=_SOME_PORT,
            traffic_manager_port=_SOME_PORT + 5,
            gpu=self.gpus[0].cuda if self.gpus else None,
            variables=self.variables,
            hooks=False,
        )
        # a run hands the evaluator a CARLA_ROOT of its own making, so that only that one's name matters to a shell
        return dataclasses.replace(adapter, starts_server=False).command(job)
