"""A stream of bytes taken apart into MessagePack-RPC messages, with bounds on what one connection can make us hold.

A message is first framed without building any object, and read only when it is whole: objects take up to 64 times the
bytes that they came in, a string about as many. Hence a message may be long, but only its strings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgpack

from bestrand_drive.errors import BestrandError

LARGEST_MESSAGE = 1 << 27
"""Bytes of one message: the OpenDRIVE text of CARLA's largest towns fits in."""
LARGEST_STRUCTURE = 1 << 22
"""Bytes of a message beside its top-level strings: a batch of ten thousand commands fits in."""
LARGEST_ARRAY = 1 << 20
_LARGEST_HEAD = 1 << 10
_MOST_PARAMETERS = 64
_SLACK = 1 << 20
_BEGINNINGS = (b"\x93", b"\x94")
"""First bytes of arrays of three and four, as clients pack them."""
_STRINGS = frozenset([*range(0xA0, 0xC0), 0xC4, 0xC5, 0xC6, 0xD9, 0xDA, 0xDB])
"""First bytes of MessagePack's str and bin."""
_LIMITS: dict[str, Any] = {
    "raw": False,
    "strict_map_key": False,
    "unicode_errors": "surrogateescape",
    "max_array_len": LARGEST_ARRAY,
    "max_map_len": LARGEST_ARRAY,
    "max_ext_len": 0,
}


class Malformed(Exception):
    """What arrived is no message of the protocol."""


class TooLarge(BestrandError):
    """A call whose arguments are not read."""


class Request(NamedTuple):
    """One call.

    Attributes:
        number: Id for the response; none for a notification.
        name: Of the call.
        parameters: The metadata, then the arguments; an error instead if they are too large to be read.
    """

    number: int | None
    name: str
    parameters: list[Any] | TooLarge


class Messages:
    """The messages of one connection, none longer than ``largest_bytes``."""

    def __init__(self, largest_bytes: int = LARGEST_MESSAGE) -> None:
        self._largest_bytes = largest_bytes
        self._restart(b"")

    def _restart(self, rest: bytes) -> None:
        """Begin with nothing but ``rest``; the framer keeps a buffer as large as the longest message that it saw."""
        self._framer = msgpack.Unpacker(read_size=1 << 12, max_buffer_size=self._largest_bytes + _SLACK)
        self._framer.feed(rest)
        self._held = bytearray(rest)
        self._framed = 0

    @property
    def held(self) -> int:
        """Bytes that are waiting here."""
        return len(self._held)

    def feed(self, data: bytes) -> None:
        """Bytes arrived.

        Raises:
            Malformed: More than may wait.
        """
        try:
            self._framer.feed(data)
        except msgpack.BufferFull as error:
            raise Malformed("a message that is too long") from error
        self._held += data

    def take(self) -> Request | None:
        """The next message, or none while it is not whole.

        Raises:
            Malformed: The bytes are no such message, or one is larger than any that a client sends.
        """
        if not self._held:
            return None
        try:
            self._framer.skip()
        except msgpack.OutOfData:
            self._check_rest()
            return None
        except Exception as error:  # msgpack raises a dozen kinds, from ValueError to RecursionError
            raise Malformed(str(error)) from error
        return _request(self._cut())

    def _check_rest(self) -> None:
        """What is not whole yet must begin like a message and not be too long already."""
        if self._held[:1] not in _BEGINNINGS:
            raise Malformed("neither a request nor a notification")
        if len(self._held) > self._largest_bytes:
            raise Malformed("a message that is too long")

    def _cut(self) -> bytes | bytearray:
        """Take the bytes of the message that was framed."""
        length = self._framer.tell() - self._framed
        self._framed += length
        if length < _SLACK:
            message = bytes(memoryview(self._held)[:length])
            del self._held[:length]
            return message
        whole = self._held
        self._restart(bytes(memoryview(whole)[length:]))
        del whole[length:]
        return whole


def _read(part: bytes | bytearray) -> Any:  # noqa: ANN401  whatever arrived
    """One object."""
    return msgpack.unpackb(part, **_LIMITS)


def _request(message: bytes | bytearray) -> Request:
    """A message taken apart."""
    try:
        small = len(message) <= LARGEST_STRUCTURE
        parts = _read(message) if small else _parts_of_large(message)
    except Exception as error:
        raise Malformed(str(error)) from error
    match parts:
        case [0, int(number), str(name), [*parameters]] if 0 <= number < 1 << 32:
            return Request(number, name, parameters)
        case [2, str(name), [*parameters]]:
            return Request(None, name, parameters)
        case [0, int(number), str(name), TooLarge() as fault] if 0 <= number < 1 << 32:
            return Request(number, name, fault)
        case [2, str(name), TooLarge() as fault]:
            return Request(None, name, fault)
    raise Malformed("neither a request nor a notification")


def _parts_of_large(message: bytes | bytearray) -> list[Any]:
    """A long message: read one by one, unless it is more than the strings among its arguments that is long."""
    walk = msgpack.Unpacker(max_buffer_size=len(message))
    walk.feed(message)
    head = [_read(_next(walk, message, _LARGEST_HEAD)) for _ in range(_count(walk, 4) - 1)]
    parameters, room = [], LARGEST_STRUCTURE
    for _ in range(_count(walk, _MOST_PARAMETERS)):
        part = _next(walk, message)
        if part[0] not in _STRINGS:
            room -= len(part)
        if room < 0:
            return [*head, TooLarge(f"{head[-1]}: {len(message)} bytes of arguments are more than this server reads")]
        parameters.append(_read(part))
    return [*head, parameters]


def _count(walk: msgpack.Unpacker, most: int) -> int:
    """Number of elements of the array that begins here."""
    count: int = walk.read_array_header()
    if not 0 < count <= most:
        raise Malformed(f"an array of {count}")
    return count


def _next(walk: msgpack.Unpacker, message: bytes | bytearray, most: int = LARGEST_MESSAGE) -> bytes | bytearray:
    """The next object, not yet read."""
    start = walk.tell()
    walk.skip()
    if walk.tell() - start > most:
        raise Malformed("a call with an endless name")
    return message[start : walk.tell()]
