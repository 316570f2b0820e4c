"""scripts/chaos_run in small: servers fail, workers are told to leave or killed, the driver is killed."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from bestrand_drive.simulation.attempts.layout import Layout
from bestrand_drive.simulation.attempts.store import AttemptStore

pytestmark = pytest.mark.client


@pytest.fixture
def script(monkeypatch):
    if importlib.util.find_spec("carla") is None:
        pytest.skip("needs carla")
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "scripts"))
    import chaos_run  # type: ignore[import-not-found]

    monkeypatch.setattr(chaos_run, "WAIT_S", 10.0)
    monkeypatch.setattr(chaos_run, "LIMITS", ("--timeout", "20", "--limit", "tick=5", "--limit", "grace=5"))
    yield chaos_run
    for name in ("chaos_run", "headless_processes", "free_ports", "data_folder", "workers"):
        sys.modules.pop(name, None)


def test_the_same_scores_once_each_whatever_fails(script, tmp_path):
    """The seed's blows: a worker leaves after 1.7 s, one is killed after 2.8, the driver after 4.2; all take longer."""
    chaos = script.Chaos(4, 2, 1479, 1.4, tmp_path, program="tests.simulation.crews.quick", ticks=(350, 600))
    told = script.unleash(chaos)
    assert told.faults == []
    assert told.attempts["counts"] == 4
    assert told.blows["worker preempted"] >= 1
    one, two, *_ = (made for made in AttemptStore(Layout(chaos.run), repair=False).attempts if made.counts)
    shutil.rmtree(chaos.run / "attempts" / one.key.folder)
    assert f"route {one.key.route_id}: no result" in verified(script, chaos)
    shutil.copytree(chaos.run / "attempts" / two.key.folder, chaos.run / "attempts" / one.key.folder)
    assert verified(script, chaos)


def verified(script, chaos) -> list[str]:
    told = script.Told()
    script.verify(chaos, told)
    return told.faults
