"""Where an attempt finds its server: one that the evaluator starts itself, or one of ours that several routes use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bestrand_drive.simulation.processes.identity import running
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.placement import check_placement
from bestrand_drive.simulation.servers.ports import PortBlock
from bestrand_drive.simulation.servers.probe import Health, ask_version
from bestrand_drive.simulation.servers.root import is_version
from bestrand_drive.simulation.servers.server import Server, ServerPlan, other_version
from bestrand_drive.simulation.servers.session import ServerSession
from bestrand_drive.simulation.servers.shim import SlotRoot, make_slot_root, rank_token
from bestrand_drive.simulation.slots.cell import Halt
from bestrand_drive.simulation.slots.settings import Settings
from bestrand_drive.simulation.watchdog import Server as Seen

_PROBE_S = 2.0
_SEEN = {
    Health.ANSWERS: Seen.ANSWERS,
    Health.SILENT: Seen.SILENT,
    Health.FOREIGN: Seen.SILENT,
    Health.CLOSED: Seen.GONE,
}


class View(Protocol):
    """A server as it is seen from outside."""

    version: str
    """As it announced it, "" before."""

    def look(self) -> Seen:
        """What it does now.

        Raises:
            EnvironmentFault: It is of another version, or on another GPU.
        """


class Unseen:
    """A server that is not there."""

    version = ""

    def look(self) -> Seen:
        """See ``View``."""
        return Seen.UNKNOWN


@dataclass(frozen=True)
class Place:
    """What an attempt is given.

    Attributes:
        ports: Leased for it.
        carla_root: For the evaluator.
        server: To be watched.
        rank: For the evaluator's ``--gpu-rank``.
        stop_argv: Ends the server, if that needs a command.
        logs: Of the server, where it does not print into the evaluator's.
    """

    ports: PortBlock
    carla_root: Path
    server: View
    rank: int = 0
    stop_argv: tuple[str, ...] = ()
    logs: tuple[Path, ...] = ()


class Places(Protocol):
    """Gives one attempt after the other its place."""

    def open(self, work: Path) -> AbstractContextManager[Place]:
        """A place for one attempt, whose scratch is ``work``.

        Raises:
            ServerFault: No server came up.
            EnvironmentFault: None can.
        """

    def failed(self) -> None:
        """The last attempt had no result, which may be the server's doing."""

    def close(self) -> None:
        """No more attempts."""


class OwnServers:
    """Every evaluator starts a server of its own, from a CARLA_ROOT that is made for it."""

    def __init__(self, settings: Settings, gpu: Gpu) -> None:
        self._settings, self._gpu = settings, gpu

    @contextmanager
    def open(self, work: Path) -> Iterator[Place]:
        """See ``Places``."""
        with self._settings.lease() as lease:
            rank = rank_token(lease.ports.rpc)
            root = make_slot_root(work / "carla", self._settings.server, rank, self._gpu.adapter)
            view = EvaluatorsServer(root, self._settings.carla_version, self._gpu)
            yield Place(lease.ports, root.folder, view, rank, root.stop_argv)

    def failed(self) -> None:
        """See ``Places``; the server has ended with its evaluator."""

    def close(self) -> None:
        """See ``Places``."""


class EvaluatorsServer:
    """The server that an evaluator started, known by what its script noted."""

    def __init__(self, root: SlotRoot, wanted: str, gpu: Gpu) -> None:
        self._root, self._wanted, self._gpu = root, wanted, gpu
        self.version = ""

    def look(self) -> Seen:
        """See ``View``."""
        launched = self._root.launched()
        if launched is None or running(launched[0]) is None:
            return Seen.GONE
        answer = ask_version(launched[1], _PROBE_S)
        if answer.health is Health.ANSWERS and not self.version:
            if not is_version(answer.version, self._wanted):
                raise other_version(answer.version, self._wanted)
            check_placement(self._root.server_pids(), self._gpu)
            self.version = answer.version
        return _SEEN[answer.health]


class SharedServers:
    """A server of ours, used for several routes."""

    def __init__(self, settings: Settings, gpu: Gpu, logs: Path, halt: Halt) -> None:
        self._settings = settings
        plan = ServerPlan(
            command=settings.server,
            run=settings.run,
            environment=settings.inherited,
            folder=settings.layout.root,
            gpu=gpu,
            version=settings.carla_version,
            ready_s=settings.limits.ready_s,
        )
        self._session = ServerSession(
            plan,
            logs,
            settings.routes_per_server,
            lease=settings.lease,
            cancelled=lambda: halt.asked,
            hurry=lambda: halt.forced,
        )
        self._logs = logs

    @contextmanager
    def open(self, work: Path) -> Iterator[Place]:
        """See ``Places``."""
        self._logs.mkdir(parents=True, exist_ok=True)
        server = self._session.for_route()
        root = self._settings.server.root or work
        yield Place(server.ports, root.absolute(), OurServer(server), logs=(server.process.log,))

    def failed(self) -> None:
        """See ``Places``."""
        self._session.discard()

    def close(self) -> None:
        """See ``Places``."""
        self._session.discard()


class OurServer:
    """A server that we started."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.version = server.version

    def look(self) -> Seen:
        """See ``View``."""
        return _SEEN[self._server.health()]
