"""A slot's server, used for several routes and replaced when it is worn, silent or gone.

CARLA leaks: it fails after some tens of routes, so it is restarted before that. Routes of one town should follow each
other; which come when is not decided here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.servers.ports import PortLease, lease_ports
from bestrand_drive.simulation.servers.probe import Health
from bestrand_drive.simulation.servers.server import Server, ServerFault, ServerPlan, start_server

_BLOCKS = 3
"""Blocks of ports to try: another user's program may take one between lease and start."""


class ServerSession:
    """The servers of one slot, one after the other.

    Attributes:
        started: Servers so far.
        server: The one that runs, if any.
    """

    def __init__(
        self,
        plan: ServerPlan,
        logs: Path,
        routes_per_server: int,
        *,
        lease: Callable[[], PortLease] = lease_ports,
        cancelled: Callable[[], bool] = lambda: False,
        hurry: Callable[[], bool] = lambda: False,
    ) -> None:
        """Nothing is started yet.

        Args:
            plan: How servers are started.
            logs: Folder for ``server.<n>.log``.
            routes_per_server: Routes after which it is replaced.
            lease: Gives ports.
            cancelled: Asked while a start is waited for.
            hurry: Asked while an end is waited for; once true, neither grace nor stop command is waited for any more.
        """
        self._plan = plan
        self._logs = logs
        self._routes_per_server = routes_per_server
        self._lease = lease
        self._cancelled = cancelled
        self._hurry = hurry
        self._ports: PortLease | None = None
        self._routes = 0
        self.started = 0
        self.server: Server | None = None

    def for_route(self) -> Server:
        """A server for the next route: the same one, or a fresh one after its routes, its end or its silence.

        Raises:
            ServerFault: None came up.
            EnvironmentFault: None can.
        """
        worn = self._routes >= self._routes_per_server
        if self.server and (worn or self.server.health() is not Health.ANSWERS):
            self.discard(5.0 if worn else 1.0)
        if self.server is None:
            self.server = self._start()
        self._routes += 1
        return self.server

    def discard(self, grace_s: float = 5.0) -> None:
        """End the server, so that the next route gets another: after a failure that may be the server's."""
        try:
            if self.server:
                self.server.stop(grace_s, self._hurry)
        finally:
            self.server, self._routes = None, 0
            self._give_ports_back()

    def __enter__(self) -> ServerSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.discard(0.0 if kind else 5.0)

    def _start(self, tries: int = _BLOCKS) -> Server:
        lease = self._lease()
        with contextlib.ExitStack() as back:
            back.callback(lease.release)
            self.started += 1
            log = self._logs / f"server.{self.started}.log"
            try:
                server = start_server(self._plan, lease.ports, log, self._cancelled)
            except ServerFault as fault:
                if tries == 1 or fault.reason is not Reason.PORT_TAKEN:
                    raise
                return self._start(tries - 1)  # while this block is held, so that the next is another one
            back.pop_all()
        self._ports = lease
        return server

    def _give_ports_back(self) -> None:
        if self._ports:
            self._ports.release()
            self._ports = None
