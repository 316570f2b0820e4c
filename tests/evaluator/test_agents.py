"""What agents find under the official names, which sensors they may have, and how long they may take."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

pytest.importorskip("carla")

from bestrand_drive.evaluator.agent_api import sensor_interface
from bestrand_drive.evaluator.agent_api.sensor_interface import (
    SensorConfigurationInvalid,
    SensorInterface,
    SensorReceivedNoData,
)
from bestrand_drive.evaluator.agent_loading import AgentTooSlow, arm, within
from bestrand_drive.evaluator.plan import RoadOption
from bestrand_drive.evaluator.sensor_rules import fault_of
from tests.headless.client.clients import ROOT

IMPORTS = """
from leaderboard.autoagents.autonomous_agent import AutonomousAgent, Track
from leaderboard.envs.sensor_interface import SensorInterface, SensorReceivedNoData
from srunner.scenariomanager.carla_data_provider import CarlaDataProvider
from srunner.scenariomanager.timer import GameTime
from agents.navigation.local_planner import RoadOption
import leaderboard.autoagents.autonomous_agent as module
assert module.AutonomousAgent is AutonomousAgent and CarlaDataProvider.get_hero_actor() is None
print(AutonomousAgent.__module__, [option.name for option in RoadOption])
"""


def run(code, *path):
    command = [
        sys.executable,
        "-c",
        f"from bestrand_drive.evaluator.agent_api.installing import install\ninstall()\n{code}",
    ]
    environment = {**os.environ, "PYTHONPATH": ":".join([str(ROOT), *map(str, path)])}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)


def test_the_official_names_without_the_official_packages():
    done = run(IMPORTS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        "bestrand_drive.evaluator.agent_api.autonomous_agent",
        *str([option.name for option in RoadOption]).split(),
    ]


def test_installed_packages_keep_their_names(tmp_path):
    """Only both together: the leaderboard without its runner is of no use."""
    (tmp_path / "leaderboard").mkdir()
    (tmp_path / "leaderboard" / "__init__.py").write_text("there = True\n")
    code = "import sys, leaderboard; print(hasattr(leaderboard, 'there'), 'srunner' in sys.modules)"
    assert run(code, tmp_path).stdout.split() == ["False", "True"]
    (tmp_path / "srunner").mkdir()
    (tmp_path / "srunner" / "__init__.py").write_text("")
    assert run(code, tmp_path).stdout.split() == ["True", "False"]


PLANNER = "from enum import IntEnum\nclass RoadOption(IntEnum):\n    LANEFOLLOW = 4\n"


@pytest.mark.parametrize(
    ("files", "whose"),
    [
        ({}, "bestrand_drive.evaluator.plan"),
        ({"mine.py": "there = True\n"}, "bestrand_drive.evaluator.plan"),
        ({"__init__.py": "raise OSError('no display')\n"}, "bestrand_drive.evaluator.plan"),
        ({"navigation/local_planner/data.txt": ""}, "bestrand_drive.evaluator.plan"),
        ({"navigation/local_planner.py": "import shapely_is_absent\n"}, "bestrand_drive.evaluator.plan"),
        ({"__init__.py": "", "navigation/__init__.py": "", "navigation/local_planner.py": PLANNER},
         "agents.navigation.local_planner"),
        ({"navigation/local_planner.py": PLANNER}, "agents.navigation.local_planner"),
    ],
    ids=["folder", "others'", "broken", "folders", "lacks a module", "carla's", "carla's without __init__"],
)  # fmt: skip
def test_agents_is_official_only_with_the_planner_in_it(tmp_path, files, whose):
    """The bridge looks the planner up after this, so it must be there in every case."""
    (tmp_path / "agents").mkdir()
    for name, text in files.items():
        (tmp_path / "agents" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "agents" / name).write_text(text)
    code = "import sys; from agents.navigation.local_planner import RoadOption\n"
    code += "print(sys.modules['agents.navigation.local_planner'].RoadOption.__module__)\n"
    code += "import agents.mine\n" if "mine.py" in files else ""
    done = run(code, tmp_path)
    assert (done.stdout.strip(), done.returncode) == (whose, 0), done.stderr


def camera(tag="front", **more):
    shape = {"width": 64, "height": 48, "fov": 90}
    return {"type": "sensor.camera.rgb", "id": tag, "x": 0.0, "y": 0.0, "z": 1.6, **shape, **more}


def without(spec, name):
    return {key: value for key, value in spec.items() if key != name}


@pytest.mark.parametrize(
    ("sensors", "agent", "driven", "word"),
    [
        ([camera(), {"type": "sensor.speedometer", "id": "speed"}], "SENSORS", "SENSORS", None),
        ([camera()], "MAP", "SENSORS", "track"),
        ([{"type": "sensor.opendrive_map", "id": "map"}], "SENSORS", "SENSORS", "not allowed"),
        ([{"type": "sensor.opendrive_map", "id": "map"}], "MAP", "MAP", None),
        ([camera(str(number)) for number in range(8)], "SENSORS", "SENSORS", None),
        ([camera(str(number)) for number in range(9)], "SENSORS", "SENSORS", "at most 8"),
        ([camera(), camera()], "SENSORS", "SENSORS", "the id front"),
        ([camera(x=2.6)], "SENSORS", "SENSORS", "further than 3.0 m"),
        ([{"type": "sensor.other.collision", "id": "x"}], "SENSORS", "SENSORS", "not allowed"),
        ([camera(str(number)) for number in range(4)], "MAP_QUALIFIER", "MAP_QUALIFIER", None),
        ([camera(str(number)) for number in range(5)], "SENSORS_QUALIFIER", "SENSORS_QUALIFIER", "at most 4"),
        ([without(camera(), "fov")], "SENSORS", "SENSORS", "front is described without fov"),
        ([without(camera(), "id")], "SENSORS", "SENSORS", "described without id"),
        ([{"id": "x"}], "SENSORS", "SENSORS", "x is described without type"),
        ([{"type": "sensor.other.radar", "id": "r"}], "SENSORS", "SENSORS", "without horizontal_fov, vertical_fov"),
        ([camera(fov="100", yaw="0")], "SENSORS", "SENSORS", None),
        ([camera(fov="wide")], "SENSORS", "SENSORS", "sensor front: fov 'wide' is no number"),
        ([camera(yaw=None)], "SENSORS", "SENSORS", "sensor front: yaw None is no number"),
        ([camera(z=float("nan"))], "SENSORS", "SENSORS", "sensor front: z nan is no number"),
        ([{"type": "sensor.opendrive_map", "id": "m", "reading_frequency": 0}], "MAP", "MAP", "0 is not above 0"),
    ],
)
def test_which_sensors_are_allowed(monkeypatch, sensors, agent, driven, word):
    monkeypatch.delenv("SAVE_PATH", raising=False)
    fault = fault_of(sensors, agent, driven)
    assert (fault is None) if word is None else word in fault


def test_saving_lets_cameras_stand_far_away(monkeypatch):
    monkeypatch.setenv("SAVE_PATH", "/somewhere")
    assert fault_of([camera(x=60.0)], "SENSORS", "SENSORS") is None
    assert fault_of([camera(x=101.0)], "SENSORS", "SENSORS")


def test_data_of_a_frame_is_waited_for_and_older_left_out():
    interface = SensorInterface()
    for tag, kind in (("imu", "sensor.other.imu"), ("map", "sensor.opendrive_map")):
        interface.register_sensor(tag, kind, None)
    interface.update_sensor("imu", "old", 6)
    interface.update_sensor("imu", "new", 7)
    assert interface.get_data(7) == {"imu": (7, "new")}
    interface.update_sensor("map", "roads", 8)
    interface.update_sensor("imu", "newer", 8)
    assert interface.get_data(8) == {"imu": (8, "newer"), "map": (8, "roads")}
    with pytest.raises(SensorConfigurationInvalid):
        interface.register_sensor("imu", "sensor.other.imu", None)


def test_a_sensor_that_sends_nothing_is_told_from_a_slow_one(monkeypatch):
    """Data of earlier frames are no answer."""
    monkeypatch.setattr(sensor_interface, "_WAIT_S", 0.0)
    interface = SensorInterface()
    interface.register_sensor("imu", "sensor.other.imu", None)
    interface.update_sensor("imu", "old", 6)
    with pytest.raises(SensorReceivedNoData, match="took too long"):
        interface.get_data(7)


def test_an_agent_that_takes_too_long_is_interrupted():
    arm()
    with pytest.raises(AgentTooSlow), within(0.05):
        time.sleep(30.0)
    with within(0.05):
        pass
    time.sleep(0.1)  # the clock was stopped: nothing rings afterwards
