"""What a slot makes of what was seen of an attempt."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from bestrand_drive.benchmarks.outcomes import Outcome
from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.log_place import LogPlace
from bestrand_drive.simulation.attempts.outcome import Judgement
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.processes.supervised import Ended
from bestrand_drive.simulation.servers.server import ServerFault
from bestrand_drive.simulation.slots import slot as module
from bestrand_drive.simulation.slots.attendance import Attended
from bestrand_drive.simulation.slots.cell import Cell, Finished, Sharing
from bestrand_drive.simulation.slots.slot import Slot, _of_judgement
from bestrand_drive.simulation.watchdog import NO_LINES
from tests.simulation.attempts.made import failed, key, scored


@pytest.mark.parametrize(("system_s", "speed"), [(40.0, 0.5), (1e-310, None), (None, 0.25)])
def test_a_speed_is_a_number_or_is_not_told(tmp_path, system_s, speed):
    """An evaluator may write any number; the record of its attempt holds finite ones only."""
    judged = Judgement(Outcome.SCORED, None, "Completed", game_s=20.0, system_s=system_s)
    attended = Attended(Ended(0), LogPlace(tmp_path / "log"), b"", speed=0.25)
    told = _of_judgement(judged, attended, NO_LINES)
    assert told["speed"] == speed
    assert scored(speed=told["speed"])


@pytest.mark.parametrize("leaves", [False, True])
def test_a_server_that_does_not_come_up_is_no_failure_where_we_were_told_to_leave(tmp_path, monkeypatch, leaves):
    """It may have been signalled, too: then nothing is recorded, or a preempted route would come to its cap."""
    halt = SimpleNamespace(asked=False, forced=False)

    @contextmanager
    def taken(_):
        halt.asked = leaves
        raise ServerFault("the port was taken", Reason.PORT_TAKEN)
        yield

    monkeypatch.setattr(module, "places_for", lambda *_: SimpleNamespace(open=taken))
    evaluator = SimpleNamespace(root="/b2d", commit="7ec25d1")
    settings = SimpleNamespace(gpus=(), layout=Layout(tmp_path), checkout=evaluator, python_says="3.8", python=())
    slot, cell = Slot(0, settings, None, halt, "now"), Cell(key(), 2, None)
    finished = slot.run(cell, Sharing(3, 1))
    assert (finished.cell, finished.result, slot.situation) == (cell, None, None)
    if leaves:
        assert finished.attempt is None
        return
    made = finished.attempt
    assert (made.number, made.reason, made.detail) == (2, Reason.PORT_TAKEN, "the port was taken")
    assert (made.load.servers, made.load.servers_per_gpu, made.evaluator.commit) == (3, 1, "7ec25d1")


def test_an_attempt_is_there_though_its_server_does_not_end(tmp_path, monkeypatch):
    """The engine stores it first; what is wrong with the server is met when its remains are seen to."""
    happened, finished = [], Finished(Cell(key(), 1, None), failed(), None, None, tmp_path / "work", tmp_path / "log")

    def stuck():
        happened.append("server")
        if len(happened) == 1:
            raise EnvironmentFault("it does not end")

    keeper = SimpleNamespace(keep=lambda _: happened.append("kept") or "kept")
    monkeypatch.setattr(module, "places_for", lambda *_: SimpleNamespace(failed=stuck))
    slot = Slot(0, SimpleNamespace(gpus=()), keeper, SimpleNamespace(asked=False, forced=False), "now")
    monkeypatch.setattr(slot, "_run", lambda *_: finished)
    assert slot.run(finished.cell, Sharing(1, 1)) is finished
    with pytest.raises(EnvironmentFault):
        slot.tidy(finished)
    assert slot.tidy(finished) == "kept"
    assert happened == ["server", "server", "kept"], "it may still write what is kept"
