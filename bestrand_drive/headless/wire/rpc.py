"""MessagePack-RPC as rpclib speaks it: concatenated objects on one TCP connection, no framing.

Request ``[0, id, name, [metadata, argument...]]``, notification ``[2, name, [metadata, argument...]]``, response
``[1, id, nil, result]``. The metadata says whether the client throws the response away. Application errors travel in
the result, so the error slot stays nil.
"""

from __future__ import annotations

import selectors
import socket
from typing import Any, Protocol

import msgpack

from bestrand_drive.headless.wire.backlog import Backlog
from bestrand_drive.headless.wire.budget import Budget
from bestrand_drive.headless.wire.messages import Malformed, Messages, Request, TooLarge
from bestrand_drive.headless.wire.sockets import WRITE, Peer

_RESPONSE = 1
_KEPT_BUFFER = 1 << 20
_THROWN_AWAY = [[True]]
"""First parameter, the metadata, of a call whose response the client does not look at."""


class Calls(Protocol):
    """What answers the calls of all connections."""

    def call(self, caller: int, name: str, arguments: list[Any], *, awaited: bool) -> Any:  # noqa: ANN401  any result
        """The result of one call in its wire shape, errors included.

        Args:
            caller: Number of the connection.
            name: Of the call.
            arguments: Whatever the client sent.
            awaited: Somebody will look at the result.
        """

    def failed(self, name: str, error: Exception) -> Any:  # noqa: ANN401  anything that MessagePack can hold
        """What to answer when the arguments of a call cannot be read, or its result does not fit into MessagePack."""

    def hung_up(self, caller: int) -> None:
        """Connection ``caller`` is gone."""


class Answers:
    """Calls into bytes of their responses, for all connections of a server."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._packer = _new_packer()

    def response(self, caller: int, request: Request) -> bytes:
        """Obey one call; its response, or nothing for a notification."""
        result = self._result(caller, request)
        if request.number is None:
            return b""
        try:
            return self._packed([_RESPONSE, request.number, None, result])
        except (TypeError, ValueError, OverflowError) as error:
            self._packer.reset()
            return self._packed([_RESPONSE, request.number, None, self._calls.failed(request.name, error)])

    def _result(self, caller: int, request: Request) -> Any:  # noqa: ANN401  any result
        """What a call comes to."""
        parameters = request.parameters
        if isinstance(parameters, TooLarge):
            return self._calls.failed(request.name, parameters)
        return self._calls.call(caller, request.name, parameters[1:], awaited=parameters[:1] != _THROWN_AWAY)

    def _packed(self, message: list[Any]) -> bytes:
        """A message as bytes. A packer keeps a buffer as large as its longest message, so that one is given up."""
        data: bytes = self._packer.pack(message)
        if len(data) > _KEPT_BUFFER:
            self._packer = _new_packer()
        return data

    def hung_up(self, caller: int) -> None:
        """Connection ``caller`` is gone."""
        self._calls.hung_up(caller)


def _new_packer() -> msgpack.Packer:
    return msgpack.Packer(use_bin_type=True, unicode_errors="surrogateescape")


class RpcPeer(Peer):
    """One client's connection for remote calls; what is malformed drops this connection only.

    A client that does not take its answers is not read from until it does; they wait in the backlog of all peers.

    Attributes:
        spoke: A whole call has come.
    """

    def __init__(
        self,
        connection: socket.socket,
        selector: selectors.BaseSelector,
        backlog: Backlog,
        answers: Answers,
        number: int,
        budget: Budget,
    ) -> None:
        super().__init__(connection, selector, backlog)
        self._messages = Messages()
        self._answers = answers
        self._number = number
        self._budget = budget
        self._paused = False
        self.spoke = False

    def ready(self, mask: int) -> None:
        """The socket can be read or written; calls that waited for the client to read are answered afterwards."""
        super().ready(mask)
        if self._paused and not self.held:
            self._answer()
        self._budget.note(self, self._messages.held)

    def received(self, data: bytes) -> None:
        """Answer every call that is complete now, in order."""
        try:
            self._messages.feed(data)
        except Malformed:
            self.close()
        else:
            self._answer()

    def _answer(self) -> None:
        """Answer for as long as the client takes the answers."""
        try:
            while not (self.closed or self.held) and (request := self._messages.take()):
                self.spoke = True
                response = self._answers.response(self._number, request)
                if response:
                    self.send(response)
        except Malformed:
            self.close()
        self._paused = bool(self.held)
        if self._paused:
            self._selector.modify(self._socket, WRITE, self)

    def lost(self) -> None:
        """Tell those who keep something for this connection."""
        self._messages = Messages()
        self._budget.note(self, 0)
        self._answers.hung_up(self._number)
