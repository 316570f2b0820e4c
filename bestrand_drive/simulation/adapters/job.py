"""One route to be driven once, with everything that a command depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bestrand_drive.benchmarks.routes import RouteFile, subset_xml
from bestrand_drive.simulation.adapters.agent import Agent
from bestrand_drive.simulation.adapters.checkout import Checkout


@dataclass(frozen=True)
class Job:
    """What one attempt runs.

    Attributes:
        checkout: The benchmark's.
        python: Words of the interpreter: ``("/env/bin/python",)``, or a program that runs one, with its arguments.
        carla_root: What the evaluator gets as CARLA_ROOT; it starts ``CarlaUE4.sh`` there if it starts a server at all.
        routes: The user's route file.
        route_id: Of the one route to drive.
        repeat: From 0.
        agent: The policy.
        work: Folder of this attempt, for all that it writes.
        port: Of the server.
        traffic_manager_port: For the evaluator's TrafficManager.
        rank_token: Stands for the GPU on the server's command line. An evaluator ends every process with its token
            there, so that no two servers may share one.
        gpu: Index that the policy sees as its only GPU; None leaves the environment as it is.
        timeout_s: The evaluator's own limit; None for the benchmark's.
        track: SENSORS or MAP; None for what the benchmark's own scripts use.
        record: Whether CARLA records the drive.
        variables: The user's, from ``--env``.
        hooks: Whether the evaluator's Python gets the hooks.
    """

    checkout: Checkout
    python: tuple[str, ...]
    carla_root: Path
    routes: RouteFile
    route_id: str
    repeat: int
    agent: Agent
    work: Path
    port: int
    traffic_manager_port: int
    rank_token: int = 0
    gpu: str | None = None
    timeout_s: float | None = None
    track: str | None = None
    record: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)
    hooks: bool = True

    @property
    def route_path(self) -> Path:
        """Where the file of this one route is written.

        A file of one route keeps its name, because agents and tools read it.
        """
        stem, suffix = self.routes.path.stem, self.routes.path.suffix
        name = f"{stem}{suffix}" if len(self.routes.routes) == 1 else f"{stem}_{self.route_id}{suffix}"
        return self.work / "routes" / name

    @property
    def route_xml(self) -> bytes:
        """The user's own element, byte for byte."""
        return subset_xml(self.routes, [self.route_id])

    @property
    def agent_folder(self) -> Path:
        """For what the agent writes."""
        return self.work / "agent"

    @property
    def record_folder(self) -> Path:
        """For CARLA's recording."""
        return self.work / "record"

    @property
    def result(self) -> Path:
        """For the evaluator's result."""
        return self.work / "result.json"

    @property
    def live(self) -> Path:
        """For what the evaluator tells while it drives."""
        return self.work / "live.txt"

    @property
    def heartbeat(self) -> Path:
        """For the hooks."""
        return self.work / "heartbeat"
