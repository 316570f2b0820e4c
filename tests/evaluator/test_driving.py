"""Routes of the real towns, driven through a headless server by a leaderboard agent."""

from __future__ import annotations

import json
import math

import pytest

from bestrand_drive.benchmarks.comfort import ComfortFiles
from bestrand_drive.benchmarks.penalties import check_evaluator
from bestrand_drive.benchmarks.records import read_results
from bestrand_drive.simulation.attempts.outcome import Ending, judge
from bestrand_drive.simulation.attempts.reasons import Reason
from bestrand_drive.simulation.heartbeat import read_beat
from tests.headless.client.clients import ROOT

pytestmark = pytest.mark.client

WALL_CLOCK = ("duration_system", "save_name")
TOWN01, TOWN02 = "24211", "24224"


def lasting(ran):
    """The result without what the wall clock says."""
    document = json.loads(ran.path.read_text())
    for record in document["_checkpoint"]["records"]:
        del record["save_name"], record["meta"]["duration_system"], record["index"]
    return document["_checkpoint"]["records"]


@pytest.fixture(scope="module")
def kept():
    """Results that several tests look at."""
    return {}


@pytest.fixture
def both(server, evaluate, kept):
    """Two routes in one run, driven once however many tests look at them."""
    if "both" not in kept:
        ran = evaluate(server, TOWN01, TOWN02)
        kept["both"] = ran, lasting(ran)
    return kept["both"]


def test_two_routes_end_to_end(both):
    ran, _ = both
    assert ran.code == 0, ran.errors
    found = read_results(ran.path, name="ours", benchmark="bench2drive")
    assert check_evaluator(found, "bench2drive") is None
    assert [one.route_id for one in found.records] == [TOWN01, TOWN02]
    assert [one.route_completion for one in found.records] == [100.0, 100.0]
    assert all(one.status in ("Perfect", "Completed") for one in found.records)
    assert ran.document["entry_status"] == "Finished"
    assert ran.document["sensors"] == ["carla_speedometer"]
    for record in ran.records:
        assert record["meta"]["duration_game"] == pytest.approx(134.0 / 8.0, rel=0.6)
        assert record["save_name"].startswith(f"{record['route_id']}_{record['town_name']}_{record['scenario_name']}_")
        assert record["weather_id"] is None
        speeds = record["infractions"]["min_speed_infractions"]
        assert len(speeds) in (20, 21)
        assert speeds[-1] == speeds[-2]


def test_a_route_is_the_same_alone_and_after_another_and_on_another_server(server, serve, evaluate, both, tmp_path):
    with serve(tmp_path) as fresh:
        alone = lasting(evaluate(fresh, TOWN02))
    again = lasting(evaluate(server, TOWN02))
    assert alone == again == both[1][1:]


def test_another_seed_is_another_traffic(server, evaluate, both):
    assert lasting(evaluate(server, TOWN02, flags=("--traffic-manager-seed", "1"))) != both[1][1:]


def test_an_agent_that_crashes_while_driving(server, evaluate):
    ran = evaluate(server, TOWN01, TOWN02, config={"crash_at": 60})
    assert ran.code == 0
    assert [one["status"] for one in ran.records] == ["Failed - Agent crashed"] * 2
    assert [one["meta"]["duration_game"] for one in ran.records] == [3.0, 3.0]
    assert "lost" in ran.errors


@pytest.mark.parametrize("steer", ["nan", "-inf"])
def test_a_control_that_is_no_number_is_the_agents_crash(server, evaluate, steer):
    ran = evaluate(server, TOWN01, config={"steer": steer})
    (record,) = ran.records
    assert (ran.code, record["status"]) == (0, "Failed - Agent crashed")
    assert record["meta"]["duration_game"] == 2.0
    assert f"the agent's control is no number: throttle 0.0, steer {steer}, brake 0.0" in ran.errors


@pytest.mark.parametrize(
    ("config", "status", "reason"),
    [
        ({"setup": False}, "Failed - Agent couldn't be set up", Reason.SETUP_FAILED),
        (
            {"sensors": [{"type": "sensor.other.collision", "id": "x"}]},
            "Failed - Agent's sensors were invalid",
            Reason.SENSORS_INVALID,
        ),
        (
            {"sensors": [{"type": "sensor.camera.rgb", "id": "front"}]},
            "Failed - Agent's sensors were invalid",
            Reason.SENSORS_INVALID,
        ),
        ({"sensors": ["camera"]}, "Failed - Agent couldn't be set up", Reason.SETUP_FAILED),
    ],
)
def test_an_agent_that_cannot_be_set_up_ends_the_run(server, evaluate, config, status, reason):
    ran = evaluate(server, TOWN01, TOWN02, config=config)
    assert ran.code == 255
    assert [one["status"] for one in ran.records] == [status]
    judged = judge(ran.path.read_bytes(), Ending(exit_code=255), route_id=TOWN01, benchmark="bench2drive")
    assert judged.reason is reason


def test_a_server_that_is_gone_is_the_simulations_fault(serve, evaluate, tmp_path):
    """The agent is asking for the world when it goes: what the agent raises then is not its own."""
    with pytest.raises(AssertionError, match="the server is gone"), serve(tmp_path) as doomed:
        ran = evaluate(doomed, TOWN01, TOWN02, config={"kill": doomed.process.pid}, timeout_s=3.0)
    assert ran.code == 255
    assert [one["status"] for one in ran.records] == ["Failed - Simulation crashed"]
    judged = judge(ran.path.read_bytes(), Ending(exit_code=255), route_id=TOWN01, benchmark="bench2drive")
    assert judged.reason is Reason.SIMULATION_CRASH
    assert ran.document["entry_status"] == "Crashed"


@pytest.mark.parametrize("other", ["remove", "load"])
def test_what_another_client_does_is_not_the_policys_score(server, evaluate, other):
    """A lost ego stands at the origin for whoever asks: the policy would be said to have left its route."""
    ran = evaluate(server, TOWN01, TOWN02, config={"other": other, "port": server.port}, timeout_s=20.0)
    assert ran.code == 255
    assert [one["status"] for one in ran.records] == ["Failed - Simulation crashed"]
    assert "Another client may use this server" in ran.errors
    assert "Defect of the evaluator" not in ran.errors
    judged = judge(ran.path.read_bytes(), Ending(exit_code=255), route_id=TOWN01, benchmark="bench2drive")
    assert judged.reason is Reason.SIMULATION_CRASH


def test_an_agent_that_does_not_move_is_blocked_after_a_minute(server, evaluate):
    record = evaluate(server, "24781", config={"speed": 0.0}, flags=("--background", "0")).records[0]
    assert record["status"] == "Failed - Agent got blocked"
    assert record["meta"]["duration_game"] == pytest.approx(60.0, abs=3.0)
    assert record["scores"]["score_route"] < 5.0


def test_what_comfort_needs_and_where_the_hooks_look(server, evaluate, tmp_path):
    hooks = ROOT / "bestrand_drive" / "simulation" / "hooks"
    environment = {
        "SAVE_PATH": str(tmp_path / "saved"),
        "PYTHONPATH": f"{hooks}:{ROOT}",
        "BESTRAND_HEARTBEAT": str(tmp_path / "beat"),
    }
    ran = evaluate(server, TOWN01, environment=environment)
    assert ran.code == 0, ran.errors
    record = ran.records[0]
    comfort, why = ComfortFiles.find(tmp_path / "saved", None).percent(record["save_name"])
    assert why == ""
    assert math.isfinite(comfort)
    steps = json.loads((tmp_path / "saved" / record["save_name"] / "metric_info.json").read_text())
    assert len(steps) == round(record["meta"]["duration_game"] / 0.05)
    beat = read_beat(tmp_path / "beat")
    assert beat.ticks >= len(steps)
    assert "hooks" not in ran.errors


def test_an_empty_save_path_is_none(server, evaluate):
    """Else the steps would go to whatever folder the evaluator was started in."""
    ran = evaluate(server, TOWN01, config={"crash_at": 10}, environment={"SAVE_PATH": ""})
    assert [one["status"] for one in ran.records] == ["Failed - Agent crashed"]
    assert list(ran.path.parent.rglob("metric_info.json")) == []


def test_sensors_send_every_tick(server, evaluate):
    sensors = [
        {"type": "sensor.other.gnss", "id": "gps", "x": 0, "y": 0, "z": 0},
        {"type": "sensor.other.imu", "id": "imu", "x": 0, "y": 0, "z": 0, "roll": 0, "pitch": 0, "yaw": 0},
        {"type": "sensor.speedometer", "id": "speed"},
    ]
    ran = evaluate(server, TOWN01, config={"sensors": sensors})
    assert ran.records[0]["scores"]["score_route"] == 100.0
    assert ran.document["sensors"] == ["carla_gnss", "carla_imu", "carla_speedometer"]


def test_a_town_that_the_server_does_not_have_and_a_subset_that_is_not_there(server, evaluate):
    missing = evaluate(server, TOWN01, "1711")
    assert (missing.code, missing.records) == (4, []), "said before anything is driven"
    (said,) = (line for line in missing.errors.splitlines() if "Town12" in line)
    assert said.startswith("there is no town 'Town12' (route 1711): neither the server nor ")
    assert evaluate(server, "1").code == 2
