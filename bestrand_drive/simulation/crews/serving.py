"""A worker's day: it takes orders out of the mailbox and puts answers down, until it is over."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import read_bytes
from bestrand_drive.simulation.crews import mailbox
from bestrand_drive.simulation.crews.letters import Answer, Bye, Hello, Order, Pulse, Told
from bestrand_drive.simulation.crews.mailbox import Heart, Listening, Session, Unread
from bestrand_drive.simulation.crews.workplace import Workplace
from bestrand_drive.simulation.slots.cell import Halt

_ENDING_LOOK_S = 0.05


class End(Enum):
    """Why a worker's day ended."""

    OVER = "the driver has no more for it"
    LOST = "the driver fell silent, or another one has begun"
    TOLD = "it was told to leave"
    FAULT = "nothing can be run here"


class Worker:
    """One worker in one session of a driver.

    Args:
        session: The driver's.
        name: Its own; no other worker has it.
        workplace: Where attempts are made.
        halt: Whether it was told to leave.

    Attributes:
        fault: Why nothing can be run here, "" as far as it can.
    """

    def __init__(self, session: Session, name: str, workplace: Workplace, halt: Halt) -> None:
        self._session, self._name, self._workplace, self._halt = session, name, workplace, halt
        self._driver, self._heart = Listening(session.beat), Heart(session.worker_beat(name))
        self._threads = [ThreadPoolExecutor(1, thread_name_prefix=f"slot{n}") for n in range(len(workplace.gpus))]
        self._running: dict[int, Future[Answer]] = {}
        self._unsent: dict[int, Answer] = {}
        self._known: set[int] = set()
        self._unread = Unread()
        self._answered: list[int] = []
        self.fault = ""

    def serve(self) -> End:
        """Work until the day ends; then nothing runs here any more.

        Raises:
            OSError: The session's folder cannot be written from the start.
        """
        self._session.answers(self._name).mkdir(exist_ok=True)
        self._heart.beat()
        hello = Hello(host=socket.gethostname(), pid=os.getpid(), gpus=self._workplace.gpus)
        mailbox.put(self._session.hello(self._name), hello)
        try:
            end = self._work()
        except BaseException:
            self._stop_all(now=True)
            raise
        finally:
            for thread in self._threads:
                thread.shutdown()
            self._workplace.close()
        return end

    def _work(self) -> End:
        while (end := self._end()) is None:
            for duty in (self._beat, self._take_orders, self._take_stops, self._answer):
                with contextlib.suppress(OSError, DataRefused):  # the file server is away; it is tried again
                    duty()
            time.sleep(mailbox.LOOK_S)
        self._leave(end)
        return end

    def _beat(self) -> None:
        self._heart.beat(Pulse(count=0, slots=self._workplace.seen))

    def _end(self) -> End | None:
        if self._halt.asked:
            return End.TOLD
        if self.fault:
            return End.FAULT
        if self._session.over.name in mailbox.listed(self._session.folder):
            return End.OVER
        now = mailbox.current(self._session.root)
        return End.LOST if now not in (None, self._session) or self._driver.silent() else None

    def _take_orders(self) -> None:
        """Begin what is new; an order that stays damaged is given back, else the driver would wait for it for ever."""
        for number in self._session.ordered(self._name, "json"):
            if number in self._known:
                continue
            order = mailbox.take(Order, self._session.orders(self._name) / f"{number}.json")
            if order is not None and order.slot < len(self._threads):
                self._known.add(number)
                self._running[number] = self._threads[order.slot].submit(self._workplace.make, number, order)
            elif self._unread.stays(number):
                self._known.add(number)
                self._unsent[number] = Answer(Told(attempt=None))

    def _take_stops(self) -> None:
        for number in self._session.ordered(self._name, "stop"):
            if number in self._running:
                word = b""
                with contextlib.suppress(DataRefused):  # that it is there says enough
                    word = read_bytes(self._session.orders(self._name) / f"{number}.stop")
                self._workplace.stop(number, now=word.startswith(b"now"))

    def _answer(self) -> None:
        """Put down what has ended, and what could not be put down before."""
        for number in [number for number, future in self._running.items() if future.done()]:
            future = self._running.pop(number)
            if not future.cancelled():
                answer = self._unsent[number] = self._taken_back(future.result())
                self.fault = self.fault or answer.told.fault
        for number in list(self._unsent):
            mailbox.put_answer(self._session.answers(self._name), number, self._unsent[number])
            del self._unsent[number]
            self._answered.append(number)

    def _taken_back(self, answer: Answer) -> Answer:
        """An answer, without a failure that may be the signal's by which this worker was told to leave.

        Some batch systems send it to evaluators and servers, too.
        """
        attempt = answer.told.attempt
        failed = attempt is None or not attempt.of_policy
        return Answer(Told(attempt=None)) if self._halt.asked and failed else answer

    def _leave(self, end: End) -> None:
        """End in peace what runs, put its answers down, and say goodbye where somebody listens."""
        self._stop_all(now=self._halt.forced)
        while self._running or (self._unsent and self._is_heard(end)):
            if self._halt.forced:
                self._stop_all(now=True)
            for duty in (self._beat, self._answer):
                with contextlib.suppress(OSError):
                    duty()
            time.sleep(_ENDING_LOOK_S)
        with contextlib.suppress(OSError):
            bye = Bye(answered=tuple(self._answered), fault=self.fault)
            mailbox.put(self._session.bye(self._name), bye)

    def _stop_all(self, *, now: bool) -> None:
        for number, future in self._running.items():
            future.cancel()
            self._workplace.stop(number, now=now)

    def _is_heard(self, end: End) -> bool:
        """Whether the driver waits for an answer that could not be put down yet: else a result would be given back."""
        return end in (End.TOLD, End.FAULT) and not self._halt.forced and not self._driver.silent()
