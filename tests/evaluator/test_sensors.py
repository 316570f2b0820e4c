"""What of an agent's data is made here: the speedometer's, the map's, and the steps that comfort is computed from."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import pytest

carla = pytest.importorskip("carla")  # before what imports it

from bestrand_drive.evaluator.gps import reference_of  # noqa: E402
from bestrand_drive.evaluator.metric_info import NAME, write_steps  # noqa: E402
from bestrand_drive.evaluator.sensors import SensorSuite  # noqa: E402
from bestrand_drive.evaluator.state import State  # noqa: E402

MAP = SimpleNamespace(to_opendrive=lambda: "roads")


@pytest.fixture
def told():
    """What the agent was given: (tag, data, frame)."""
    return []


@pytest.fixture
def suite(told):
    interface = SimpleNamespace(
        register_sensor=lambda *_: None, update_sensor=lambda tag, data, frame: told.append((tag, data, frame))
    )
    world = SimpleNamespace(get_blueprint_library=lambda: None)
    return SensorSuite(world, None, interface)


@pytest.mark.parametrize(
    ("velocity", "speed"), [((0.0, 5.0, 0.0), 5.0), ((0.0, -5.0, 0.0), -5.0), ((7.0, 0.0, 0.0), 0.0)]
)
def test_the_speedometer_shows_what_is_driven_ahead(suite, told, velocity, speed):
    suite.mount([{"type": "sensor.speedometer", "id": "speed"}])
    suite.tick(9, State(carla.Location(), carla.Rotation(yaw=90.0), carla.Vector3D(*velocity), 0.0), MAP, 0.05)
    ((tag, data, frame),) = told
    assert (tag, frame) == ("speed", 9)
    assert data["speed"] == pytest.approx(speed, abs=1e-5)


def test_uphill_the_speed_is_along_the_hill(suite, told):
    suite.mount([{"type": "sensor.speedometer", "id": "speed"}])
    velocity = carla.Vector3D(4.0 * math.cos(0.5), 0.0, 4.0 * math.sin(0.5))
    suite.tick(9, State(carla.Location(), carla.Rotation(pitch=math.degrees(0.5)), velocity, 4.0), MAP, 0.05)
    assert told[0][1]["speed"] == pytest.approx(4.0, abs=1e-5)


def test_the_map_comes_as_often_as_it_is_asked_for(suite, told):
    suite.mount([{"type": "sensor.opendrive_map", "id": "map", "reading_frequency": 2.0}])
    for frame in range(25):
        suite.tick(frame, State(carla.Location(), carla.Rotation(), carla.Vector3D(), 0.0), MAP, 0.05)
    assert told == [("map", {"opendrive": "roads"}, frame) for frame in (0, 10, 20)]


def test_steps_that_the_agent_has_written_itself_are_left_alone(tmp_path):
    write_steps(tmp_path / "none", [])
    assert not (tmp_path / "none").exists()
    for text in ("ours", "later"):
        write_steps(tmp_path / "saved", [{"acceleration": [1.0, 0.0, 0.0], "of": text}])
    assert json.loads((tmp_path / "saved" / NAME).read_text())["0"]["of"] == "ours"


def test_a_town_without_a_reference_lies_where_the_leaderboard_puts_it():
    assert reference_of("<OpenDRIVE><header/></OpenDRIVE>") == (42.0, 2.0)
    assert reference_of("+proj=tmerc +lat_0=-4.9e+1 +lon_0=8") == (-49.0, 8.0)
