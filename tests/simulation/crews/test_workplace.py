"""A worker's slots, with attempts whose ends are given."""

from __future__ import annotations

import errno
import os
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

    monkeypatch.setattr(module, "Slot", lambda *_: Played(tidy=fail if place == "tidy" else lambda _: ""))
    if place == "publish":
        monkeypatch.setattr(Workplace, "_publish", fail)
    here = Workplace(
        SimpleNamespace(layout=Layout(tmp_path)), SimpleNamespace(layout=Layout(tmp_path)), {"1711": None}, 1, "w"
    )
    answer = here.make(1, Order(key=key(), number=1, slot=0, servers=1, servers_per_gpu=1))
    assert answer.told == Told(attempt=failed(), fault=said)
