"""Names of streams: everyone who asks for the episode is told another one of the world's stream."""

import struct

import pytest

from bestrand_drive.headless.wire.tokens import WORLD_STREAM, plain_stream, world_alias
from tests.headless.fakes import serving


@pytest.mark.parametrize("number", [0, 1, 77, (1 << 31) - 1, 1 << 31, 1 << 40])
def test_an_alias_is_the_worlds_and_fits_in_32_bits(number):
    assert WORLD_STREAM < world_alias(number) < 1 << 32
    assert plain_stream(world_alias(number)) == WORLD_STREAM


def test_aliases_differ_and_other_streams_keep_their_names():
    assert len({world_alias(number) for number in range(1000)}) == 1000
    assert [plain_stream(stream) for stream in (1, 2, 3, 1000)] == [1, 2, 3, 1000]


def test_a_client_that_asks_twice_can_hold_both_streams():
    with serving() as running:
        client = running.client()
        tokens = [client.call("get_episode_info")[0][1][1][0] for _ in range(2)]
        names = [struct.unpack_from("<I", token)[0] for token in tokens]
        assert len({*names, WORLD_STREAM}) == 3
        assert [client.call("get_sensor_token", name) for name in names] == [[[1, [token]]] for token in tokens]
        streams = [running.stream(name) for name in names]
        greetings = [stream.receive() for stream in streams]
        frame = client.call("tick_cue")[0][1]
        for stream, greeting in zip(streams, greetings, strict=True):
            (seen,) = struct.unpack_from("<Q", stream.receive(), 8)
            assert seen == frame > struct.unpack_from("<Q", greeting, 8)[0]
