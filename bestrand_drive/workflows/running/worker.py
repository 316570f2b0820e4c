"""A worker: makes attempts for a driver on another host, with scratch, servers and ports on its own."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from bestrand_drive.errors import BestrandError, EnvironmentFault
from bestrand_drive.simulation.attempts.key import AttemptKey, described
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.crews import mailbox
from bestrand_drive.simulation.crews.letters import Bye, Hello, Offer
from bestrand_drive.simulation.crews.mailbox import Listening, Session
from bestrand_drive.simulation.crews.serving import End, Worker
from bestrand_drive.simulation.crews.workplace import Workplace
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.servers.gpus import Gpu
from bestrand_drive.simulation.slots.cell import Halt, Tell
from bestrand_drive.workflows.running.interpreter import check_python
from bestrand_drive.workflows.running.preparing import Prepared, prepare
from bestrand_drive.workflows.running.request_data import request_of
from bestrand_drive.workflows.running.scratch import scratch


@dataclass(frozen=True)
class WorkerRequest:
    """What a worker is asked for.

    Attributes:
        run: The run folder.
        scratch: On this host.
        servers: Attempts at the same time; None for the driver's ``--servers``.
        gpus: That they go round; None for the driver's.
        wait_s: For a driver, at the beginning and after one was lost.
        session: The only one to work for, that is one start of a driver; "" for whoever drives the folder.
        inherited: Environment of attempts; None for this process's.
    """

    run: Path
    scratch: Path
    servers: int | None = None
    gpus: tuple[Gpu, ...] | None = None
    wait_s: float = 600.0
    session: str = ""
    inherited: Mapping[str, str] | None = None


def work(request: WorkerRequest, halt: Halt, tell: Tell = lambda _: None) -> End:
    """Work for one driver after the other, until one has no more for it or it is told to leave.

    Raises:
        EnvironmentFault: No driver came in time, this host sees other files than it, or nothing can be run here.
        UsageError: Scratch cannot be made.
        DataRefused: A route file is damaged.
    """
    request = replace(request, run=request.run.absolute(), scratch=request.scratch.absolute())
    while not isinstance(session := _await_driver(request, halt), End):
        name = f"{socket.gethostname()}-{os.getpid()}-{new_mark()[:4]}"
        end = _serve(request, session, name, halt, tell)
        tell(f"{end.value} ({request.run})")
        if end is not End.LOST or request.session:
            return end
    return session


def _await_driver(request: WorkerRequest, halt: Halt) -> Session | End:
    """The session of a driver that lives, or why there is nothing to do."""
    until, hearts = time.monotonic() + request.wait_s, dict[str, Listening]()
    while not halt.asked:
        session = mailbox.current(Layout(request.run).crew)
        if session and request.session not in ("", session.name):
            session = None  # another start of the driver
        if session and session.over.name not in mailbox.listed(session.folder):
            heart = hearts.setdefault(session.name, Listening(session.beat))
            before = heart.last.count
            heart.silent()
            if before and heart.last.count > before:  # a count alone may be a dead one's
                return session
        if time.monotonic() > until and request.session:
            return End.LOST
        if time.monotonic() > until:
            raise EnvironmentFault(
                f"{request.run}: no driver looks for workers there ({request.wait_s:.0f} s). Start `bestrand run` or "
                "`bestrand probe` with --engine workers and this run folder, on a file system that this host sees, too."
            )
        time.sleep(mailbox.LOOK_S)
    return End.TOLD


def _serve(request: WorkerRequest, session: Session, name: str, halt: Halt, tell: Tell) -> End:
    """One session. What keeps this host from working is told to the driver, too."""
    with scratch(request.scratch, request.run) as folder:
        try:
            workplace = open_workplace(request, session, folder, name, tell)
        except BestrandError as error:
            _refuse(session, name, str(error))
            raise
        worker = Worker(session, name, workplace, halt)
        end = worker.serve()
    if end is End.FAULT:
        raise EnvironmentFault(worker.fault)
    return end


def open_workplace(request: WorkerRequest, session: Session, folder: Path, name: str, tell: Tell) -> Workplace:
    """Slots on this host for what a driver runs.

    Raises:
        EnvironmentFault: This host sees other files than the driver, or has another version of this package.
        BestrandError: See ``prepare``.
    """
    offer = mailbox.take(Offer, session.offer)
    if offer is None:
        raise EnvironmentFault(f"{session.offer}: cannot be read; is this version of bestrand_drive the driver's?")
    return workplace_of(offer, request, folder, name, tell)


def workplace_of(offer: Offer, request: WorkerRequest, folder: Path, name: str, tell: Tell) -> Workplace:
    """As ``open_workplace``, whoever brought the offer.

    Args:
        offer: The driver's.
        request: What the worker is asked for.
        folder: Scratch.
        name: Of the worker.
        tell: Told what there is to say.
    """
    own = metadata.version("bestrand-drive")
    if offer.version != own:
        raise EnvironmentFault(f"bestrand_drive is {own} here and {offer.version} at the driver; install the same one.")
    asked = replace(request_of(offer.request, offer.folder), out=request.run)
    asked = replace(
        asked,
        servers=asked.servers if request.servers is None else request.servers,
        gpus=asked.gpus if request.gpus is None else request.gpus,
    )
    prepared = prepare(asked)
    if request.inherited is not None:
        prepared = replace(prepared, settings=replace(prepared.settings, inherited=request.inherited))
    prepared = check_python(prepared, tell)
    _refuse_others(prepared, offer.keys)
    settings = replace(prepared.settings, layout=Layout(folder))
    return Workplace(settings, prepared.keeper, prepared.routes.files, asked.servers, name)


def _refuse_others(prepared: Prepared, wanted: Sequence[AttemptKey]) -> None:
    """Refuse to work where routes, agent, checkout or server are not those of the driver.

    Raises:
        EnvironmentFault: Naming what differs.
    """
    mine = {key.cell: key for key in prepared.wanted}
    for key in wanted:
        own = mine.get(key.cell)
        if own != key:
            what = described(own, key) if own else "it is not among the routes that are seen here"
            what = what.replace(" was ", " is here ").replace(", now ", ", at the driver ")
            raise EnvironmentFault(
                f"this host does not see what the driver sees: route {key.route_id}, repeat {key.repeat}: {what}. Put "
                "routes, agent and checkout on a file system that both see, or make them alike."
            )


def _refuse(session: Session, name: str, why: str) -> None:
    with suppress(OSError):
        mailbox.put(session.bye(name), Bye(answered=(), fault=why))
        mailbox.put(session.hello(name), Hello(host=socket.gethostname(), pid=os.getpid(), gpus=(None,)))
