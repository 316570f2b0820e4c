"""A crew without processes: each slot's attempts end as the test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bestrand_drive.benchmarks.routes import parse_routes
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.record import Attempt, Load
from bestrand_drive.simulation.engines.books import Books, Settled
from bestrand_drive.simulation.engines.breaker import Breaker
from bestrand_drive.simulation.engines.dispatch import Brakes, Engine
from bestrand_drive.simulation.engines.drain import Drained, Drains
from bestrand_drive.simulation.engines.waiting import Waiting
from bestrand_drive.simulation.slots.cell import Cell, Finished, Sharing, Situation
from tests.conftest import Builders
from tests.simulation.attempts.made import empty_store, failed, key, result, scored

Ends = Callable[["Toy", Cell], Reason | None]
"""How an attempt at a slot ends; None with a result."""


@dataclass
class Toy:
    """A slot."""

    number: int
    ends: Ends
    host: str = "a"
    gpu_name: str | None = None
    situation: Situation | None = None
    ran: list[tuple[str, int, Sharing]] = field(default_factory=list)
    raised: int = 0
    tidied: int = 0
    closed: int = 0
    working: threading.Lock = field(default_factory=threading.Lock)

    def run(self, cell: Cell, sharing: Sharing) -> Finished:
        """See ``Runner``."""
        assert self.working.acquire(blocking=False), "two attempts at once"
        self.ran.append((cell.key.route_id, cell.number, sharing))
        try:
            reason = self.ends(self, cell)
        except BaseException:
            self.working.release()
            self.raised += 1
            raise
        load = Load(servers=sharing.servers, servers_per_gpu=sharing.servers_per_gpu, loadavg=0.0)
        more = {"host": self.host, "gpu": self.gpu_name, "load": load}
        made: Attempt | None = failed(cell.number, cell.key, reason, **more) if reason else None
        found = None if reason else result(cell.key.route_id)
        if reason is Reason.INTERRUPTED:
            made = None
        elif not reason:
            made = scored(cell.number, cell.key, **more)
        return Finished(cell, made, found, None, Path("/nonexistent"), Path("/nonexistent/log"))

    def tidy(self, finished: Finished) -> str:
        """See ``Runner``."""
        self.tidied += 1
        self.working.release()
        return "kept" if finished.attempt is None or not finished.attempt.counts else ""

    def close(self) -> None:
        """See ``Runner``."""
        assert not self.working.locked(), "closed at work"
        self.closed += 1


class ToyCrew:
    """Slots that a test puts there and takes away."""

    def __init__(self, *slots: Toy) -> None:
        self.there: list[Toy] = list(slots)
        self.met: list[Toy] = list(slots)
        self.closed = 0

    def slots(self) -> Sequence[Toy]:
        """See ``Crew``."""
        self.met += [one for one in self.there if one not in self.met]
        return tuple(self.there)

    def close(self) -> None:
        """See ``Crew``."""
        self.closed += 1


class Heard:
    """A listener, and a user who never asks to stop."""

    asked = forced = False

    def __init__(self) -> None:
        self.drains: list[Drained] = []
        self.settled: list[Settled] = []
        self.given_up: list[int] = []
        self.looks = 0

    def started(self, cell: Cell, slot: int) -> None:
        """See ``Listener``."""

    def ended(self, _: Finished, settled: Settled) -> None:
        """See ``Listener``."""
        self.settled.append(settled)

    def kept(self, finished: Finished, said: str) -> None:
        """See ``Listener``."""

    def fewer(self, slot: int) -> None:
        """See ``Listener``."""
        self.given_up.append(slot)

    def drained(self, drained: Drained) -> None:
        """See ``Listener``."""
        self.drains.append(drained)

    def look(self, situations: Sequence[Situation], waiting: int) -> None:
        """See ``Listener``."""
        self.looks += 1


def drive(folder: Path, crew: ToyCrew, routes: Sequence[int], *, servers: int = 2, max_attempts: int = 3,
          succeeded: bool = False, drains: Drains | None = None, heard: Heard | None = None,
          ) -> tuple[Books, Heard]:  # fmt: skip
    """Run routes to their end; every attempt that a slot made was tidied, every slot and the crew closed once."""
    store, keys = empty_store(folder), [key(route) for route in routes]
    store.layout.results.mkdir(exist_ok=True)
    file = parse_routes(Path("routes.xml"), Builders.routes(*(Builders.route(route) for route in routes)))
    files = dict.fromkeys((one.route_id for one in keys), file)
    books, heard = Books(store, files, Breaker(servers, succeeded=succeeded), max_attempts), heard or Heard()
    books.drains = drains or books.drains
    try:
        Engine(crew, books, heard, Brakes(heard)).run(Waiting(books.cells(books.plan(keys)), by_town=False))
    finally:
        assert crew.closed == 1
        assert [one.tidied + one.raised for one in crew.met] == [len(one.ran) for one in crew.met]
        assert {one.closed for one in crew.met} <= {1}
    return books, heard
