"""Byte layouts against the struct formats that were read out of the official wheels."""

import struct

import pytest

from bestrand_drive.headless.versions import Answer, known_versions, load_version
from bestrand_drive.headless.wire import layouts
from bestrand_drive.headless.wire.responses import answer_error, answer_value
from bestrand_drive.headless.wire.tokens import pack_token

EVERY = pytest.mark.parametrize("version", known_versions())


@EVERY
def test_sensor_header_field_by_field(version):
    headers = layouts.Headers(load_version(version))
    packed = headers.sensor(11, 70_000_000_000, 1.25, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert struct.unpack("<QQd6f", packed) == (11, 70_000_000_000, 1.25, 1, 2, 3, 4, 5, 6)


@EVERY
def test_snapshot_header_field_by_field_and_without_a_clock(version):
    block = load_version(version)
    headers = layouts.Headers(block)
    packed = headers.snapshot(9, 0.5, 3, 0.05, layouts.MAP_CHANGED)
    assert len(packed) == 48 + 36
    assert struct.unpack_from("<QQd", packed) == (block.world_observer, 9, 0.5)
    episode, platform_s, step_s, x, y, z, state = struct.unpack_from("<Qdf3iI", packed, 48)
    assert (episode, platform_s, x, y, z, state) == (3, 0.5, 0, 0, 0, 1)
    assert step_s == pytest.approx(0.05)
    assert packed == headers.snapshot(9, 0.5, 3, 0.05, layouts.MAP_CHANGED)


def test_token_is_24_bytes_without_an_address():
    token = pack_token(258, 2001)
    assert token == bytes([2, 1, 0, 0]) + struct.pack("<H", 2001) + bytes([1, 0]) + bytes(16)


@pytest.mark.parametrize(
    ("shape", "good", "bad"),
    [
        (Answer.VALUE, [[1, 5]], [[0, ["no"]]]),
        (Answer.VOID, [[False]], [[True, ["no"]]]),
        (Answer.LIST, 5, [[[0, ["no"]]]]),
        (None, [[1, 5]], [[0, ["no"]]]),
    ],
)
def test_response_shapes(shape, good, bad):
    assert answer_value(shape, 5) == good
    assert answer_error(shape, "no") == bad
