"""``bestrand run`` with drives whose results and durations are given: all of it but evaluators and servers.

As a program, ``python -m tests.workflows.running.toy_driving DRIVES.json run ...``, so that it can be killed.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bestrand_drive.benchmarks.routes import RouteFile
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.crews.letters import Answer, Order, Told
from bestrand_drive.simulation.slots.cell import Cell, Finished, Halt, Sharing, Situation
from bestrand_drive.workflows.running import crews
from bestrand_drive.workflows.running.worker import WorkerRequest, work
from tests.simulation.attempts.made import failed, hung, scored

_LOOK_S = 0.002


@dataclass
class Drives:
    """What comes of them.

    Attributes:
        records: ``route.repeat`` -> record of the evaluator.
        seconds: Route, or ``route.repeat`` -> how long; 0 for the others.
        fails: Route -> ``hung``, or how many attempts the simulator crashes in.
        after: ``route.repeat`` -> others before whose ends it does not end.
        began: ``route.repeat`` of all that began here, in order.
        ended: Of those that ended by themselves.
    """

    records: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict)
    fails: dict[str, str] = field(default_factory=dict)
    after: dict[str, list[str]] = field(default_factory=dict)
    began: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def drive(self, cell: Cell, halt: Halt) -> Finished:
        """One drive."""
        name, place = f"{cell.key.route_id}.{cell.key.repeat}", Path("/nonexistent")
        self.began.append(name)
        wall_s = self.seconds.get(name, self.seconds.get(cell.key.route_id, 0.0))
        end_s = time.monotonic() + wall_s
        while time.monotonic() < end_s or not set(self.after.get(name, ())) <= set(self.ended):
            time.sleep(_LOOK_S)
            if halt.asked:
                return Finished(cell, None, None, None, place, place / "log")
        self.ended.append(name)
        fails = self.fails.get(cell.key.route_id, "0")
        if fails == "hung":
            return Finished(cell, hung(cell.number, cell.key), None, None, place, place / "log")
        if cell.number <= int(fails):
            made = failed(cell.number, cell.key, Reason.SIMULATION_CRASH, wall_s=wall_s)
            return Finished(cell, made, None, None, place, place / "log")
        record = self.records[name]
        checkpoint = {"global_record": {}, "progress": [1, 1], "records": [record]}
        result = json.dumps({"_checkpoint": checkpoint, "entry_status": "Finished"}).encode()
        made = scored(cell.number, cell.key, status=record["status"], wall_s=wall_s)
        return Finished(cell, made, result, None, place, place / "log")

    def write(self, path: Path) -> Path:
        """For another process."""
        path.write_text(json.dumps(asdict(self)))
        return path


@dataclass
class ToySlot:
    """See ``Runner``."""

    number: int
    drives: Drives
    halt: Halt
    host: str = field(default_factory=socket.gethostname)
    gpu_name: str | None = None
    situation: Situation | None = None

    def run(self, cell: Cell, _: Sharing) -> Finished:
        """See ``Runner``."""
        return self.drives.drive(cell, self.halt)

    def tidy(self, _: Finished) -> str:
        """See ``Runner``."""
        return ""

    def close(self) -> None:
        """See ``Runner``."""


class ToyCrew:
    """In the place of ``LocalCrew``."""

    def __init__(self, drives: Drives, halt: Halt, wanted: Callable[[], int]) -> None:
        self._slots = [ToySlot(number, drives, halt) for number in range(wanted())]

    def slots(self) -> Sequence[ToySlot]:
        """See ``Crew``."""
        return self._slots

    def close(self) -> None:
        """See ``Crew``."""


def crew_of(drives: Drives) -> Callable[..., ToyCrew]:
    """What ``LocalCrew`` is to be, so that the drives are these."""
    return lambda _settings, _keeper, halt, _started, wanted, _unfit: ToyCrew(drives, halt, wanted)


class Killed(Exception):
    """What ends a worker without a word."""


@dataclass
class ToyWorkplace:
    """In the place of ``Workplace``: a worker's slots.

    Attributes:
        drives: What comes of attempts.
        servers: Slots.
        dies: Whether the worker is killed once an attempt of each has begun.
    """

    drives: Drives
    servers: int
    dies: bool = False
    words: dict[int, SimpleNamespace] = field(default_factory=dict)

    @property
    def gpus(self) -> tuple[None, ...]:
        """See ``Workplace``."""
        return (None,) * self.servers

    @property
    def seen(self) -> tuple[()]:
        """See ``Workplace``."""
        if self.dies and len(self.words) >= self.servers:
            raise Killed
        return ()

    def make(self, number: int, order: Order) -> Answer:
        """See ``Workplace``."""
        word = self.words.setdefault(number, SimpleNamespace(asked=False, forced=False))
        finished = self.drives.drive(Cell(order.key, order.number, cast(RouteFile, None)), word)
        return Answer(Told(attempt=finished.attempt), finished.result)

    def stop(self, number: int, *, now: bool) -> None:
        """See ``Workplace``."""
        self.words.setdefault(number, SimpleNamespace(asked=True, forced=now)).asked = True

    def close(self) -> None:
        """See ``Workplace``."""


@contextmanager
def far_worker(run: Path, scratch: Path, servers: int) -> Iterator[None]:
    """``bestrand worker`` in a thread of this process, while the block runs and until the run is over."""

    def day() -> None:
        with suppress(Killed):
            work(WorkerRequest(run, scratch, servers, wait_s=20.0), SimpleNamespace(asked=False, forced=False))

    thread = threading.Thread(target=day)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def main(path: str, *arguments: str) -> int:
    """The command, with drives that are told in a file."""
    from tests.conftest import call

    crews.LocalCrew = crew_of(Drives(**json.loads(Path(path).read_text())))  # type: ignore[assignment, misc]  a stand-in
    ran = call(*arguments)
    print(ran.out, ran.err)
    return ran.code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
