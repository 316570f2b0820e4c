"""The crew whose workers meet the driver in a mailbox folder: they appear, leave, or fall silent."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.files import write_atomic
from bestrand_drive.simulation.crews import mailbox
from bestrand_drive.simulation.crews.far_slot import Errand, FarSlot
from bestrand_drive.simulation.crews.letters import Answer, Bye, Hello, Offer, Order
from bestrand_drive.simulation.crews.mailbox import Heart, Listening, Session, Unread
from bestrand_drive.simulation.processes.marks import new_mark
from bestrand_drive.simulation.slots.cell import Halt


class Correspondent:
    """One worker, as the driver sees it; see ``Carrier``. Only ``look`` decides what became of orders.

    Args:
        session: The driver's.
        name: Of the worker.
        hello: What it said.
        numbers: Of orders; none is used twice in a session.

    Attributes:
        name: Of the worker.
        hello: What it said.
        gone: Why it is given nothing now: it left, or is silent; "" while it is there.
        why: Why nothing can be run there, as it said; "" otherwise.
    """

    def __init__(self, session: Session, name: str, hello: Hello, numbers: Iterator[int]) -> None:
        self._session, self.name, self.hello, self._numbers = session, name, hello, numbers
        self._heart = Listening(session.worker_beat(name))
        self._errands: dict[int, Errand] = {}
        self._lock = threading.Lock()
        self._unread = Unread()
        self.gone = self.why = ""
        session.orders(name).mkdir(exist_ok=True)

    def send(self, order: Order) -> Errand:
        """See ``Carrier``."""
        with self._lock:
            errand = Errand(order, next(self._numbers))
            if self.gone:  # between the engine's look and this
                errand.done.set()
                return errand
            mailbox.put(self._session.orders(self.name) / f"{errand.number}.json", order)
            self._errands[errand.number] = errand
        return errand

    def stop(self, errand: Errand, *, now: bool) -> None:
        """See ``Carrier``."""
        write_atomic(self._session.orders(self.name) / f"{errand.number}.stop", b"now\n" if now else b"\n")

    def seen(self, errand: Errand) -> tuple[str, int, float | None] | None:
        """See ``Carrier``."""
        return self._heart.last.of(errand.number)

    def fault(self, text: str) -> None:
        """See ``Carrier``."""
        self.why = self.why or text

    def look(self) -> None:
        """Take what came; see whether it lives."""
        silent = self._heart.silent()
        # a goodbye is read before the answers, so that those of which it tells have been put down
        bye = mailbox.take(Bye, self._session.bye(self.name)) if self._said_bye() else None
        for number in self._session.answered(self.name):
            if number in self._errands:
                self._read(number)
        with self._lock:
            self.why = self.why or (bye.fault if bye else "")
            self.gone = "it has left" if bye else f"it was silent for {mailbox.SILENT_S:.0f} s" if silent else ""
            rest = list(self._errands)
        for number in set(rest) - set(bye.answered) if bye else ():
            self._finish(number)
        if silent:
            self._give_up(list(self._errands))

    def give_back(self) -> None:
        """Nobody looks any more: all that is under way is given back, or it would be waited for for ever."""
        for number in list(self._errands):
            self._finish(number)

    def _read(self, number: int) -> None:
        """Take an answer, or give up one that stays damaged."""
        answer = mailbox.take_answer(self._session.answers(self.name), number)
        if answer:
            self._finish(number, answer=answer)
        elif self._unread.stays(number):
            self._finish(number, lost=f"worker {self.name}: its answer {number} cannot be read")

    def _said_bye(self) -> bool:
        return self._session.bye(self.name).name in mailbox.listed(self._session.workers)

    def _give_up(self, numbers: list[int]) -> None:
        """Nobody will know: should it come back, it is to end them, and what it says of them is not looked at."""
        for number in numbers:
            with contextlib.suppress(OSError):
                write_atomic(self._session.orders(self.name) / f"{number}.stop", b"\n")
            self._finish(number, lost=f"worker {self.name} on {self.hello.host}: {self.gone}")

    def _finish(self, number: int, answer: Answer | None = None, lost: str = "") -> None:
        """What became of an order; with neither answer nor loss it is given back."""
        with self._lock:
            errand = self._errands.pop(number)
        errand.answer, errand.lost = answer, lost
        errand.done.set()


class MailboxCrew:
    """Workers that appear in a folder; see ``Crew``.

    Args:
        root: The mailbox; the folder above it must exist, on a file system that all workers see.
        offer: What is run.
        halt: Whether to stop.
        logs: Of the run folder.
        tell: Told who comes and goes; from the deciding thread.

    Attributes:
        session: Its name.
        awaited: Whether workers may still come where all that came have left.
    """

    def __init__(
        self,
        root: Path,
        offer: Offer,
        halt: Halt,
        logs: Path,
        tell: Callable[[str], None],
    ) -> None:
        self._session, self._halt, self._logs = Session(root, new_mark()), halt, logs
        self._tell, self.session = tell, self._session.name
        self.awaited: Callable[[], bool] = lambda: False
        self._numbers, self._slot_numbers = itertools.count(1), itertools.count()
        self._workers: dict[str, Correspondent] = {}
        self._slots: dict[str, list[FarSlot]] = {}
        self._said: set[str] = set()
        self._heart = Heart(self._session.beat)
        self._error: Exception | None = None
        self._over = threading.Event()
        mailbox.begin(self._session, offer)
        self._postman = threading.Thread(target=self._work, name="mailbox", daemon=True)
        self._postman.start()

    def slots(self) -> list[FarSlot]:
        """See ``Crew``.

        Raises:
            EnvironmentFault: The last worker has left because nothing can be run there.
            OSError: The mailbox could not be written for too long.
        """
        if self._error:
            raise self._error
        workers = list(self._workers.values())
        for worker in workers:
            self._note(worker)
        reasons = [worker.why for worker in workers if worker.why]
        if reasons and not self._slots and not self.awaited():
            raise EnvironmentFault(f"no worker is left: {reasons[-1]}")
        return [slot for slots in self._slots.values() for slot in slots]

    def close(self) -> None:
        """See ``Crew``: tell the workers that it is over."""
        self._over.set()
        self._postman.join()
        with contextlib.suppress(OSError):
            write_atomic(self._session.over, b"\n")

    def _note(self, worker: Correspondent) -> None:
        """A worker that came, or came back, has new slots; one that is gone has none."""
        name, host, gpus = worker.name, worker.hello.host, worker.hello.gpus
        if worker.gone or worker.why:
            known = self._slots.pop(name, None) is not None
            if known or name not in self._said:
                self._tell(f"worker {name} on {host}: {worker.why or worker.gone}")
        elif name not in self._slots:
            self._slots[name] = [
                FarSlot(next(self._slot_numbers), host, gpu, place, worker, self._halt, self._logs)
                for place, gpu in enumerate(gpus)
            ]
            self._tell(f"worker {name} on {host}: joins with {len(gpus)} server{'' if len(gpus) == 1 else 's'}")
        self._said.add(name)

    def _work(self) -> None:
        """The postman: beats, and looks at every worker, until it is over."""
        failing_s: dict[Callable[[], None], float] = {}
        while not self._over.wait(mailbox.LOOK_S):
            for duty in (self._heart.beat, self._round):
                try:
                    duty()
                    failing_s.pop(duty, None)
                except Exception as error:  # raised by the deciding thread, which ends all in peace
                    now_s = time.monotonic()
                    lasts = now_s - failing_s.setdefault(duty, now_s) > mailbox.SILENT_S
                    if lasts or not isinstance(error, OSError):  # the file server may be away: workers wait as long
                        self._error = self._error or error
                    for worker in list(self._workers.values()) if lasts and duty == self._round else ():
                        worker.give_back()

    def _round(self) -> None:
        for name in self._session.names():
            if name not in self._workers and (hello := mailbox.take(Hello, self._session.hello(name))):
                self._workers[name] = Correspondent(self._session, name, hello, self._numbers)
        for worker in list(self._workers.values()):
            worker.look()
