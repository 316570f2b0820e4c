"""The engine of one machine: slots x cells. One thread decides everything; each slot's attempts run in another."""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.engines.books import Books, Settled
from bestrand_drive.simulation.engines.cell import Cell, Finished, Halt, Runner, Situation
from bestrand_drive.simulation.engines.keeping import Keeper
from bestrand_drive.simulation.engines.slot import machine_load
from bestrand_drive.simulation.engines.waiting import Waiting

_PAUSE_S = 0.2


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

    def look(self, situations: Sequence[Situation], waiting: int) -> None:
        """Now and then: what runs, and how many cells wait."""


@dataclass
class Brakes:
    """Stops slots when the user asks, or when something has failed.

    Attributes:
        halt: The user's word.
        pulled: Whether something has failed.
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


class LocalEngine:
    """Runs cells on this machine until none is left, the user asks to stop, or something fails.

    Args:
        slots: Where attempts are made.
        books: Where they are written down.
        keeper: Of what failed ones leave.
        listener: To be told.
        brakes: The slots' own.
        check: Raises once the run folder is not ours any more; asked again and again, and before anything is stored.
        stagger_s: Seconds between two starts.
    """

    def __init__(
        self,
        slots: Sequence[Runner],
        books: Books,
        keeper: Keeper,
        listener: Listener,
        brakes: Brakes,
        check: Callable[[], None] = lambda: None,
        stagger_s: float = 0.0,
    ) -> None:
        self._slots, self._books, self._keeper = slots, books, keeper
        self._listener, self._brakes, self._check, self._stagger_s = listener, brakes, check, stagger_s
        self._idle = deque(slots)
        self._towns: dict[int, str | None] = {}
        self._busy: dict[Future[Finished | str], tuple[Runner, Finished | None]] = {}
        self._retired: set[int] = set()
        self._next_start_s = 0.0
        self._error: BaseException | None = None

    def run(self, waiting: Waiting) -> None:
        """Run the cells.

        Raises:
            EnvironmentFault: Nothing can be run here; what had ended is stored.
            OSError: The disk is full or not writable.
        """
        with ThreadPoolExecutor(len(self._slots), thread_name_prefix="slot") as pool:
            while self._busy or (waiting and not self._brakes.asked):
                self._guarded(lambda: self._step(pool, waiting))
            for closing in [pool.submit(slot.close) for slot in self._slots]:
                self._guarded(closing.result)
        if self._error is not None:
            raise self._error

    def _step(self, pool: ThreadPoolExecutor, waiting: Waiting) -> None:
        self._guarded(self._check)
        self._hand_out(pool, waiting)
        if self._busy:
            done, _ = wait(self._busy, timeout=_PAUSE_S, return_when=FIRST_COMPLETED)
        else:
            done = set()
            time.sleep(_PAUSE_S)
        for future in done:
            self._collect(pool, future, waiting)
        self._listener.look([slot.situation for slot in self._slots if slot.situation], len(waiting))

    def _hand_out(self, pool: ThreadPoolExecutor, waiting: Waiting) -> None:
        while self._idle and not self._brakes.asked and time.monotonic() >= self._next_start_s:
            cell = waiting.take(self._towns.get(self._idle[0].number))
            if cell is None:
                return
            slot = self._idle.popleft()
            self._towns[slot.number] = cell.key.town
            self._next_start_s = time.monotonic() + self._stagger_s
            driving = [slot, *(other for other, finished in self._busy.values() if finished is None)]
            load = machine_load(len(driving), sum(one.gpu_name == slot.gpu_name for one in driving))
            self._listener.started(cell, slot.number)
            self._busy[pool.submit(slot.run, cell, load)] = slot, None

    def _collect(self, pool: ThreadPoolExecutor, future: Future[Finished | str], waiting: Waiting) -> None:
        """Settle an attempt that has ended, or set its slot free once its scratch is gone."""
        slot, finished = self._busy.pop(future)
        outcome = self._guarded(future.result)
        if isinstance(outcome, Finished):
            self._guarded(lambda: self._settle(outcome, waiting))
            self._busy[pool.submit(self._tidy, outcome)] = slot, outcome
            return
        if finished and outcome:
            self._listener.kept(finished, outcome)
        if finished and self._is_too_many(slot, finished):
            self._retired.add(slot.number)
            self._listener.fewer(slot.number)
            self._guarded(pool.submit(slot.close).result)
        else:
            self._idle.append(slot)

    def _is_too_many(self, slot: Runner, finished: Finished) -> bool:
        """Whether an attempt failed for want of GPU memory that others hold."""
        if finished.attempt is None or finished.attempt.reason is not Reason.GPU_MEMORY:
            return False
        same = [one for one in self._slots if one.gpu_name == slot.gpu_name and one.number not in self._retired]
        return len(same) > 1

    def _settle(self, finished: Finished, waiting: Waiting) -> None:
        self._check()
        settled = self._books.settle(finished)
        self._listener.ended(finished, settled)
        if settled.again:
            waiting.put_back(settled.again)
        if not self._brakes.asked:
            self._books.check(finished)

    def _tidy(self, finished: Finished) -> str:
        """Keep what is to be kept of an attempt's scratch, and remove the rest."""
        try:
            said = self._keeper.keep(finished)
        except OSError as error:
            said = f"not kept: {error.strerror}"
        shutil.rmtree(finished.work, ignore_errors=True)
        return said

    def _guarded(self, call: Callable[[], Finished | str | None]) -> Finished | str | None:
        """The first thing that fails stops everything, in peace; it is raised when all has ended."""
        try:
            return call()
        except BaseException as error:  # printing to a closed pipe ends in SystemExit
            self._error = self._error or error
            self._brakes.pulled = True
        return None
