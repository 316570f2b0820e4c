"""A worker's slots, with attempts whose ends are given."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.crews import workplace as module
from bestrand_drive.simulation.crews.letters import Order, Told
from bestrand_drive.simulation.crews.workplace import Workplace
from bestrand_drive.simulation.slots.cell import Finished
from tests.simulation.attempts.made import failed, key

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


ORDER = Order(key=key(), number=1, slot=0, servers=1, servers_per_gpu=1)


def workplace(folder: Path, monkeypatch: pytest.MonkeyPatch, made: Callable[..., SimpleNamespace]) -> Workplace:
    """With one slot, which is made by the test."""
    monkeypatch.setattr(module, "Slot", made)
    here = SimpleNamespace(layout=Layout(folder))
    return Workplace(here, here, {"1711": None}, 1, "w")


@pytest.mark.parametrize("place", ["publish", "tidy"])
@pytest.mark.parametrize(("error", "said"), [
    (EnvironmentFault("it does not end"), "it does not end"),
    (FULL, "[Errno 28] No space left on device"),
])  # fmt: skip
def test_an_attempt_that_is_over_is_told_whatever_fails_after_it(tmp_path, monkeypatch, place, error, said):
    """The policy's hangs are among them, which are never tried again; the fault is told beside it."""

    def fail(*_):
        raise error

    class Played(SimpleNamespace):
        def run(self, cell, _):
            return Finished(cell, failed(), None, None, tmp_path / "work", tmp_path / "logs" / "log")

    if place == "publish":
        monkeypatch.setattr(Workplace, "_publish", fail)
    here = workplace(tmp_path, monkeypatch, lambda *_: Played(tidy=fail if place == "tidy" else lambda _: ""))
    assert here.make(1, ORDER).told == Told(attempt=failed(), fault=said)


def test_a_word_to_stop_is_for_its_order_alone(tmp_path, monkeypatch):
    """It may come before the order begins, or twice and more urgent; the next attempt at that slot is not stopped."""
    heard, told = [], iter([((2, False),), ((9, True), (3, False), (3, True)), ()])

    class Played(SimpleNamespace):
        def run(self, cell, _):
            for number, now in next(told):
                here.stop(number, now=now)
                heard.append((self.word.asked, self.word.forced))
            heard.append((self.word.asked, self.word.forced))
            return Finished(cell, failed(), None, None, tmp_path / "work", tmp_path / "logs" / "log")

    here = workplace(tmp_path, monkeypatch, lambda _0, _1, _2, word, _3: Played(word=word, tidy=lambda _: ""))
    here.stop(1, now=False)
    assert (here.make(1, ORDER).told.attempt, heard) == (None, [])
    for number in (2, 3, 4):
        assert here.make(number, ORDER).told.attempt == failed()
    ended, more_and_more, well = (
        [(True, False)] * 2,
        [(False, False), (True, False), (True, True), (True, True)],
        [(False, False)],
    )
    assert heard == ended + more_and_more + well
