"""All that the attempts of one start have in common."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bestrand_drive.simulation.adapters.adapter import Adapter
from bestrand_drive.simulation.adapters.agent import Agent
from bestrand_drive.simulation.adapters.checkout import Checkout
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.processes.marks import run_mark
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.ports import PortLease, lease_ports
from bestrand_drive.simulation.watchdog import Limits


@dataclass(frozen=True)
class Settings:
    """How attempts are run.

    Attributes:
        adapter: Of the evaluator.
        checkout: The benchmark's.
        python: Words of the evaluator's interpreter.
        agent: The policy.
        server: How a server is started.
        carla_version: That it must announce.
        layout: Of the run folder.
        gpus: That slots go round; () leaves CUDA alone.
        limits: Of the watchdog.
        timeout_s: The evaluator's own limit, None for the benchmark's.
        track: SENSORS or MAP, None for the benchmark's.
        variables: For the evaluator.
        hooks: Whether its Python gets the hooks.
        record: Whether CARLA records each drive.
        save_agent: Whether agents are told where to write (SAVE_PATH) though the benchmark's own scripts do not.
        routes_per_server: Routes after which a server that we start is replaced.
        python_says: Version and place of the interpreter, for the record.
        lease: Gives ports.
        stagger_s: Seconds between two starts of evaluators.
        look_s: Seconds between two looks at a running attempt.
        grace_s: Seconds between SIGTERM and SIGKILL.
        inherited: Environment of the driver.
    """

    adapter: Adapter
    checkout: Checkout
    python: tuple[str, ...]
    agent: Agent
    server: ServerCommand
    carla_version: str
    layout: Layout
    limits: Limits
    gpus: tuple[Gpu, ...] = ()
    timeout_s: float | None = None
    track: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)
    hooks: bool = True
    record: bool = False
    save_agent: bool = False
    routes_per_server: int = 10
    python_says: str = ""
    lease: Callable[[], PortLease] = lease_ports
    stagger_s: float = 0.0
    look_s: float = 1.0
    grace_s: float = 5.0
    inherited: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def run(self) -> str:
        """Mark of the run folder."""
        return run_mark(self.layout.root)
