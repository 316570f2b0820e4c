"""MessagePack-RPC as rpclib speaks it: concatenated objects on one TCP connection, no framing.

Request ``[0, id, name, [metadata, argument...]]``, notification ``[2, name, [metadata, argument...]]``, response
``[1, id, nil, result]``. Application errors travel in the result, so the error slot stays nil.
"""

from __future__ import annotations

import selectors
import socket
from collections.abc import Iterator
from typing import Any, Protocol

import msgpack

from bestrand_drive.headless.wire.backlog import Backlog
from bestrand_drive.headless.wire.sockets import Peer

_RESPONSE = 1
_LARGEST_MESSAGE = 1 << 28
_LARGEST_ARRAY = 1 << 20
_LARGEST_BACKLOG = 1 << 28

Message = tuple[int | None, str, list[Any]]
"""Id (none for a notification), name, and parameters with the metadata in front."""


class Malformed(Exception):
    """What arrived is no message of the protocol."""


class Messages:
    """Takes a stream of bytes apart into messages, none longer than ``largest_bytes``."""

    def __init__(self, largest_bytes: int = _LARGEST_MESSAGE) -> None:
        self._unpacker = msgpack.Unpacker(
            raw=False,
            strict_map_key=False,
            unicode_errors="surrogateescape",
            max_buffer_size=largest_bytes,
            max_array_len=_LARGEST_ARRAY,
            max_map_len=_LARGEST_ARRAY,
            max_ext_len=0,
        )

    def feed(self, data: bytes) -> Iterator[Message]:
        """Every message that is complete now.

        Raises:
            Malformed: The bytes are no such message, or one is larger than any that a client sends.
        """
        try:
            self._unpacker.feed(data)
            for message in self._unpacker:
                yield _parts(message)
        except Malformed:
            raise
        except Exception as error:  # msgpack raises a dozen kinds, from ValueError to RecursionError
            raise Malformed(str(error)) from error


def _parts(message: Any) -> Message:  # noqa: ANN401  whatever arrived
    """Id, name and parameters of one message."""
    match message:
        case [0, int(number), str(name), [*parameters]] if 0 <= number < 1 << 32:
            return number, name, parameters
        case [2, str(name), [*parameters]]:
            return None, name, parameters
    raise Malformed("neither a request nor a notification")


class Calls(Protocol):
    """What answers the calls of all connections."""

    def call(self, caller: int, name: str, arguments: list[Any]) -> Any:  # noqa: ANN401  any result
        """The result of one call in its wire shape, errors included."""

    def unsendable(self, name: str, error: Exception) -> Any:  # noqa: ANN401
        """What to answer when the result of a call does not fit into MessagePack."""

    def hung_up(self, caller: int) -> None:
        """Connection ``caller`` is gone."""


class RpcPeer(Peer):
    """One client's connection for remote calls; what is malformed drops this connection only."""

    def __init__(
        self,
        connection: socket.socket,
        selector: selectors.BaseSelector,
        backlog: Backlog,
        calls: Calls,
        number: int,
    ) -> None:
        super().__init__(connection, selector, backlog, _LARGEST_BACKLOG)
        self._messages = Messages()
        self._packer = msgpack.Packer(use_bin_type=True, unicode_errors="surrogateescape")
        self._calls = calls
        self._number = number

    def received(self, data: bytes) -> None:
        """Answer every call that is complete now, in order."""
        try:
            for number, name, parameters in self._messages.feed(data):
                result = self._calls.call(self._number, name, parameters[1:])
                if number is not None:
                    self.send(self._response(number, name, result))
                if self.closed:
                    return
        except Malformed:
            self.close()

    def _response(self, number: int, name: str, result: Any) -> bytes:  # noqa: ANN401
        """A response as bytes."""
        try:
            return bytes(self._packer.pack([_RESPONSE, number, None, result]))
        except (TypeError, ValueError, OverflowError) as error:
            self._packer.reset()
            return bytes(self._packer.pack([_RESPONSE, number, None, self._calls.unsendable(name, error)]))

    def lost(self) -> None:
        """Tell those who keep something for this connection."""
        self._calls.hung_up(self._number)
