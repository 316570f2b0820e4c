"""What a drive says when something other than the agent fails."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from bestrand_drive.errors import DataRefused
from bestrand_drive.evaluator import drive as driving
from bestrand_drive.evaluator.drive import SETUP, SIMULATION, Drive
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.attempts.signatures import scan


def load(error):
    def raises(_town):
        raise error

    return raises


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError("spare"), Reason.EVALUATOR_DEFECT),
        (RuntimeError("time-out of 60000ms while waiting for the simulator"), Reason.SIMULATION_CRASH),
        (RuntimeError("map not found"), None),
        (DataRefused("no way leads from lane 1 to lane 2 of the town. Check the route file."), None),
    ],
    ids=["ours", "silent server", "the server's answer", "a route without a way"],
)
def test_a_bug_of_ours_is_told_from_a_broken_simulator(error, reason, capsys):
    session = SimpleNamespace(load=load(error), answers=lambda: True)
    drive = Drive(session, SimpleNamespace(town="Town01"), "", SimpleNamespace())
    drive.run()
    assert drive.failure == SIMULATION
    said = capsys.readouterr().err.splitlines()
    assert scan(said).reason is reason
    named = [line for line in said if line.startswith("Defect of the evaluator: KeyError: 'spare' (")]
    assert len(named) == (reason is Reason.EVALUATOR_DEFECT)
    assert all("test_drive.py:" in line for line in named)


def test_the_recorder_runs_from_the_load_of_the_town_to_the_end_of_the_drive(monkeypatch):
    """It is the loaded world's: what was started before the load recorded nothing of the drive."""
    for name in ("trace", "bridge", "Stage", "RouteWeather", "Cast", "Judge"):
        monkeypatch.setattr(driving, name, MagicMock())
    monkeypatch.setattr(Drive, "_put_down", lambda *_: MagicMock())
    session = MagicMock()
    session.world.get_actors.return_value = [SimpleNamespace(id=1)]
    conditions = SimpleNamespace(
        agent=RuntimeError("none"), timeout_s=1.0, manager_port=1, seed=0, background=0, types={}
    )
    drive = Drive(session, MagicMock(), "", conditions, "folder/RouteScenario_7_rep0.log")
    drive.run()
    assert drive.failure == SETUP
    told = [name for name, *_ in session.mock_calls if name == "load" or "recorder" in name]
    assert told == ["load", "client.start_recorder", "client.stop_recorder"]
    session.client.start_recorder.assert_called_once_with("folder/RouteScenario_7_rep0.log")
