"""A folder in which driver and workers leave each other letters, on a file system with weak locks.

Every file has one writer, who writes it beside its place and renames it there once; only heartbeats are replaced. What
is there is found by listing folders, which asks the file server anew, and may be found late. Nobody compares clocks::

    current.json                   driver: which session it is
    <session>/offer.json           driver: what is run
    <session>/driver.beat          driver
    <session>/over                 driver: no more orders
    <session>/workers/W.hello, .beat, .bye
    <session>/orders/W/N.json      driver
    <session>/orders/W/N.stop      driver: end it; with "now" in it without a grace
    <session>/answers/W/N/         worker: told.json, result, metric_info
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from bestrand_drive.errors import DataRefused
from bestrand_drive.files import dump_json, read_bytes, write_atomic
from bestrand_drive.simulation.attempts.models import parse_model
from bestrand_drive.simulation.crews.letters import Answer, Current, Offer, Pulse, Told

BEAT_S = 5.0
"""Between two beats of a heart."""
SILENT_S = 60.0
"""Without a beat, after which somebody is given up: longer than a file server's clients keep what they know."""
LOOK_S = 0.5
"""Between two looks into the folder."""
_CURRENT = "current.json"
_ORDER = re.compile(r"([1-9][0-9]{0,9})\.(json|stop)")
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_WORKER = re.compile(r"([A-Za-z0-9_-][A-Za-z0-9._-]{0,120})\.hello")
Letter = TypeVar("Letter", bound=BaseModel)


@dataclass(frozen=True)
class Session:
    """Paths of one start of a driver.

    Attributes:
        root: Of the mailbox.
        name: Word of the session.
    """

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        """All of it."""
        return self.root / self.name

    @property
    def offer(self) -> Path:
        """What is run."""
        return self.folder / "offer.json"

    @property
    def beat(self) -> Path:
        """The driver's heart."""
        return self.folder / "driver.beat"

    @property
    def over(self) -> Path:
        """There once no more orders come."""
        return self.folder / "over"

    @property
    def workers(self) -> Path:
        """Who is there."""
        return self.folder / "workers"

    def hello(self, worker: str) -> Path:
        """That a worker is there."""
        return self.workers / f"{worker}.hello"

    def worker_beat(self, worker: str) -> Path:
        """A worker's heart."""
        return self.workers / f"{worker}.beat"

    def bye(self, worker: str) -> Path:
        """That a worker leaves."""
        return self.workers / f"{worker}.bye"

    def orders(self, worker: str) -> Path:
        """What a worker is to do."""
        return self.folder / "orders" / worker

    def answers(self, worker: str) -> Path:
        """What it has done."""
        return self.folder / "answers" / worker

    def make(self) -> None:
        """Begin it: everything of earlier ones goes."""
        self.root.mkdir(exist_ok=True)
        for entry in list(self.root.iterdir()):
            if entry.is_dir() and entry.name != self.name:
                shutil.rmtree(entry, ignore_errors=True)
        for folder in (self.workers, self.folder / "orders", self.folder / "answers"):
            folder.mkdir(parents=True, exist_ok=True)

    def names(self) -> list[str]:
        """Workers that said hello."""
        return sorted(match[1] for name in listed(self.workers) if (match := _WORKER.fullmatch(name)))

    def ordered(self, worker: str, kind: str) -> list[int]:
        """Numbers of orders (``json``), or of those that are to be ended (``stop``)."""
        found = (_ORDER.fullmatch(name) for name in listed(self.orders(worker)))
        return sorted(int(match[1]) for match in found if match and match[2] == kind)

    def answered(self, worker: str) -> list[int]:
        """Numbers of the orders that were answered."""
        return sorted(int(name) for name in listed(self.answers(worker)) if _NUMBER.fullmatch(name))


def current(root: Path) -> Session | None:
    """The session of the driver that began last; None when there is none, or it cannot be read now."""
    found = take(Current, root / _CURRENT)
    return Session(root, found.session) if found else None


def begin(session: Session, offer: Offer) -> None:
    """Make a session, and then the current one.

    Raises:
        OSError: The disk is full, or the folder is not writable.
    """
    session.make()
    put(session.offer, offer)
    put(session.root / _CURRENT, Current(session=session.name))


def listed(folder: Path) -> list[str]:
    """Names in a folder as its server has them now; none when it is not there, or cannot be asked now."""
    with contextlib.suppress(OSError):
        return os.listdir(folder)
    return []


def put(path: Path, letter: BaseModel) -> None:
    """Write a letter.

    Raises:
        OSError: The folder is gone, or the disk is full.
    """
    write_atomic(path, dump_json(letter.model_dump(mode="json")))


def take(kind: type[Letter], path: Path) -> Letter | None:
    """Read a letter; None when it cannot be read now, or is of another version."""
    with contextlib.suppress(DataRefused, OSError):
        return parse_model(kind, read_bytes(path), path)
    return None


def put_answer(folder: Path, number: int, answer: Answer) -> None:
    """Put an answer down, whole.

    Args:
        folder: Of the worker's answers.
        number: Of the order.
        answer: To it.

    Raises:
        OSError: The folder is gone, or the disk is full.
    """
    if str(number) in listed(folder):  # of an earlier try, which came through though a file server said otherwise
        return
    beside = folder / f".{number}.partial"
    shutil.rmtree(beside, ignore_errors=True)  # of an earlier try
    beside.mkdir()
    for name, content in (("result", answer.result), ("metric_info", answer.metric_info)):
        if content is not None:
            write_atomic(beside / name, content)
    put(beside / "told.json", answer.told)
    beside.rename(folder / str(number))


def take_answer(folder: Path, number: int) -> Answer | None:
    """Read an answer; None when it, or a part of it, cannot be read now."""
    place = folder / str(number)
    told, names = take(Told, place / "told.json"), listed(place)
    if told is None or not names:
        return None
    try:
        parts = {name: read_bytes(place / name) for name in ("result", "metric_info") if name in names}
    except DataRefused:
        return None
    wanted = told.attempt is not None and told.attempt.counts
    if wanted and "result" not in parts:
        return None
    return Answer(told, parts.get("result"), parts.get("metric_info"))


class Unread:
    """Letters that are there and cannot be read now, by their numbers."""

    def __init__(self) -> None:
        self._since_s: dict[int, float] = {}

    def stays(self, number: int) -> bool:
        """Whether one could not be read for so long that it never will be; asked whenever it could not."""
        now_s = time.monotonic()
        return now_s - self._since_s.setdefault(number, now_s) > SILENT_S


class Heart:
    """Beats as often as it should when it is asked often enough.

    Args:
        path: Of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._count, self._next_s = path, 0, 0.0

    def beat(self, pulse: Pulse | None = None) -> None:
        """One beat if it is time; one that fails is tried again when it is asked next.

        Raises:
            OSError: The folder is gone, or the disk is full.
        """
        if time.monotonic() < self._next_s:
            return
        self._count += 1
        put(self._path, (pulse or Pulse(count=0)).model_copy(update={"count": self._count}))
        self._next_s = time.monotonic() + BEAT_S


class Listening:
    """To somebody else's heart, by one's own clock: it beats as long as its count changes.

    Attributes:
        last: As it was heard last.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._changed_s = path, time.monotonic()
        self.last = Pulse(count=0)

    def silent(self) -> bool:
        """Whether it was not heard for too long."""
        now = take(Pulse, self._path)
        if now is not None and now.count != self.last.count:
            self.last, self._changed_s = now, time.monotonic()
        return time.monotonic() - self._changed_s > SILENT_S
