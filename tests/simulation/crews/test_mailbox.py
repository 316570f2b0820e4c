"""Letters in a folder: late, half written, damaged, or from somebody who is gone; with a worker played by the test."""

from __future__ import annotations

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import DataRefused, EnvironmentFault
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.crews import far_slot, mailbox, mailbox_crew
from bestrand_drive.simulation.crews.letters import Answer, Bye, Hello, Offer, Order, Pulse, Told
from bestrand_drive.simulation.crews.mailbox import Heart, Listening, Session, put, put_answer, take_answer
from bestrand_drive.simulation.crews.mailbox_crew import MailboxCrew
from bestrand_drive.simulation.slots.cell import Cell, Sharing
from tests.simulation.attempts.made import failed, key, result, scored
from tests.simulation.processes.trees import until

LIMIT_S = 20
OFFER = Offer(version="1", folder="/", request={}, keys=(key(),))
SHARING = Sharing(3, 2)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    for name, value in (("BEAT_S", 0.01), ("LOOK_S", 0.01), ("SILENT_S", LIMIT_S)):
        monkeypatch.setattr(mailbox, name, value)
    monkeypatch.setattr(far_slot, "_LOOK_S", 0.01)
    monkeypatch.setattr(far_slot, "_FORCED_S", 0.2)


class Played:
    """A worker whose heart beats in a thread, and which does nothing by itself."""

    def __init__(self, session: Session, name: str = "w", gpus=("0",)) -> None:
        self.session, self.name, self.dead = session, name, threading.Event()
        self.heart = Heart(session.worker_beat(name))
        session.answers(name).mkdir()
        put(session.hello(name), Hello(host="node7", pid=1, gpus=gpus))
        self.revive()

    def revive(self) -> None:
        self.dead.clear()
        self.thread = threading.Thread(target=self._beat)
        self.thread.start()

    def die(self) -> None:
        self.dead.set()
        self.thread.join()

    def _beat(self) -> None:
        while not self.dead.wait(0.01):
            self.heart.beat()

    def orders(self, kind: str = "json") -> list[int]:
        return self.session.ordered(self.name, kind)

    def answer(self, number: int, attempt=None, content=None, **told) -> None:
        put_answer(self.session.answers(self.name), number, Answer(Told(attempt=attempt, **told), content))


@pytest.fixture
def halt():
    return SimpleNamespace(asked=False, forced=False)


@pytest.fixture
def said():
    return []


@pytest.fixture
def crew(tmp_path, halt, said):
    made = MailboxCrew(tmp_path / "crew", OFFER, halt, tmp_path / "logs", said.append)
    yield made
    made.close()


@pytest.fixture
def worker(crew):
    played = Played(mailbox.current(crew._session.root))
    yield played
    played.die()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as threads:
        yield threads


def slot_of(crew):
    until(crew.slots, "it joins", LIMIT_S)
    return crew.slots()[0]


def ordered(worker, count=1):
    until(lambda: len(worker.orders()) >= count, "it is ordered", LIMIT_S)
    return worker.orders()[-1]


def cell(route=1711, number=1):
    return Cell(key(route), number, None)


def test_an_order_and_its_answer(crew, worker, pool):
    slot = slot_of(crew)
    assert (slot.host, slot.gpu_name, slot.number) == ("node7", "0", 0)
    run = pool.submit(slot.run, cell(), SHARING)
    number = ordered(worker)
    order = mailbox.take(Order, worker.session.orders("w") / f"{number}.json")
    assert (order.key, order.number, order.slot, order.servers, order.servers_per_gpu) == (key(), 1, 0, 3, 2)
    worker.answer(number, scored(), result(), kept="kept in x")
    finished = run.result(LIMIT_S)
    assert (finished.attempt, finished.result, slot.tidy(finished)) == (scored(), result(), "kept in x")


def test_a_half_written_answer_is_not_taken(crew, worker, pool):
    """Late visibility: the folder is there before its files are."""
    run = pool.submit(slot_of(crew).run, cell(), SHARING)
    number = ordered(worker)
    place = worker.session.answers("w") / str(number)
    place.mkdir()
    content = mailbox.dump_json(Told(attempt=scored()).model_dump(mode="json"))
    for part in (b"", content[:50], content):  # the record is whole; the result is not to be seen yet
        (place / "told.json").write_bytes(part)
        assert take_answer(place.parent, number) is None
    (place / "result").write_bytes(result())
    assert run.result(LIMIT_S).result == result()


@pytest.mark.parametrize("part", ["result", "metric_info"])
def test_an_answer_whose_part_cannot_be_read_now_is_not_taken_without_it(tmp_path, monkeypatch, part):
    """Else comfort, or what an attempt that failed had written, would be gone without a word."""
    answer, read = Answer(Told(attempt=failed()), b"{}", b"{}"), mailbox.read_bytes
    put_answer(tmp_path, 1, answer)

    def away(path):
        if path.name == part:
            raise DataRefused(f"{path}: cannot be read (Stale file handle).")
        return read(path)

    with monkeypatch.context() as patch:
        patch.setattr(mailbox, "read_bytes", away)
        assert take_answer(tmp_path, 1) is None
    assert take_answer(tmp_path, 1) == answer


def test_an_answer_that_stays_damaged_is_given_up(crew, worker, pool, monkeypatch):
    run = pool.submit(slot_of(crew).run, cell(), SHARING)
    place = worker.session.answers("w") / str(ordered(worker))
    place.mkdir()
    (place / "told.json").write_bytes(b"{")
    monkeypatch.setattr(crew._workers["w"]._unread, "stays", lambda number: number == int(place.name))
    attempt = run.result(LIMIT_S).attempt
    assert (attempt.reason, "cannot be read" in attempt.detail) == (Reason.WORKER_LOST, True)


def test_letters_that_cannot_be_read_are_given_up_after_a_while_each(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(mailbox.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(mailbox, "SILENT_S", 60.0)
    unread = mailbox.Unread()
    for step, number, stays in ((0, 1, False), (60, 1, False), (0, 2, False), (1, 1, True), (1, 2, False)):
        now[0] += step
        assert unread.stays(number) is stays


def test_a_silent_worker_loses_its_order_and_what_it_says_of_it_later_is_not_heard(
    crew, worker, pool, said, monkeypatch
):
    slot = slot_of(crew)
    run = pool.submit(slot.run, cell(), SHARING)
    number = ordered(worker)
    worker.die()
    monkeypatch.setattr(mailbox, "SILENT_S", 0.1)
    attempt = run.result(LIMIT_S).attempt
    assert (attempt.reason, attempt.number, attempt.host) == (Reason.WORKER_LOST, 1, "node7")
    until(lambda: not crew.slots(), "it is gone", LIMIT_S)
    assert worker.orders("stop") == [number], "should it come back, it would go on"
    monkeypatch.setattr(mailbox, "SILENT_S", LIMIT_S)
    worker.revive()
    (back,) = (slot_of(crew),)
    assert back.number != slot.number
    again = pool.submit(back.run, cell(number=2), SHARING)
    second = ordered(worker, 2)
    worker.answer(number, scored(), result())
    worker.answer(second, scored(2), result())
    assert again.result(LIMIT_S).attempt == scored(2)
    assert sum("silent" in line for line in said) == 1


def test_a_goodbye_gives_back_what_was_not_begun_and_keeps_what_was_answered(crew, worker, pool):
    until(crew.slots, "it joins", LIMIT_S)
    runs = [pool.submit(crew.slots()[0].run, cell(route), SHARING) for route in (1, 2)]
    numbers = [ordered(worker, 2), worker.orders()[0]]
    answered = min(numbers)
    order = mailbox.take(Order, worker.session.orders("w") / f"{answered}.json")
    put(worker.session.bye("w"), Bye(answered=(answered,)))
    worker.answer(answered, scored(of=order.key), result())  # seen after the goodbye that tells of it
    found = [run.result(LIMIT_S) for run in runs]
    assert [one.attempt for one in found if one.cell.key == order.key] == [scored(of=order.key)]
    assert [one.attempt for one in found if one.cell.key != order.key] == [None]
    until(lambda: not crew.slots(), "it is gone", LIMIT_S)


@pytest.mark.parametrize("forced", [False, True])
def test_the_user_asks_to_stop(crew, worker, pool, halt, forced):
    run = pool.submit(slot_of(crew).run, cell(), SHARING)
    number = ordered(worker)
    halt.asked, halt.forced = True, forced
    until(lambda: worker.orders("stop") == [number], "it is told", LIMIT_S)
    word = (worker.session.orders("w") / f"{number}.stop").read_bytes()
    assert word == (b"now\n" if forced else b"\n")
    if not forced:
        worker.answer(number)
    assert run.result(LIMIT_S).attempt is None, "a second Ctrl-C does not wait for a worker"


def test_a_word_to_stop_that_does_not_come_through_is_said_again(crew, worker, pool, halt, monkeypatch):
    """The file server is away for a moment: what runs is ended all the same, and that it was away is no news."""
    refused, write = [], mailbox_crew.write_atomic

    def away_at_first(path, content):
        if path.suffix == ".stop" and len(refused) < 3:
            refused.append(path)
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        write(path, content)

    monkeypatch.setattr(mailbox_crew, "write_atomic", away_at_first)
    run = pool.submit(slot_of(crew).run, cell(), SHARING)
    number, halt.asked = ordered(worker), True
    until(lambda: worker.orders("stop") == [number], "it is told", LIMIT_S)
    worker.answer(number)
    assert run.result(LIMIT_S).attempt is None


def test_where_nothing_can_be_run_the_last_worker_ends_the_run(crew, worker, pool):
    run = pool.submit(slot_of(crew).run, cell(), SHARING)
    worker.answer(ordered(worker), fault="the server is 0.9.14")
    assert run.result(LIMIT_S).attempt is None
    with pytest.raises(EnvironmentFault, match=r"no worker is left: the server is 0\.9\.14"):
        crew.slots()


def test_an_answer_that_came_through_though_it_was_told_otherwise_is_put_once(tmp_path, monkeypatch):
    """A rename that is sent twice is answered by "no such file"; what is put down after it must not wait for it."""
    rename = Path.rename

    def twice(*names):
        rename(*names)
        rename(*names)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", twice)
        with pytest.raises(FileNotFoundError):
            put_answer(tmp_path, 1, Answer(Told(attempt=scored()), result()))
    put_answer(tmp_path, 1, Answer(Told(attempt=scored()), result()))
    assert [path.name for path in tmp_path.iterdir()] == ["1"]
    assert take_answer(tmp_path, 1) == Answer(Told(attempt=scored()), result())


def test_a_file_server_that_is_away_for_a_moment_ends_no_run(crew, worker, monkeypatch):
    """Workers try again, too; one that stays away is told once nobody waits for the driver any more."""
    heart, place = crew._heart, crew._heart._path
    until(crew.slots, "it joins", LIMIT_S)
    heart._path = place / "gone" / "beat"
    before = heart._count
    until(lambda: heart._count > before + 3, "it is tried again", LIMIT_S)
    heart._path = place
    until(lambda: mailbox.take(Pulse, place).count > before + 4, "it beats again", LIMIT_S)
    assert crew.slots()
    monkeypatch.setattr(mailbox, "SILENT_S", 0.05)
    heart._path = place / "gone" / "beat"
    with pytest.raises(OSError, match="gone"):
        until(lambda: crew.slots() is None, "it is told", LIMIT_S)


def test_a_defect_that_stays_ends_the_run_and_is_waited_for_by_nobody(crew, worker, pool, monkeypatch):
    """What ended before is stored, what runs is given back: it would be looked for in vain for ever."""
    run = pool.submit(slot_of(crew).run, cell(), SHARING)
    worker.answer(ordered(worker), scored(), result())
    assert run.result(LIMIT_S).attempt == scored()
    run = pool.submit(slot_of(crew).run, cell(2), SHARING)
    ordered(worker, 2)
    monkeypatch.setattr(mailbox, "SILENT_S", 0.05)

    def defect(_):
        raise RuntimeError("a defect")

    monkeypatch.setattr(mailbox_crew.Correspondent, "look", defect)
    assert run.result(LIMIT_S).attempt is None
    with pytest.raises(RuntimeError, match="a defect"):
        crew.slots()


def test_a_second_session_removes_the_first_and_a_worker_of_it_is_not_heard(crew, worker, tmp_path, halt, said):
    until(crew.slots, "it joins", LIMIT_S)
    worker.die()
    crew.close()
    other = MailboxCrew(tmp_path / "crew", OFFER, halt, tmp_path / "logs", said.append)
    try:
        assert mailbox.current(tmp_path / "crew") != worker.session
        assert not worker.session.folder.exists()
        with pytest.raises(OSError, match="No such file"):
            put_answer(worker.session.answers("w"), 1, Answer(Told(attempt=failed())))
        assert other.slots() == []
    finally:
        other.close()


def test_a_heart_is_judged_by_change_alone(tmp_path, monkeypatch):
    """Stamps of files and other hosts' clocks say nothing."""
    now = [100.0]
    monkeypatch.setattr(mailbox.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(mailbox, "SILENT_S", 60.0)
    path = tmp_path / "beat"
    ear = Listening(path)
    for step, silent in ((30, False), (29, False), (2, True)):
        now[0] += step
        assert ear.silent() is silent
    put(path, Pulse(count=1))
    os.utime(path, (1, 1))
    assert not ear.silent()
    now[0] += 61
    os.utime(path, (2**31, 2**31))
    put(path, Pulse(count=1))
    assert ear.silent()
    path.write_bytes(b"{")
    assert ear.silent()
    put(path, Pulse(count=7))
    assert not ear.silent()


@pytest.mark.parametrize("name", ["a b.hello", ".w.hello.partial", "w.hello.tmp", ".hello", "w.hello\n", "w.beat"])
def test_other_files_are_no_workers(tmp_path, name):
    session = Session(tmp_path / "crew", "0" * 32)
    session.make()
    for one in (name, "node7-12.hello"):
        (session.workers / one).write_text("{}")
    assert session.names() == ["node7-12"]


@pytest.mark.parametrize("name", ["0.json", "01.json", "1.json.tmp", ".1.json.partial", "x.json", "1.jsonl"])
def test_other_files_are_no_orders(tmp_path, name):
    session = Session(tmp_path / "crew", "0" * 32)
    session.orders("w").mkdir(parents=True)
    for one in (name, "10.json", "9.json", "9.stop"):
        (session.orders("w") / one).write_text("{}")
    assert (session.ordered("w", "json"), session.ordered("w", "stop")) == ([9, 10], [9])
