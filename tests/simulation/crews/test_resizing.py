"""More or fewer servers while a run goes on."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from bestrand_drive.errors import UsageError
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.lock import driver_lock
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.crews import resizing
from bestrand_drive.simulation.crews.local import LocalCrew
from bestrand_drive.simulation.crews.resizing import Resizing, ask_servers
from bestrand_drive.simulation.engines import dispatch
from bestrand_drive.simulation.engines.drain import Drains
from tests.conftest import call
from tests.simulation.engines.toys import Toy, drive
from tests.simulation.processes.trees import until


@pytest.fixture
def layout(tmp_path, monkeypatch):
    monkeypatch.setattr(resizing, "_LOOK_S", 0.0)
    return Layout(tmp_path)


@pytest.fixture
def driven(layout, monkeypatch):
    """Driven by another process, as far as the lock says: its own process may ask, too."""
    monkeypatch.setattr(resizing, "is_driven", lambda _: True)
    with driver_lock(layout.lock), Resizing(layout, 2, 4) as found:
        yield found


def test_what_is_asked_for_is_taken_up(driven, layout):
    assert driven.wanted() == 2
    for servers in (4, 1, 3):
        assert ask_servers(layout.root, servers).servers == servers
        assert driven.wanted() == ask_servers(layout.root).servers == servers


@pytest.mark.parametrize("servers", [0, -1, 5])
def test_what_there_is_no_room_for_is_refused(driven, layout, servers):
    with pytest.raises(UsageError, match="from 1 to 4"):
        ask_servers(layout.root, servers)
    assert driven.wanted() == 2


@pytest.mark.parametrize(
    ("content", "wanted"),
    [(b"", 2), (b"{", 2), (b'{"servers": 0, "most": 4}', 2), (None, 2), (b'{"servers": 9, "most": 9}', 4)],
)
def test_a_damaged_file_changes_nothing_and_an_edited_one_never_too_much(driven, layout, content, wanted):
    if content is None:
        layout.servers.unlink()
    else:
        layout.servers.write_bytes(content)
    assert driven.wanted() == wanted


def test_nobody_drives(layout):
    with pytest.raises(UsageError, match="nobody drives"):
        ask_servers(layout.root, 2)
    with Resizing(layout, 1, 2):
        pass
    assert not layout.servers.exists()
    layout.servers.write_bytes(b'{"servers": 1, "most": 2}')  # a killed driver's
    ran = call("servers", layout.root, "--set", 2)
    assert (ran.code, "nobody drives" in ran.err) == (2, True)


def test_slots_that_are_asked_for_again_are_the_same():
    counts = iter([2, 3, 1, 3])
    crew = LocalCrew.__new__(LocalCrew)
    crew._wanted, crew._slots = (lambda: next(counts)), ["first", "second", "third"]
    crew._unfit = lambda _: False
    assert [len(crew.slots()) for _ in range(4)] == [2, 3, 1, 3]
    assert crew._slots == ["first", "second", "third"]


@pytest.mark.parametrize("retires", [False, True])
def test_where_fewer_are_asked_for_those_that_are_given_nothing_go_first(tmp_path, monkeypatch, retires):
    """Else the only one that stays could be the drained or retired one, and the run would wait for ever."""
    monkeypatch.setattr(dispatch, "_PAUSE_S", 0.002)
    counts, reason = Counter(), Reason.GPU_MEMORY if retires else Reason.SERVER_NOT_READY

    def ends(slot, _):
        counts[slot.number] += 1
        return reason if slot.number == 0 and counts[1] else None

    def wanted():
        counts["looks"] += 1
        assert counts["looks"] < 3000, "it waits for a slot that never comes"
        return 1 if any(map(drains.unfit, toys)) else 2

    gpus = ("0", "0") if retires else ("0", "1")
    drains, toys = Drains(), [Toy(number, ends, gpu_name=gpu) for number, gpu in enumerate(gpus)]
    crew = LocalCrew.__new__(LocalCrew)
    crew._slots, crew._unfit = toys, drains.unfit
    crew._wanted = wanted
    crew.met, crew.closed, crew.close = toys, 0, lambda: setattr(crew, "closed", 1)
    books, _ = drive(tmp_path, crew, range(1, 17), drains=drains, succeeded=True)
    assert drains.unfit(toys[0])
    assert sum(one.counts for one in books.made) == 16


def test_a_run_that_goes_on_takes_more_servers(runs, monkeypatch):
    """One server works; then there are two, which work at the same time."""
    monkeypatch.setattr(resizing, "_LOOK_S", 0.0)
    runs.order("slow=1.5")

    def grow():
        until(lambda: any((runs.path / "logs").glob("*.log")), "the first route is under way", 60)
        asked.append(ask_servers(runs.path, 2))

    asked = []
    asking = threading.Thread(target=grow)
    asking.start()
    said = runs.run("--servers", 1)
    asking.join()
    assert [one.servers for one in asked] == [2]
    assert "slot 1: route" in said.out
    assert runs.endings() == ["Completed"] * 4
    assert {one.load.servers for one in runs.attempts()} == {1, 2}
    assert "are mixed" in said.out
