"""Byte layouts against the struct formats that were read out of the official wheels."""

import struct

import pytest

from bestrand_drive.headless.versions import Answer, known_versions, load_version
from bestrand_drive.headless.wire import layouts
from bestrand_drive.headless.wire.responses import answer_error, answer_value
from bestrand_drive.headless.wire.tokens import pack_token


@pytest.mark.parametrize(
    ("name", "size"),
    [("SENSOR_HEADER", 48), ("EPISODE_HEADER", 36), ("ACTOR_STATE", 119), ("VEHICLE_STATE", 30), ("LIGHT_STATE", 54),
     ("SIGN_STATE", 32), ("WALKER_STATE", 17)],
)  # fmt: skip
def test_sizes(name, size):
    assert getattr(layouts, name).size == size


def test_every_union_fits_into_an_actor_row():
    unions = (layouts.VEHICLE_STATE, layouts.LIGHT_STATE, layouts.SIGN_STATE, layouts.WALKER_STATE)
    assert max(union.size for union in unions) == 54


def test_sensor_header_field_by_field():
    packed = layouts.sensor_header(11, 70_000_000_000, 1.25, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert struct.unpack("<QQd6f", packed) == (11, 70_000_000_000, 1.25, 1, 2, 3, 4, 5, 6)


def test_snapshot_header_field_by_field_and_without_a_clock():
    packed = layouts.snapshot_header(17, 9, 0.5, 3, 0.05, layouts.MAP_CHANGED)
    assert len(packed) == 48 + 36
    assert struct.unpack_from("<QQd", packed) == (17, 9, 0.5)
    episode, platform_s, step_s, x, y, z, state = struct.unpack_from("<Qdf3iI", packed, 48)
    assert (episode, platform_s, x, y, z, state) == (3, 0.5, 0, 0, 0, 1)
    assert step_s == pytest.approx(0.05)
    assert packed == layouts.snapshot_header(17, 9, 0.5, 3, 0.05, layouts.MAP_CHANGED)


def test_token_is_24_bytes_without_an_address():
    token = pack_token(258, 2001)
    assert token == bytes([2, 1, 0, 0]) + struct.pack("<H", 2001) + bytes([1, 0]) + bytes(16)


@pytest.mark.parametrize(
    ("shape", "good", "bad"),
    [
        (Answer.VALUE, [[1, 5]], [[0, ["no"]]]),
        (Answer.VOID, [[False]], [[True, ["no"]]]),
        (Answer.LIST, 5, [[0, ["no"]]]),
        (None, [[1, 5]], [[0, ["no"]]]),
    ],
)
def test_response_shapes(shape, good, bad):
    assert answer_value(shape, 5) == good
    assert answer_error(shape, "no") == bad


def test_versions_differ_where_the_wheels_differ():
    old, new = load_version("0.9.15"), load_version("0.9.16")
    assert known_versions() == ("0.9.16", "0.9.15")
    assert (old.world_observer, new.world_observer) == (16, 17)
    assert (old.attribute_type_base, new.attribute_type_base) == (0, 1)
    assert (len(old.spawn_command), len(new.spawn_command)) == (4, 6)
    assert (len(old.bounding_box), len(new.bounding_box)) == (3, 4)
    assert old.sensor_types["sensor.camera.rgb"] == new.sensor_types["sensor.camera.rgb"] == 13
    assert "sensor.other.v2x" not in old.sensor_types
    assert "get_telemetry_data" not in old.rpcs
    assert set(old.rpcs) < set(new.rpcs)
