"""The driver's side of one actor: from its lease to its end. Only ``look`` decides what became of orders."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from bestrand_drive.errors import DataRefused
from bestrand_drive.simulation.attempts.models import parse_model
from bestrand_drive.simulation.crews.far_slot import Errand
from bestrand_drive.simulation.crews.letters import Answer, Hello, Order, Pulse, Told
from bestrand_drive.simulation.crews.on_ray.cluster import Foreign
from bestrand_drive.simulation.crews.on_ray.seat import HERE, Seated

BEAT_S = 1.0
"""Between two questions what an actor does."""
SILENT_S = 60.0
"""Without an answer to one, after which an actor is given up."""
_SAID = 300
_CAUSE = re.compile("(is dead|died) because (?!of an error)")


@dataclass(frozen=True)
class _Call:
    """Something that an actor was asked.

    Attributes:
        ref: Of its answer.
        heard: Takes the answer.
    """

    ref: Foreign
    heard: Callable[[Foreign], None]


class Tenant:
    """One actor; see ``Carrier``. It is asked at most once for anything.

    Args:
        ray: The module.
        actor: A ``Seat``, which Ray starts as soon as a node has what it leases.
        opening: What its ``open`` is given.
        numbers: Of orders; none is used twice in a start of the driver.
        tell: Told what an actor has to say.

    Attributes:
        host: Of its node; "" while it waits for one.
        hello: Of its slot; None before it is ready.
        why: Why nothing can be run there; it keeps its lease, so that nobody else is given that place.
        gone: Why it is there no more.
    """

    def __init__(
        self,
        ray: Foreign,
        actor: Foreign,
        opening: tuple[Foreign, str],
        numbers: Iterator[int],
        tell: Callable[[str], None],
    ) -> None:
        self._ray, self._actor, self._opening = ray, actor, opening
        self._numbers, self._tell = numbers, tell
        self._calls: list[_Call] = []
        self._errands: dict[int, Errand] = {}
        self._pulse, self._pulse_asked_s, self._next_s = Pulse(count=0), 0.0, 0.0
        self._lock = threading.Lock()
        self.host = self.why = self.gone = ""
        self.hello: Hello | None = None
        self._ask(actor.where.remote(), self._placed)

    @property
    def able(self) -> bool:
        """Whether it can be given orders."""
        return self.hello is not None and not self.why and not self.gone

    @property
    def opens(self) -> bool:
        """Whether it has its place and it is not known yet whether anything can be run there."""
        return bool(self.host) and self.hello is None and not self.why and not self.gone

    def send(self, order: Order) -> Errand:
        """See ``Carrier``."""
        errand = Errand(order, next(self._numbers))
        with self._lock:
            if not self.able:  # between the engine's look and this
                errand.done.set()
                return errand
            self._errands[errand.number] = errand
            made = self._actor.make.remote(errand.number, order.model_dump_json())
            self._calls.append(_Call(made, partial(self._made, errand.number)))
        return errand

    def stop(self, errand: Errand, *, now: bool) -> None:
        """See ``Carrier``."""
        self._actor.stop.remote(errand.number, now=now)

    def seen(self, errand: Errand) -> tuple[str, int, float | None] | None:
        """See ``Carrier``."""
        return self._pulse.of(errand.number)

    def fault(self, text: str) -> None:
        """See ``Carrier``."""
        self.why = self.why or text

    def look(self) -> None:
        """Take what came; see whether it lives."""
        if self.gone:
            return
        fault: Exception | None = None
        for call in self._answered():  # all of them: one that ends has answered before
            try:
                call.heard(self._ray.get(call.ref))
            except (self._ray.exceptions.RayError, DataRefused) as error:
                fault = fault or error
        if fault:
            self.end(cause_of(fault))
        else:
            self._beat()

    def close(self) -> Foreign:
        """Have it end what it keeps; a reference that is there once it has."""
        return self._actor.close.remote()

    def end(self, why: str) -> None:
        """Kill its process, if it is there; nobody will know what becomes of what it was given."""
        with contextlib.suppress(Exception):  # of Ray's many: it is gone already
            self._ray.kill(self._actor)
        self.gone = why
        self.give_back(f"worker {self.hello.pid if self.hello else ''} on {self.host}: {why}")

    def give_back(self, lost: str = "") -> None:
        """Wait no longer for what is under way.

        Args:
            lost: Why nobody knows what became of it; "" where it leaves no record.
        """
        with self._lock:
            errands = list(self._errands.values())
            self._errands.clear()
        for errand in errands:
            errand.lost = lost
            errand.done.set()

    def _ask(self, ref: Foreign, heard: Callable[[Foreign], None]) -> None:
        with self._lock:
            self._calls.append(_Call(ref, heard))

    def _answered(self) -> list[_Call]:
        with self._lock:
            calls = {call.ref: call for call in self._calls}
            ready, waiting = self._ray.wait(list(calls), num_returns=len(calls), timeout=0) if calls else ([], [])
            self._calls = [calls[ref] for ref in waiting]
        return [calls[ref] for ref in ready]

    def _beat(self) -> None:
        """Ask what it does, and give it up once it does not answer."""
        now_s = time.monotonic()
        if self._pulse_asked_s:
            if now_s - self._pulse_asked_s > SILENT_S:
                self.end(f"it was silent for {SILENT_S:.0f} s")
        elif self.able and now_s >= self._next_s:
            self._pulse_asked_s = now_s
            self._ask(self._actor.seen.remote(), self._saw)

    def _placed(self, host: str) -> None:
        self.host = host
        self._ask(self._actor.open.remote(*self._opening), self._opened)

    def _opened(self, said: str) -> None:
        seated = parse_model(Seated, said.encode(), HERE)
        self.hello, self.why = seated.hello, seated.fault
        for remark in seated.remarks:
            self._tell(f"{self.host}: {remark}")

    def _saw(self, said: str) -> None:
        self._pulse = parse_model(Pulse, said.encode(), HERE)
        self._pulse_asked_s, self._next_s = 0.0, time.monotonic() + BEAT_S

    def _made(self, number: int, said: tuple[str, bytes | None, bytes | None]) -> None:
        told = parse_model(Told, said[0].encode(), HERE)
        with self._lock:
            errand = self._errands.pop(number, None)
        if errand:  # else it was given back
            errand.answer = Answer(told, said[1], said[2])
            errand.done.set()


def cause_of(error: Exception) -> str:
    """In one line, what Ray says of an end in many."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in lines if _CAUSE.search(line)), lines[-1] if lines else type(error).__name__)
    return said if len(said) <= _SAID else f"{said[:_SAID]} ..."
