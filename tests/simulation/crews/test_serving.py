"""A worker that is told to leave in the middle of an attempt, with attempts whose ends are given."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.crews import mailbox
from bestrand_drive.simulation.crews.letters import Answer, Offer, Order, Told
from bestrand_drive.simulation.crews.mailbox import Session, put, take_answer
from bestrand_drive.simulation.crews.serving import End, Worker
from tests.simulation.attempts.made import failed, key, result, scored

CRASH = Told(attempt=failed(1, key(), Reason.EVALUATOR_KILLED))
FAULT = Told(attempt=None, fault="the disk is full")
SCORE = Told(attempt=scored(1, key()))


def answered(tmp_path, told: Told, *, leaves: bool) -> tuple[End, Told | None]:
    """What a worker tells of an attempt that ends in the moment when it is told to leave, or over; None for nothing."""
    session = Session(tmp_path, "0" * 32)
    mailbox.begin(session, Offer(version="1", folder="/", request={}, keys=(key(),)))
    session.orders("w").mkdir()
    put(session.orders("w") / "1.json", Order(key=key(), number=1, slot=0, servers=1, servers_per_gpu=1))
    halt = SimpleNamespace(asked=False, forced=False)

    def make(_number: int, _order: Order) -> Answer:
        halt.asked = leaves
        if not leaves:
            session.over.touch()
        return Answer(told, result() if told.attempt and told.attempt.counts else None)

    place = SimpleNamespace(gpus=(None,), seen=(), make=make, stop=lambda *_, **__: None, close=lambda: None)
    end = Worker(session, "w", place, halt).serve()
    answer = take_answer(session.answers("w"), 1)
    return end, answer.told if answer else None


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(mailbox, "LOOK_S", 0.01)
    monkeypatch.setattr(mailbox, "BEAT_S", 0.01)


@pytest.mark.parametrize("told", [CRASH, FAULT])
def test_a_failure_at_that_moment_is_given_back(tmp_path, told):
    """Batch systems signal evaluators and servers, too: that is no failure of the route, nor of the node."""
    assert answered(tmp_path, told, leaves=True) == (End.TOLD, Told(attempt=None))


def test_a_result_at_that_moment_counts(tmp_path):
    assert answered(tmp_path, SCORE, leaves=True) == (End.TOLD, SCORE)


def test_a_result_that_cannot_be_put_down_at_once_is_put_down_later(tmp_path, monkeypatch):
    """The file server is away when the worker is told to leave; what is not there would be given back."""
    put_answer, tries = mailbox.put_answer, []

    def away_at_first(*words):
        tries.append(words)
        if len(tries) < 3:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        put_answer(*words)

    monkeypatch.setattr(mailbox, "put_answer", away_at_first)
    assert answered(tmp_path, SCORE, leaves=True) == (End.TOLD, SCORE)


def test_a_result_that_nobody_waits_for_holds_no_worker_up(tmp_path, monkeypatch):
    def away(*_):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    monkeypatch.setattr(mailbox, "put_answer", away)
    monkeypatch.setattr(mailbox, "SILENT_S", 0.2)
    assert answered(tmp_path, SCORE, leaves=True) == (End.TOLD, None)


def test_a_stop_that_cannot_be_read_is_one(tmp_path):
    session = Session(tmp_path, "0" * 32)
    stopped = []
    place = SimpleNamespace(gpus=(None,), stop=lambda number, *, now: stopped.append((number, now)))
    worker = Worker(session, "w", place, SimpleNamespace(asked=False, forced=False))
    worker._running = dict.fromkeys((1, 2))
    (session.orders("w") / "1.stop").mkdir(parents=True)
    (session.orders("w") / "2.stop").write_bytes(b"now\n")
    worker._take_stops()
    assert stopped == [(1, False), (2, True)]


@pytest.mark.parametrize("damage", [b"{", b"", None])
def test_an_order_that_stays_damaged_is_given_back(tmp_path, monkeypatch, damage):
    """Nothing is made of it, and the driver need not wait; None: for a slot that the worker does not have."""
    monkeypatch.setattr(mailbox, "SILENT_S", 0.05)
    session = Session(tmp_path, "0" * 32)
    mailbox.begin(session, Offer(version="1", folder="/", request={}, keys=(key(),)))
    session.orders("w").mkdir()
    put(session.orders("w") / "1.json", Order(key=key(), number=1, slot=7, servers=1, servers_per_gpu=1))
    if damage is not None:
        (session.orders("w") / "1.json").write_bytes(damage)
    made = []
    place = SimpleNamespace(gpus=(None,), seen=(), make=made.append, stop=lambda *_, **__: None, close=lambda: None)
    worker = Worker(session, "w", place, SimpleNamespace(asked=False, forced=False))
    put_answer = mailbox.put_answer

    def answer(*words):
        put_answer(*words)
        session.over.touch()

    monkeypatch.setattr(mailbox, "put_answer", answer)
    monkeypatch.setattr(worker._driver, "silent", lambda: len(made) > 0 or worker._heart._count > 200)
    assert (worker.serve(), made) == (End.OVER, [])
    assert take_answer(session.answers("w"), 1) == Answer(Told(attempt=None))


def test_a_failure_of_a_worker_that_stays_is_told(tmp_path):
    assert answered(tmp_path, CRASH, leaves=False) == (End.OVER, CRASH)
