"""Framing and reading of messages: pieces, limits, and what one message may cost."""

import contextlib
import tracemalloc

import msgpack
import pytest

from bestrand_drive.headless.wire import messages as module
from bestrand_drive.headless.wire.messages import LARGEST_ARRAY, LARGEST_STRUCTURE, Malformed, Messages, TooLarge
from tests.headless.wire.test_connections import MALFORMED, REQUEST


def taken(messages, data):
    """Every message that is whole after more bytes."""
    messages.feed(data)
    found = []
    while (request := messages.take()) is not None:
        found.append(request)
    return found


@pytest.mark.parametrize("name", MALFORMED)
def test_there_is_one_kind_of_error(name):
    with pytest.raises(Malformed):
        taken(Messages(), MALFORMED[name])


def test_a_request_may_arrive_byte_by_byte_and_several_in_one_piece():
    messages = Messages()
    found = [one for byte in REQUEST for one in taken(messages, bytes([byte]))]
    assert found == [(1, "version", [[False]])]
    assert len(taken(messages, REQUEST * 3 + REQUEST[:5])) == 3
    assert messages.held == 5
    assert len(taken(messages, REQUEST[5:])) == 1
    assert messages.held == 0


@pytest.mark.parametrize("text", ["<OpenDRIVE/>" * 700_000, "ü€" * 1_500_000])
def test_a_long_string_is_read_whole_and_what_follows_too(text):
    messages = Messages()
    long = msgpack.packb([0, 2, "copy_opendrive_to_file", [[False], text, [2.0, 50.0]]])
    assert len(long) > LARGEST_STRUCTURE
    found = taken(messages, REQUEST + long + REQUEST)
    assert [one.name for one in found] == ["version", "copy_opendrive_to_file", "version"]
    assert found[1].parameters == [[False], text, [2.0, 50.0]]
    assert taken(messages, REQUEST * 2) == [(1, "version", [[False]])] * 2


def test_a_long_structure_is_not_read_and_its_call_can_still_be_answered():
    lists = [[]] * LARGEST_ARRAY
    long = msgpack.packb([0, 7, "apply_batch", [[False], [lists] * 5, False]])
    (found,) = taken(Messages(), long)
    assert found[:2] == (7, "apply_batch")
    assert isinstance(found.parameters, TooLarge)
    assert "apply_batch" in str(found.parameters)
    (told,) = taken(Messages(), msgpack.packb([2, "apply_batch", [[False], [lists] * 5, False]]))
    assert told[:2] == (None, "apply_batch")


def test_a_message_costs_little_more_than_its_bytes_while_it_is_not_whole():
    messages = Messages()
    tracemalloc.start()
    try:
        beginning = b"\x94\x00\x01\xa1x\xdd\xff\xff\xff\xff"
        assert taken(messages, beginning) == []
        for _ in range(32):
            assert taken(messages, b"\x90" * (1 << 18)) == []  # 8 MiB that would make 536 MB of lists
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "beginning",
    [
        b"\x94\x00\x01\xdb\xff\xff\xff\xff",
        b"\x94\x00\x01\xa1x\xdd\xff\xff\xff\xff",
        b"\x94\x00\x01\xa1x\xdf\xff\xff\xff\xff",
        b"\x94\x00\x01\xa1x\xc6\xff\xff\xff\xff",
    ],
)
def test_a_message_that_never_ends_is_malformed_once_it_is_too_long(beginning):
    messages = Messages(largest_bytes=1 << 20)
    assert taken(messages, beginning) == []
    pieces = 0
    with contextlib.suppress(Malformed):
        for pieces in range(100):  # noqa: B007  the last one is counted
            taken(messages, bytes(1 << 18))
    assert 3 <= pieces <= 8


@pytest.mark.parametrize(
    "message",
    [
        msgpack.packb([0, 1, "x" * (LARGEST_STRUCTURE + 1), [[False]]]),
        msgpack.packb([0, "y" * (LARGEST_STRUCTURE + 1), "version", [[False]]]),
        msgpack.packb([0, 1, "version", "z" * (LARGEST_STRUCTURE + 1)]),
        msgpack.packb([0, 1, "version", [[False], *[1] * 64, "z" * (LARGEST_STRUCTURE + 1)]]),
        msgpack.packb([0, 1, "version", [b"\xff" * 10, "z" * LARGEST_STRUCTURE, {"a": msgpack.ExtType(1, b"x")}]]),
        msgpack.packb([5, 1, "version", [[False], "z" * (LARGEST_STRUCTURE + 1)]]),
        msgpack.packb([0, -1, "version", [[False], "z" * (LARGEST_STRUCTURE + 1)]]),
        msgpack.packb([0, 1, [], [[False], "z" * (LARGEST_STRUCTURE + 1)]]),
    ],
)
def test_long_messages_of_another_form_are_malformed(message):
    with pytest.raises(Malformed):
        taken(Messages(), message)


def test_both_ways_of_reading_agree(monkeypatch):
    message = msgpack.packb([0, 9, "apply_batch", [[False], [[[1, [5]]]], True, "text", b"\x00\xff", {"a": 1.5}, None]])
    (usual,) = taken(Messages(), message)
    monkeypatch.setattr(module, "LARGEST_STRUCTURE", len(message) - 1)
    (piecewise,) = taken(Messages(), message)
    assert piecewise == usual
    assert usual.parameters[1:] == [[[[1, [5]]]], True, "text", b"\x00\xff", {"a": 1.5}, None]
