"""The engine: cells x slots, whoever's these are. One thread decides everything; attempts run in others."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.plan import Action
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.crews.crew import Crew, Runner
from bestrand_drive.simulation.engines.books import Books, Settled
from bestrand_drive.simulation.engines.drain import Drained, Spot, spot_of
from bestrand_drive.simulation.engines.source import Source
from bestrand_drive.simulation.slots.cell import Cell, Finished, Halt, Sharing, Situation

_PAUSE_S = 0.2
STRANDED_S = 600.0
"""That places which are given nothing may be all there is, before nobody is waited for any more."""
_THREADS = 4096
"""More slots than any crew has; a thread is made when there is something for it to do."""


class Listener(Protocol):
    """Is told what happens; always from the deciding thread."""

    def started(self, cell: Cell, slot: int) -> None:
        """An attempt begins."""

    def ended(self, finished: Finished, settled: Settled) -> None:
        """An attempt has ended."""

    def kept(self, finished: Finished, said: str) -> None:
        """What it left was kept, or could not be."""

    def fewer(self, slot: int) -> None:
        """A slot is given up: the memory of its GPU is too small for all that share it."""

    def drained(self, drained: Drained) -> None:
        """A place is given nothing more: it fails where others succeed."""

    def look(self, situations: Sequence[Situation], waiting: int) -> None:
        """Now and then: what runs, and how many cells wait."""


@dataclass
class Brakes:
    """Stops slots when the user asks, when it is enough, or when something has failed.

    Attributes:
        halt: The user's word.
        pulled: Whether something has failed, or nothing more is wanted.
    """

    halt: Halt
    pulled: bool = False

    @property
    def asked(self) -> bool:
        """See ``Halt``."""
        return self.pulled or self.halt.asked

    @property
    def forced(self) -> bool:
        """See ``Halt``."""
        return self.halt.forced


@dataclass(frozen=True)
class _Work:
    """What a thread does for a slot.

    Attributes:
        slot: It.
        finished: The attempt whose remains are seen to; None while one is made.
        closing: Whether the slot is being closed.
    """

    slot: Runner
    finished: Finished | None = None
    closing: bool = False

    @property
    def driving(self) -> bool:
        """Whether an attempt is being made."""
        return self.finished is None and not self.closing


class Engine:
    """Runs cells until none is left, no more are wanted, the user asks to stop, or something fails.

    Args:
        crew: Who makes attempts; its slots join and leave while the run goes on.
        books: Where they are written down.
        listener: To be told.
        brakes: The crew's own.
        check: Raises once the run folder is not ours any more; asked again and again, and before anything is stored.
        stagger_s: Seconds between two starts.
    """

    def __init__(
        self,
        crew: Crew,
        books: Books,
        listener: Listener,
        brakes: Brakes,
        check: Callable[[], None] = lambda: None,
        stagger_s: float = 0.0,
    ) -> None:
        self._crew, self._books, self._listener = crew, books, listener
        self._brakes, self._check, self._stagger_s = brakes, check, stagger_s
        self._there: dict[int, Runner] = {}
        self._idle = deque[Runner]()
        self._towns: dict[int, str | None] = {}
        self._busy: dict[Future[Finished | str | None], _Work] = {}
        self._next_start_s = 0.0
        self._stranded_s = math.inf
        self._error: BaseException | None = None

    def run(self, waiting: Source) -> None:
        """Run the cells.

        Raises:
            EnvironmentFault: Nothing can be run here; what had ended is stored.
            OSError: The disk is full or not writable.
        """
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="slot") as pool:
            while self._busy or (waiting and not self._brakes.asked):
                self._guarded(lambda: self._step(pool, waiting))
            for closing in [pool.submit(slot.close) for slot in self._idle]:
                self._guarded(closing.result)
        self._guarded(self._crew.close)
        if self._error is not None:
            raise self._error

    def _step(self, pool: ThreadPoolExecutor, waiting: Source) -> None:
        self._guarded(self._check)
        self._guarded(self._muster)
        self._guarded(lambda: self._stop_if_enough(waiting))
        self._release(pool)
        self._hand_out(pool, waiting)
        if self._busy:
            done, _ = wait(self._busy, timeout=_PAUSE_S, return_when=FIRST_COMPLETED)
        else:
            done = set()
            time.sleep(_PAUSE_S)
        for future in done:
            self._collect(pool, future, waiting)
        self._listener.look([now for slot in self._slots() if (now := slot.situation)], len(waiting))

    def _stop_if_enough(self, waiting: Source) -> None:
        self._brakes.pulled = self._brakes.pulled or waiting.enough

    def _slots(self) -> list[Runner]:
        """Idle or at work, those included that are gone and still end something."""
        return sorted([*self._idle, *(work.slot for work in self._busy.values())], key=lambda slot: slot.number)

    def _muster(self) -> None:
        """Take in who has come; who is gone stays known as long as it works."""
        slots = self._crew.slots()
        self._there = {slot.number: slot for slot in slots if not self._books.drains.unfit(slot)}
        self._books.breaker.expect(len(self._there))
        self._give_up_if_stranded(bool(slots) and not self._there and not self._busy)
        known = {slot.number for slot in self._slots()}
        self._idle.extend(slot for number, slot in self._there.items() if number not in known)

    def _give_up_if_stranded(self, stranded: bool) -> None:
        """Where all that may work has left, and stays away, a run would hold what is left of a cluster for nothing."""
        self._stranded_s = min(self._stranded_s, time.monotonic()) if stranded else math.inf
        if time.monotonic() - self._stranded_s > STRANDED_S:
            spots = ", ".join(str(one.spot) for one in self._books.drains.drained)
            raise EnvironmentFault(
                f"for {STRANDED_S / 60:.0f} minutes nobody was there but places that are given nothing more"
                f"{f' ({spots})' if spots else ''}. Mend them, or add others; the same command goes on."
            )

    def _release(self, pool: ThreadPoolExecutor) -> None:
        """Close idle slots that are gone, retired or drained."""
        unfit = self._books.drains.unfit
        for slot in [one for one in self._idle if one.number not in self._there or unfit(one)]:
            self._idle.remove(slot)
            self._towns.pop(slot.number, None)
            self._busy[pool.submit(slot.close)] = _Work(slot, closing=True)

    def _hand_out(self, pool: ThreadPoolExecutor, waiting: Source) -> None:
        while not self._brakes.asked and time.monotonic() >= self._next_start_s:
            slot = next((one for one in self._idle if not self._is_held(one)), None)
            cell = waiting.take(self._towns.get(slot.number)) if slot else None
            if slot is None or cell is None:
                return
            self._busy[pool.submit(slot.run, cell, self._sharing(slot))] = _Work(slot)
            self._idle.remove(slot)
            self._towns[slot.number] = cell.key.town
            self._next_start_s = time.monotonic() + self._stagger_s
            self._listener.started(cell, slot.number)

    def _is_held(self, slot: Runner) -> bool:
        """Whether it is seen first what becomes of another place: this one fails, and may take all routes with it."""
        drains = self._books.drains
        return drains.suspect(spot_of(slot)) and any(not drains.suspect(one) for one in self._busy_spots())

    def _busy_spots(self) -> set[Spot]:
        return {spot_of(work.slot) for work in self._busy.values() if work.driving}

    def _sharing(self, slot: Runner) -> Sharing:
        """Who may be at work beside it: what was chosen, not who happens to work at this moment."""
        others = [one for one in self._there.values() if one.host == slot.host]
        return Sharing(len(others), sum(one.gpu_name == slot.gpu_name for one in others))

    def _collect(self, pool: ThreadPoolExecutor, future: Future[Finished | str | None], waiting: Source) -> None:
        """Settle an attempt that has ended, or set its slot free once its remains are seen to."""
        work = self._busy.pop(future)
        slot, finished, outcome = work.slot, work.finished, self._guarded(future.result)
        if isinstance(outcome, Finished):
            self._guarded(lambda: self._settle(slot, outcome, waiting))
            self._busy[pool.submit(slot.tidy, outcome)] = _Work(slot, outcome)
            return
        if work.closing:
            return
        self._idle.append(slot)  # whatever the listener does: it is to be closed
        if finished and outcome:
            self._listener.kept(finished, outcome)
        if finished and self._is_too_many(slot, finished):
            self._books.drains.retire(slot)
            self._listener.fewer(slot.number)

    def _is_too_many(self, slot: Runner, finished: Finished) -> bool:
        """Whether an attempt failed for want of GPU memory that others hold."""
        if finished.attempt is None or finished.attempt.reason is not Reason.GPU_MEMORY:
            return False
        same = [one for one in self._there.values() if (one.host, one.gpu_name) == (slot.host, slot.gpu_name)]
        return sum(not self._books.drains.unfit(one) for one in same) > 1

    def _settle(self, slot: Runner, finished: Finished, waiting: Source) -> None:
        self._check()
        there = {spot_of(one) for one in self._there.values()}
        settled = self._books.settle(finished, spot_of(slot), there, self._busy_spots())
        self._listener.ended(finished, settled)
        if settled.cell is not None and settled.cell.action is not Action.RUN:
            waiting.over(finished.cell)
        again = [settled.again] if settled.again else []
        if finished.attempt is None and not self._brakes.asked:  # told to stop, but by nobody here: its node is
            again.append(finished.cell)
        for cell in (*again, *settled.revived):
            waiting.put_back(cell)
        if settled.drained:
            self._listener.drained(settled.drained)
        if not self._brakes.asked:
            self._books.check(finished)

    def _guarded(self, call: Callable[[], Finished | str | None]) -> Finished | str | None:
        """The first thing that fails stops everything, in peace; it is raised when all has ended."""
        try:
            return call()
        except BaseException as error:  # printing to a closed pipe ends in SystemExit
            self._error = self._error or error
            self._brakes.pulled = True
        return None
