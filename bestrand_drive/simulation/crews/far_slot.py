"""The driver's side of a slot on another host: an order goes out, an answer comes back."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from bestrand_drive.simulation.attempts.reasons import Reason, outcome_of
from bestrand_drive.simulation.attempts.record import Attempt
from bestrand_drive.simulation.attempts.stamps import Stopwatch
from bestrand_drive.simulation.crews.letters import Answer, Order
from bestrand_drive.simulation.slots.cell import Cell, Finished, Halt, Sharing, Situation

_LOOK_S = 0.1
_FORCED_S = 10.0
"""That a user who asked twice still waits for a worker."""


@dataclass
class Errand:
    """An order under way.

    Attributes:
        order: It.
        number: Of the order.
        answer: What came back; None when it is given back, or nobody knows.
        lost: Why nobody knows what became of it, "" otherwise.
        done: Set once it is known what became of it, or never will be.
    """

    order: Order
    number: int
    answer: Answer | None = None
    lost: str = ""
    done: threading.Event = field(default_factory=threading.Event)


class Carrier(Protocol):
    """Carries orders to one worker and answers back."""

    def send(self, order: Order) -> Errand:
        """Give an order."""

    def stop(self, errand: Errand, *, now: bool) -> None:
        """Have it ended, with its grace or without; asking again can make it sooner."""

    def seen(self, errand: Errand) -> tuple[str, int, float | None] | None:
        """State, ticks and speed of what runs, as last heard."""

    def fault(self, text: str) -> None:
        """Nothing can be run there."""


class FarSlot:
    """A slot of a worker; see ``Runner``.

    Attributes:
        number: Unique in this start of the driver.
        host: The worker's.
    """

    def __init__(
        self, number: int, host: str, gpu: str | None, place: int, carrier: Carrier, halt: Halt, logs: Path
    ) -> None:
        """Nothing is ordered yet.

        Args:
            number: Unique in this start of the driver.
            host: The worker's.
            gpu: There.
            place: Which of the worker's slots it is.
            carrier: To the worker.
            halt: Whether to stop.
            logs: Of the run folder.
        """
        self.number, self.host = number, host
        self._gpu, self._place, self._carrier = gpu, place, carrier
        self._halt, self._logs = halt, logs
        self._errand: Errand | None = None
        self._situation: Situation | None = None
        self._kept = ""

    @property
    def gpu_name(self) -> str | None:
        """See ``Runner``."""
        return self._gpu

    @property
    def situation(self) -> Situation | None:
        """See ``Runner``."""
        base, errand = self._situation, self._errand
        if base is None or errand is None:
            return None
        seen = self._carrier.seen(errand) or (base.state, 0, None)
        return Situation(base.slot, base.cell, base.since_s, *seen)

    def run(self, cell: Cell, sharing: Sharing) -> Finished:
        """See ``Runner``."""
        watch, log = Stopwatch.start(), self._logs / f"{cell.name}.log"
        order = Order(
            key=cell.key,
            number=cell.number,
            slot=self._place,
            servers=sharing.servers,
            servers_per_gpu=sharing.servers_per_gpu,
        )
        self._situation = Situation(self.number, cell, time.monotonic())
        try:
            errand = self._errand = self._carrier.send(order)
            self._wait(errand)
        finally:
            self._situation = self._errand = None
        self._kept = errand.answer.told.kept if errand.answer else ""
        if errand.answer is None:
            attempt = self._lost(cell, errand.lost, watch) if errand.lost else None
            return Finished(cell, attempt, None, None, log, log)
        told = errand.answer.told
        if told.fault:
            self._carrier.fault(told.fault)
        return Finished(cell, told.attempt, errand.answer.result, errand.answer.metric_info, log, log)

    def tidy(self, finished: Finished) -> str:
        """See ``Runner``; the worker has done it before it answered."""
        return self._kept

    def close(self) -> None:
        """See ``Runner``; the worker does it when it leaves."""

    def _wait(self, errand: Errand) -> None:
        asked = forced = False
        until_s = math.inf
        while not errand.done.wait(_LOOK_S) and time.monotonic() < until_s:
            if self._halt.forced and not forced:
                until_s = min(until_s, time.monotonic() + _FORCED_S)
                asked = forced = self._told_to_end(errand, now=True)
            elif self._halt.asked and not asked:
                asked = self._told_to_end(errand, now=False)

    def _told_to_end(self, errand: Errand, *, now: bool) -> bool:
        """Whether the word is on its way; else the file server is away, and it is tried again."""
        with contextlib.suppress(OSError):
            self._carrier.stop(errand, now=now)
            return True
        return False

    def _lost(self, cell: Cell, why: str, watch: Stopwatch) -> Attempt:
        span = watch.stop()
        return Attempt(
            key=cell.key,
            number=cell.number,
            outcome=outcome_of(Reason.WORKER_LOST),
            reason=Reason.WORKER_LOST,
            detail=why,
            started=span.started,
            ended=span.ended,
            wall_s=span.wall_s,
            gpu=self._gpu,
            host=self.host,
        )
