"""The table of versions: what the wheels say, a version that nobody wrote code for, and tables that are wrong."""

import shutil
import struct
from dataclasses import fields

import numpy as np
import pytest
import yaml

from bestrand_drive.errors import UsageError
from bestrand_drive.headless import version_table, versions
from bestrand_drive.headless.blueprints.catalog import load_catalog
from bestrand_drive.headless.records import ACTOR_RECORD
from bestrand_drive.headless.sensors.geo import PROJECTIONS
from bestrand_drive.headless.version_table import ConfigurationError
from bestrand_drive.headless.versions import known_versions, load_version
from bestrand_drive.headless.wire.layouts import actor_rows
from bestrand_drive.headless.world import controls
from bestrand_drive.headless.world.controls import VehicleControl
from bestrand_drive.headless.world.settings import EpisodeSettings, default_weather
from tests.headless.fakes import FakeWorld, Running

SHIPPED = versions.__file__.replace(".py", ".yaml")
MADE_UP = """
9.9.9:
  extends: 0.9.16
  world_observer: 33
  sensor_types: {sensor.other.imu: 55}
  structs:
    VehicleControl: [throttle, steer, brake, hand_brake, {timestamp: 0.0}, reverse, manual_gear_shift, gear]
    BoundingBox: [{kind: box}, location, rotation, extent, actor_id]
    EpisodeSettings: [synchronous_mode, no_rendering_mode, {seasons: [1, 2]}, fixed_delta_seconds, substepping,
      max_substep_delta_time, max_substeps, max_culling_distance, deterministic_ragdolls, tile_stream_distance,
      actor_active_distance, spectator_as_ego]
  packed:
    SensorHeader: [frame, sensor_type, elapsed_s, location, rotation, {relative: 6f4f}]
    ActorState: [id, active, location, rotation, {quaternion: 4f}, velocity, angular_velocity, acceleration, by_kind]
  calls:
    value: brew_coffee
  without_calls: get_telemetry_data
"""


@pytest.fixture
def table(tmp_path):
    """The shipped table, and a version that no code knows."""
    path = tmp_path / "versions.yaml"
    shutil.copy(SHIPPED, path)
    path.write_text(path.read_text() + MADE_UP)
    return path


@pytest.fixture
def made_up(table):
    """A server of a version that only the table knows."""
    running = Running(FakeWorld(), load_version("9.9.9", table))
    yield running
    running.stop()


def test_a_version_of_the_table_is_known_and_the_newest_goes_first(table):
    assert known_versions(table) == ("9.9.9", *known_versions())


def test_versions_differ_where_the_wheels_differ():
    old, new = load_version("0.9.15"), load_version("0.9.16")
    assert (old.world_observer, new.world_observer) == (16, 17)
    assert (old.attribute_type_base, new.attribute_type_base) == (0, 1)
    assert [len(one.structs["SpawnActor"].names) for one in (old, new)] == [4, 6]
    assert [len(one.structs["BoundingBox"].names) for one in (old, new)] == [3, 4]
    assert old.sensor_types["sensor.camera.rgb"] == new.sensor_types["sensor.camera.rgb"] == 13
    assert "get_telemetry_data" not in old.calls
    assert set(old.calls) < set(new.calls)


@pytest.mark.parametrize("name", known_versions())
def test_every_version_numbers_the_sensors_of_the_catalogue_and_no_others(name):
    found = load_version(name)
    sensors = {blueprint.id for blueprint in load_catalog().blueprints if blueprint.id.startswith("sensor.")}
    assert set(found.sensor_types) == sensors
    assert len({*found.sensor_types.values(), found.world_observer}) == len(sensors) + 1
    assert found.geo_projection in PROJECTIONS


def test_the_table_knows_the_fields_of_the_worlds_types():
    types = {
        "VehicleControl": VehicleControl._fields,
        "EpisodeSettings": [field.name for field in fields(EpisodeSettings)],
    }
    for struct_name, kind in (
        ("VehicleAckermannControl", controls.AckermannControl),
        ("AckermannControllerSettings", controls.AckermannSettings),
        ("WalkerControl", controls.WalkerControl),
        ("VehiclePhysicsControl", controls.PhysicsControl),
        ("GearPhysicsControl", controls.Gear),
        ("WheelPhysicsControl", controls.Wheel),
    ):
        types[struct_name] = [field.name for field in fields(kind)]
    assert {name: set(known) for name, known in types.items()} == {
        name: set(version_table.STRUCTS[name].split()) for name in types
    }
    assert len(version_table.WEATHER_FIELDS) == len(default_weather())


def test_an_unknown_version_is_a_usage_error_that_names_the_known_ones(table):
    with pytest.raises(UsageError, match=r"9\.9\.8: not one of 9\.9\.9, 0\.9\.16, 0\.9\.15"):
        load_version("9.9.8", table)


def test_a_made_up_version_announces_itself_and_has_its_calls(made_up):
    client = made_up.client()
    assert client.call("version") == [[1, "9.9.9"]]
    assert "brew_coffee is not emulated" in client.call("brew_coffee", 1)[0][1][0]
    assert made_up.server.dispatcher.unknown == {}
    assert "knows no call 'get_telemetry_data' in CARLA 9.9.9" in client.call("get_telemetry_data", 1)[0][1][0]
    assert made_up.server.dispatcher.unknown == {"get_telemetry_data": 1}


def test_a_made_up_version_reads_and_writes_its_own_fields(made_up):
    client = made_up.client()
    client.call("apply_control_to_vehicle", 1, [0.5, 0.25, 0.0, True, 77.5, True, False, 3])
    assert made_up.world.asked == [("apply_vehicle_control", 1, VehicleControl(0.5, 0.25, 0.0, True, True, False, 3))]
    box = client.call("get_actor_bounding_box", 1)[0][1]
    assert box == ["box", [0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [2.0, 1.0, 0.5], 1]
    settings = [True, False, [9, 9], [True, 0.1], True, 0.01, 10, 0.0, True, 3000.0, 2000.0, False]
    client.call("set_episode_settings", settings)
    assert made_up.world.settings == EpisodeSettings(True, fixed_delta_seconds=0.1, spectator_as_ego=False)
    settings[2] = [1, 2]
    assert client.call("get_episode_settings") == [[1, settings]]


def test_a_made_up_version_has_its_own_headers(made_up):
    made_up.world.snapshot_rows = lambda: np.zeros(1, ACTOR_RECORD)
    payload = made_up.stream().receive()
    head = struct.Struct("<QQd6f40x")
    frame, observer, _, *pose = head.unpack_from(payload)
    assert (frame, observer, pose) == (7, 33, [0.0] * 6)
    assert struct.unpack_from("<Q", payload, head.size) == (1,)
    assert len(payload) == head.size + 36 + 119 + 16


def test_rows_of_another_order_hold_the_same_values(table):
    rows = np.zeros(2, ACTOR_RECORD)
    rows["id"], rows["active"], rows["state"] = [3, 4], 1, np.arange(30).reshape(2, 15)
    rows["vehicle"]["gear"] = [5, -1]
    plain, other = (actor_rows(load_version(name, table))(rows) for name in ("0.9.16", "9.9.9"))
    assert plain == rows.tobytes()
    for row in range(2):
        old, new = plain[119 * row :][:119], other[135 * row :][:135]
        assert new == old[:29] + bytes(16) + old[29:]


WRONG = {
    "an unknown key": ("9.9.9: {extends: 0.9.16, world_obsever: 3}", "version 9.9.9: unknown key world_obsever"),
    "a whole block that lacks keys": ("9.9.9: {world_observer: 3}", "missing key attribute_type_base, calls"),
    "taking calls away from nothing": ("9.9.9: {without_calls: version}", "unknown key without_calls"),
    "extending itself": ("9.9.9: {extends: 9.9.9}", "extends '9.9.9', which is no version above it"),
    "extending a list": ("9.9.9: {extends: [0.9.16]}", "no version above it"),
    "no block": ("9.9.9: 5", "the block must map names to values"),
    "no text as a name": ("9.9: {extends: 0.9.16}", "in quotes if it looks like a number"),
    "a number in words": ("9.9.9: {extends: 0.9.16, world_observer: two}", "world_observer must be a whole number"),
    "another projection": ("9.9.9: {extends: 0.9.16, geo_projection: flat}", "mercator or transverse_mercator"),
    "a sensor without a number": ("9.9.9: {extends: 0.9.16, sensor_types: {sensor.a: b}}", "sensor_types: sensor.a"),
    "an unknown struct": ("9.9.9: {extends: 0.9.16, structs: {Walker: [a]}}", "unknown structs: Walker"),
    "a missing field": ("9.9.9: {extends: 0.9.16, structs: {WalkerControl: [direction, speed]}}",
                        "missing field of structs: WalkerControl: jump"),
    "an unknown field without a value": (
        "9.9.9: {extends: 0.9.16, structs: {WalkerControl: [direction, speed, jump, height]}}",
        "unknown field of structs: WalkerControl: height"),
    "a known field with a value": (
        "9.9.9: {extends: 0.9.16, structs: {WalkerControl: [direction, speed, jump, {speed: 1}]}}", "twice"),
    "an optional field with a value": (
        "9.9.9: {extends: 0.9.16, structs: {BoundingBox: [location, extent, rotation, {actor_id: 1}]}}",
        "actor_id is known to the server"),
    "a field twice": ("9.9.9: {extends: 0.9.16, structs: {WalkerControl: [direction, speed, jump, jump]}}", "twice"),
    "a field of two names": (
        "9.9.9: {extends: 0.9.16, structs: {WalkerControl: [direction, speed, jump, {a: 1, b: 2}]}}",
        "is a name, or {name: what is sent in its place}"),
    "fields that are no list": ("9.9.9: {extends: 0.9.16, structs: {WalkerControl: speed}}", "must be a list"),
    "no format": (
        "9.9.9: {extends: 0.9.16, packed: {SensorHeader: [sensor_type, frame, elapsed_s, location, rotation, {x: 0}]}}",
        "0 is no format"),
    "calls of an unknown shape": ("9.9.9: {extends: 0.9.16, calls: {maybe: a}}", "unknown calls: maybe"),
    "a call that is there": ("9.9.9: {extends: 0.9.16, calls: {value: version}}", "call version stands there twice"),
    "a call in a list": ("9.9.9: {extends: 0.9.16, calls: {value: [a]}}", "names divided by spaces"),
    "taking away what is not there": ("9.9.9: {extends: 0.9.16, without_calls: brew}", "unknown without_calls: brew"),
    "no YAML": ("9.9.9: {", "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_table_that_is_wrong_is_refused_with_its_place(tmp_path, name):
    text, said = WRONG[name]
    path = tmp_path / "versions.yaml"
    with open(SHIPPED) as shipped:
        path.write_text(shipped.read() + "\n" + text + "\n")
    with pytest.raises(ConfigurationError) as caught:
        load_version("0.9.16", path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_table_that_is_absent_or_empty_is_refused(tmp_path):
    for path in (tmp_path / "none.yaml", tmp_path / "empty.yaml"):
        (tmp_path / "empty.yaml").touch()
        with pytest.raises(ConfigurationError, match=path.name):
            load_version("0.9.16", path)


def test_a_block_may_be_whole(tmp_path):
    with open(SHIPPED) as shipped:
        whole = yaml.safe_load(shipped)["0.9.15"]
    path = tmp_path / "versions.yaml"
    path.write_text(yaml.safe_dump({"0.9.15": whole}))
    assert load_version("0.9.15", path) == load_version("0.9.15")
