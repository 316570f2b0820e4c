"""The engine with a crew that comes and goes: each route exactly one attempt that counts, none lost, none doubled."""

from __future__ import annotations

import threading
import time
from collections import Counter
from random import Random

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.engines import dispatch
from tests.simulation.attempts.made import empty_store
from tests.simulation.engines.toys import Heard, Toy, ToyCrew, drive

ROUTES = range(1, 17)
LIMIT_S = 20


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    monkeypatch.setattr(dispatch, "_PAUSE_S", 0.002)


def well(*_):
    return None


def counted(books):
    return Counter(one.key.route_id for one in books.made if one.counts)


def exactly_once(books, routes=ROUTES):
    assert counted(books) == Counter(map(str, routes))


def test_every_route_once_and_who_shares_is_told(tmp_path):
    """Two on one GPU, one on another of that host, one elsewhere; the first routes wait for each other."""
    places, all_at_work = [("a", "0"), ("a", "0"), ("a", "1"), ("b", "0")], threading.Barrier(4)

    def ends(slot, _):
        if len(slot.ran) == 1:
            all_at_work.wait(LIMIT_S)

    crew = ToyCrew(*(Toy(number, ends, host, gpu) for number, (host, gpu) in enumerate(places)))
    books, _ = drive(tmp_path, crew, ROUTES)
    exactly_once(books)
    seen = {(one.host, one.gpu, one.load.servers, one.load.servers_per_gpu) for one in books.made}
    assert seen == {("a", "0", 3, 2), ("a", "1", 3, 1), ("b", "0", 1, 1)}
    assert len(books.made) == len(ROUTES)


def test_a_slot_that_joins_later_takes_cells(tmp_path):
    crew, joined = ToyCrew(), threading.Event()
    late = Toy(1, lambda *_: joined.set())

    def first(_, cell):
        if cell.number == 1 and late not in crew.there:
            crew.there.append(late)
        assert joined.wait(LIMIT_S), "the new slot was given nothing"

    crew.there.append(Toy(0, first))
    books, _ = drive(tmp_path, crew, ROUTES)
    exactly_once(books)
    assert late.ran


def test_nobody_is_there_at_first(tmp_path):
    crew = ToyCrew()
    slots, alone = crew.slots, []

    def later():
        if len(alone) < 5:
            alone.append(heard.looks)
        elif not crew.there:
            crew.there.append(Toy(0, well))
        return slots()

    crew.slots, heard = later, Heard()
    books, _ = drive(tmp_path, crew, ROUTES, heard=heard)
    exactly_once(books)
    assert alone == [0, 1, 2, 3, 4], "the listener is told meanwhile, too"


def test_a_slot_that_leaves_ends_its_attempt_and_takes_nothing_more(tmp_path):
    crew = ToyCrew()
    leaves = Toy(0, lambda *_: crew.there.remove(leaves))
    crew.there += [leaves, Toy(1, well)]
    books, _ = drive(tmp_path, crew, ROUTES)
    exactly_once(books)
    assert len(leaves.ran) == 1
    assert leaves.closed == 1


def test_a_lost_worker_is_tried_again_elsewhere(tmp_path):
    crew = ToyCrew()

    def lost(*_):
        crew.there.remove(dies)
        return Reason.WORKER_LOST

    dies = Toy(0, lost)
    crew.there += [dies, Toy(1, well)]
    books, _ = drive(tmp_path, crew, ROUTES)
    exactly_once(books)
    ((route, number, _),) = dies.ran
    assert {(one.key.route_id, one.number) for one in books.made if one.key.route_id == route} == {
        (route, number), (route, number + 1)}  # fmt: skip


def test_what_is_interrupted_by_nobody_of_ours_is_not_lost(tmp_path):
    """A worker that is told to leave gives its cell back: no record, and the same number again."""
    crew = ToyCrew()

    def told(*_):
        crew.there.remove(leaves)
        return Reason.INTERRUPTED

    leaves = Toy(0, told)
    crew.there += [leaves, Toy(1, well)]
    books, _ = drive(tmp_path, crew, ROUTES)
    exactly_once(books)
    assert {one.number for one in books.made} == {1}


def test_as_many_as_have_come_may_meet_a_fault_once(tmp_path):
    """Workers bring more servers than --servers says: what all of them meet at once is one fault, which may pass."""
    all_at_once = threading.Barrier(4)

    def ends(_, cell):
        if cell.number > 1:
            return None
        all_at_once.wait(LIMIT_S)
        return Reason.SERVER_NOT_READY

    books, _ = drive(tmp_path, ToyCrew(*(Toy(number, ends) for number in range(5))), ROUTES[:4], servers=1)
    exactly_once(books, ROUTES[:4])


def test_one_server_fewer_where_a_gpu_is_full(tmp_path):
    """As long as somebody else is on it; the last one stays."""
    crew = ToyCrew(*(Toy(number, lambda slot, _: Reason.GPU_MEMORY if slot.number else None) for number in range(3)))
    books, heard = drive(tmp_path, crew, ROUTES)
    exactly_once(books)
    assert sorted(heard.given_up) == [1, 2]
    assert [len(slot.ran) for slot in crew.met[1:]] == [1, 1]


def raises(*_):
    raise EnvironmentFault("the disk is gone")


def test_what_a_slot_raises_stops_in_peace(tmp_path):
    """What another one drives meanwhile is stored before it is raised."""
    at_work = threading.Event()

    def fails(*_):
        assert at_work.wait(LIMIT_S)
        raises()

    def drives(*_):
        at_work.set()
        while not crew.met[0].raised:
            time.sleep(0.001)

    crew = ToyCrew(Toy(0, fails), Toy(1, drives))
    with pytest.raises(EnvironmentFault, match="the disk is gone"):
        drive(tmp_path, crew, ROUTES)
    stored = {one.key.route_id for one in empty_store(tmp_path).attempts}
    assert stored == {route for route, *_ in crew.met[1].ran} != set()
    assert [slot.closed for slot in crew.met] == [1, 1]


def test_what_a_crew_raises_stops_in_peace(tmp_path):
    crew = ToyCrew(Toy(0, well), Toy(1, well))
    slots = crew.slots

    def then_raises():
        if crew.met[0].ran:
            raises()
        return slots()

    crew.slots = then_raises
    with pytest.raises(EnvironmentFault, match="the disk is gone"):
        drive(tmp_path, crew, ROUTES)


@pytest.mark.parametrize("word", ["started", "ended", "kept", "fewer", "look"])
def test_a_listener_that_raises_leaves_no_slot_open(tmp_path, monkeypatch, word):
    """Printing to a closed pipe ends in SystemExit; the servers that a slot keeps are ended all the same."""

    def raises(*_):
        raise SystemExit(141)

    monkeypatch.setattr(Heard, word, raises)
    crew = ToyCrew(Toy(0, lambda *_: Reason.GPU_MEMORY), Toy(1, lambda *_: Reason.GPU_MEMORY))
    with pytest.raises(SystemExit):
        drive(tmp_path, crew, ROUTES)
    assert [slot.closed for slot in crew.met] == [1, 1]


@pytest.mark.parametrize("seed", range(8))
def test_a_crew_that_comes_and_goes_and_fails_at_random(tmp_path, seed):
    """Slots join, leave while they work, lose attempts and are interrupted; the books come out right all the same."""
    draw, lock, numbers = Random(seed), threading.Lock(), iter(range(1, 100_000))
    crew = ToyCrew()

    def ends(slot, _):
        with lock:
            event = draw.random()
            if event < 0.15 and slot.number:
                crew.there.remove(slot)
                return draw.choice([None, Reason.WORKER_LOST, Reason.INTERRUPTED])
            if event < 0.35:
                crew.there.append(Toy(next(numbers), ends, host=draw.choice("ab")))
            return Reason.SIMULATION_CRASH if event > 0.9 and slot.number else None  # the first one is not drained

    crew.there.append(Toy(0, ends))
    books, _ = drive(tmp_path, crew, ROUTES, max_attempts=50, succeeded=True)
    exactly_once(books)
    stored = [(one.key.cell, one.number) for one in books.made]
    assert len(set(stored)) == len(stored) == len(books.store.attempts)
