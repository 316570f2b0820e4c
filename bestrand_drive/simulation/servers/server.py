"""One server that we start: ready when it answers a remote call, and of the version that was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import scan_logs
from bestrand_drive.simulation.processes.supervised import Ended, Launch, Supervised
from bestrand_drive.simulation.servers.command import ServerCommand
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.servers.listener import is_strangers
from bestrand_drive.simulation.servers.placement import check_placement
from bestrand_drive.simulation.servers.ports import PortBlock
from bestrand_drive.simulation.servers.probe import Answer, Health, ask_version
from bestrand_drive.simulation.servers.root import is_version

_PROBE_S = 2.0
_PAUSE_S = 0.1
_UNSTARTED = (125, 126, 127)
"""Exit codes of docker, podman and shells for what never ran: a name that is taken, a program that is not there."""


class ServerFault(EnvironmentFault):
    """A server did not come up; another try may succeed.

    Attributes:
        reason: For the attempts that needed it.
    """

    def __init__(self, message: str, reason: Reason) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class ServerPlan:
    """How a slot's servers are started.

    Attributes:
        command: The way.
        run: Mark of the run folder.
        environment: Of the server.
        folder: Its working folder.
        gpu: Its GPU.
        version: That it must announce, None for any.
        ready_s: Seconds until it must answer.
    """

    command: ServerCommand
    run: str
    environment: Mapping[str, str]
    folder: Path
    gpu: Gpu = field(default_factory=Gpu)
    version: str | None = None
    ready_s: float = 180.0


@dataclass
class Server:
    """A server that answers.

    Attributes:
        ports: Of it.
        version: As it announces it.
        process: Its tree.
    """

    ports: PortBlock
    version: str
    process: Supervised

    def health(self, limit_s: float = _PROBE_S) -> Health:
        """Whether it still answers; a server whose process has ended is closed, whoever has its port now."""
        if self.process.poll() is not None:
            return Health.CLOSED
        return ask_version(self.ports.rpc, limit_s).health

    def stop(self, grace_s: float = 5.0, hurry: Callable[[], bool] = lambda: False) -> Ended:
        """End it, by its own stop command if it has one, with everything that it started."""
        return self.process.stop(grace_s, hurry)


def start_server(
    plan: ServerPlan, ports: PortBlock, log: Path, cancelled: Callable[[], bool] = lambda: False
) -> Server:
    """Start a server and wait until it answers.

    Args:
        plan: How.
        ports: Leased for it.
        log: File of its output.
        cancelled: Asked while waiting; once true, the server is ended.

    Raises:
        ServerFault: It ended, or did not answer in time; what its log tells is said.
        EnvironmentFault: It cannot be started at all, is of another version, or runs on another GPU.
    """
    process = Supervised(_launch(plan, ports, log), plan.run)
    try:
        answer = _wait(plan, ports, process, cancelled)
        _check_listener(plan, ports, process)
        _check_version(plan, answer.version)
        check_placement(process.pids(), plan.gpu)
    except BaseException:
        process.stop(0.0 if cancelled() else 2.0)
        raise
    return Server(ports, answer.version, process)


def _launch(plan: ServerPlan, ports: PortBlock, log: Path) -> Launch:
    return Launch(
        argv=plan.command.start_argv(ports.rpc, plan.gpu.adapter),
        environment=plan.environment,
        folder=plan.folder,
        log=log,
        stop_argv=plan.command.stop_argv(ports.rpc, plan.gpu.adapter),
        unstarted=_UNSTARTED,
    )


def _wait(plan: ServerPlan, ports: PortBlock, process: Supervised, cancelled: Callable[[], bool]) -> Answer:
    """The first answer."""
    until = time.monotonic() + plan.ready_s
    answer = Answer(Health.CLOSED)
    while time.monotonic() < until:
        ended = process.poll()
        if ended is not None:
            raise _fault(process, f"ended with {_code(ended.code)} before it answered")
        answer = ask_version(ports.rpc, min(_PROBE_S, plan.ready_s))
        if answer.health is Health.ANSWERS:
            return answer
        if cancelled():
            raise ServerFault("waiting for the server was cancelled.", Reason.INTERRUPTED)
        process.wait(_PAUSE_S)
    raise _fault(process, f"does not answer on port {ports.rpc} after {plan.ready_s:g} s ({answer.health.value})")


def _fault(process: Supervised, what: str) -> ServerFault:
    found = scan_logs([process.log])
    said = f" Its log says: {found.lines[0]}." if found.lines else ""
    reason = found.reason if found.reason in (Reason.PORT_TAKEN, Reason.GPU_MEMORY) else Reason.SERVER_NOT_READY
    return ServerFault(f"the server {what}.{said} See {process.log}.", reason)


def _code(code: int | None) -> str:
    if code is None:
        return "an unknown code"
    return f"signal {-code}" if code < 0 else f"code {code}"


def _check_listener(plan: ServerPlan, ports: PortBlock, process: Supervised) -> None:
    """Refuse an answer that another program gave.

    Raises:
        ServerFault: It did; on other ports the server can still come up.
    """
    if plan.command.holds_server and is_strangers(ports.rpc, process.pids()):
        raise ServerFault(
            f"port {ports.rpc} was free, and another program listens there now, which the server's command has not "
            f"started (where a CarlaUE4.sh starts a container, give that as --server-command). See {process.log}.",
            Reason.PORT_TAKEN,
        )


def _check_version(plan: ServerPlan, version: str) -> None:
    if plan.version is not None and not is_version(version, plan.version):
        raise other_version(version, plan.version)


def other_version(announced: str, wanted: str) -> EnvironmentFault:
    """What to say of a server of another version."""
    return EnvironmentFault(
        f"the server announces version {announced!r}, not {wanted!r}. Results of different versions are not "
        f"comparable: give the folder of {wanted}, or say --carla-version {announced}."
    )
