"""The driver on a real client and a server: it drives, sees what its style sees, and does the same twice."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.headless.client.clients import ROOT
from tests.headless.client.harness import Release, serving
from tests.headless.processes import ROAD
from tests.probes.drive_program import BEFORE_M, OBSTACLE_M

pytestmark = pytest.mark.client


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    folder = tmp_path_factory.mktemp("road")
    (folder / "Town01.xodr").write_text(ROAD)
    with serving(Release(version("carla"), Path(sys.executable)), folder, folder) as server:
        yield server.port


@pytest.fixture
def drive(port):
    def run(style: str = "", obstacle: str = "", ticks: int = 400) -> dict[str, Any]:
        command = [sys.executable, "-m", "tests.probes.drive_program", str(port), style, obstacle, str(ticks)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


BLIND = "sees_vehicles=no,sees_walkers=no,sees_props=no,overtakes=no"


def test_it_drives_down_the_middle_at_its_speed(drive):
    found = drive("speed_m_s=7")
    lane = found["rows"][0][1]
    assert max(abs(row[1] - lane) for row in found["rows"]) < 0.1
    assert [row[2] for row in found["rows"][150:400]] == pytest.approx([7.0] * 250, abs=0.4)
    assert found["hits"] == []


def test_it_does_the_same_twice(drive):
    wobbly = "speed_m_s=8,noise=0.05,reaction_s=0.3"
    first = drive(f"{wobbly},seed=4", "vehicle.audi.tt", ticks=240)
    assert first == drive(f"{wobbly},seed=4", "vehicle.audi.tt", ticks=240)
    assert first["rows"][-1][0] - first["rows"][0][0] > 50.0, "so far that it looks at what stands there"
    assert first["rows"][:40] != drive(f"{wobbly},seed=5", "vehicle.audi.tt", ticks=40)["rows"]


@pytest.mark.parametrize(
    ("obstacle", "sees"),
    [
        ("walker.pedestrian.0001", "sees_walkers"),
        ("vehicle.audi.tt", "sees_vehicles"),
        ("static.prop.streetbarrier", "sees_props"),
    ],
)
def test_it_stops_for_what_it_sees_and_hits_what_it_does_not(drive, obstacle, sees):
    seeing = drive(f"{BLIND},{sees}=yes", obstacle)
    assert seeing["hits"] == []
    assert seeing["rows"][-1][2] < 0.3
    front = seeing["rows"][-1][0] - seeing["rows"][0][0] + BEFORE_M + 2.4
    assert OBSTACLE_M - 12.0 < front < OBSTACLE_M
    assert drive(BLIND, obstacle)["hits"] == [obstacle]
