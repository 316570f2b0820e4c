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


@pytest.fixture
def made(monkeypatch):
    """Makes a drive of an agent on a stage that is set in any case."""
    for name in ("trace", "bridge", "Stage", "RouteWeather", "Cast", "Judge"):
        monkeypatch.setattr(driving, name, MagicMock())
    monkeypatch.setattr(Drive, "_put_down", lambda *_: MagicMock())
    session = MagicMock()
    session.world.get_actors.return_value = [SimpleNamespace(id=1)]
    given = {
        "config": "",
        "host": "a",
        "port": 1,
        "debug": 0,
        "timeout_s": 1.0,
        "manager_port": 1,
        "seed": 0,
        "background": 0,
    }

    def make(agent, recording=""):
        return Drive(session, MagicMock(), "", SimpleNamespace(agent=agent, types={}, **given), recording)

    return make


def test_the_recorder_runs_from_the_load_of_the_town_to_the_end_of_the_drive(made):
    """It is the loaded world's: what was started before the load recorded nothing of the drive."""
    drive = made(RuntimeError("none"), "folder/RouteScenario_7_rep0.log")
    drive.run()
    assert drive.failure == SETUP
    told = [name for name, *_ in drive.session.mock_calls if name == "load" or "recorder" in name]
    assert told == ["load", "client.start_recorder", "client.stop_recorder"]
    drive.session.client.start_recorder.assert_called_once_with("folder/RouteScenario_7_rep0.log")


def test_an_agent_that_could_not_be_set_up_cleans_up_all_the_same(made, monkeypatch):
    monkeypatch.setattr(driving, "reference_of", lambda _: (0.0, 0.0))
    agent = MagicMock()
    agent.setup.side_effect = FileNotFoundError("no checkpoint")
    drive = made(lambda *_: agent)
    drive.run()
    assert drive.failure == SETUP
    agent.setup.assert_called_once()
    agent.destroy.assert_called_once()
