"""F1, F2, F18: the headless server's faults on order, met by a whole run with the real client."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys

import pytest

from bestrand_drive.simulation.attempts.reasons import Reason

pytestmark = pytest.mark.client
CRASH = Reason.SIMULATION_CRASH.value


@pytest.fixture
def headless(make_runs, shared_data):
    """A run of Bench2Drive's stand-in, with the real client, on a headless server."""
    if importlib.util.find_spec("carla") is None or not (shared_data / "towns/Town02.xodr").is_file():
        pytest.skip("needs carla and Town02.xodr")
    runs = make_runs()
    runs.routes(11, towns={11: "Town02"})
    root = runs.folder / "carla"
    shutil.rmtree(root)
    version = importlib.metadata.version("carla")
    install = ["headless", "install", str(root), "--maps", str(shared_data / "towns"), "--map", "Town02"]
    call = [sys.executable, "-m", "bestrand_drive", *install, "--carla-version", version]
    subprocess.run(call, check=True, capture_output=True, timeout=60)
    runs.order(server="headless", BESTRAND_STAND_IN_CARLA="real")
    runs.more = ("--timeout", 5)
    return runs


def fault(runs, text: str) -> None:
    runs.monkeypatch.setenv("BESTRAND_HEADLESS_OPTIONS", f"--fault {text}" if text else "")


@pytest.mark.parametrize("order", ["crash@tick=10", "oom-exit@tick=10", "hang@tick=10", "crash@load=Town02"])
def test_a_server_that_fails_in_the_drive(headless, order):
    """No result, whatever the client made of it; without the fault the same command goes on."""
    fault(headless, order)
    ran = headless.run("--max-attempts", 1, code=6)
    assert headless.endings() == [CRASH], ran.out
    assert headless.left() == []
    fault(headless, "")
    headless.run("--max-attempts", 2)
    assert headless.endings() == [CRASH, "Completed"]
    assert headless.attempts()[1].key.simulator == "headless"


@pytest.mark.parametrize("order", ["slow-start=3", "stderr-flood"])
def test_a_server_that_is_a_nuisance(headless, order):
    fault(headless, order)
    headless.run()
    assert headless.endings() == ["Completed"]


def test_a_server_of_another_version(headless):
    headless.order("slow=30", server="headless")
    fault(headless, "wrong-version=0.9.10")
    assert "announces version '0.9.10'" in headless.run(code=7).err
    assert headless.attempts() == ()
    assert headless.left() == []
