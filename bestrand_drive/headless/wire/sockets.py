"""Non-blocking sockets on one selector: a listener, and peers that together hold a bounded amount."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.headless.wire.backlog import Backlog, Message

READ = selectors.EVENT_READ
WRITE = selectors.EVENT_WRITE
_CHUNK = 1 << 18
_QUEUE = 128
_MOST_PIECES = 512  # of one system call; Linux takes 1024
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def bind(host: str, port: int) -> socket.socket:
    """A listening TCP socket that does not block.

    Raises:
        EnvironmentFault: The port is taken or the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_QUEUE)
    except (OSError, OverflowError) as error:
        listening.close()
        raise EnvironmentFault(_why_not(host, port, error)) from error
    listening.setblocking(False)
    return listening


def _why_not(host: str, port: int, error: Exception) -> str:
    """What to tell a user whose port cannot be had."""
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is taken by another program; stop that one or choose another --port."
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return f"port {port} of {host} cannot be opened ({reason}); check --host and --port."


class Listener:
    """Accepts connections and hands each to ``make_peer``."""

    def __init__(
        self,
        listening: socket.socket,
        selector: selectors.BaseSelector,
        make_peer: Callable[[socket.socket], object],
    ) -> None:
        self._socket = listening
        self._selector = selector
        self._make_peer = make_peer
        self._spare = os.open(os.devnull, os.O_RDONLY)
        selector.register(listening, READ, self)

    @property
    def port(self) -> int:
        """The port that was bound."""
        return int(self._socket.getsockname()[1])

    def ready(self, _mask: int) -> None:
        """Accept whoever waits."""
        while True:
            try:
                accepted, _ = self._socket.accept()
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._turn_away()
                return
            accepted.setblocking(False)
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            self._make_peer(accepted)

    def _turn_away(self) -> None:
        """With no descriptor left, use the spare one to close the next connection instead of waking for it for ever."""
        os.close(self._spare)
        with contextlib.suppress(OSError):
            self._socket.accept()[0].close()
        self._spare = os.open(os.devnull, os.O_RDONLY)

    def close(self) -> None:
        """Stop listening."""
        self._selector.unregister(self._socket)
        self._socket.close()
        os.close(self._spare)


class Peer(ABC):
    """One connection. A subclass says what to do with bytes that arrive.

    Attributes:
        held: Bytes of memory that wait for the other side, whole messages until their last byte is sent.
        missed: Messages given up since the other side last took something.
    """

    def __init__(self, connection: socket.socket, selector: selectors.BaseSelector, backlog: Backlog) -> None:
        """Watch a connection.

        Args:
            connection: Accepted; does not block.
            selector: Wakes the peer.
            backlog: Shared by all peers.
        """
        self._socket = connection
        self._selector = selector
        self._backlog = backlog
        self._waiting: deque[Message] = deque()
        self._moved_s = 0.0
        self._closed = False
        self.held = self.missed = 0
        selector.register(connection, READ, self)

    @abstractmethod
    def received(self, data: bytes) -> None:
        """Bytes arrived."""

    def grew(self) -> None:  # noqa: B027  most peers give nothing up
        """More is held than before; a subclass may give some of it up."""

    def lost(self) -> None:  # noqa: B027  not every peer has something to tidy
        """The connection is gone; called once."""

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._closed

    @property
    def idle_s(self) -> float:
        """Seconds in which something waited and the other side took nothing."""
        return time.monotonic() - self._moved_s if self._waiting else 0.0

    def ready(self, mask: int) -> None:
        """The socket can be read or written; a peer closed by another one's turn in the same round is left alone."""
        if self._closed:
            return
        if mask & WRITE:
            self._flush()
        if mask & READ and not self._closed:
            self._read()

    def _read(self) -> None:
        try:
            data = self._socket.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self.received(data)
        else:
            self.close()

    def send(self, *pieces: bytes) -> None:
        """Send one message, given in pieces: now what the socket takes, the rest when it can."""
        if self._closed:
            return
        sent = 0
        if not self._waiting:
            sent = self._send_some(pieces)
            if self._closed or sent == sum(map(len, pieces)):
                return
            self._selector.modify(self._socket, READ | WRITE, self)
            self._moved_s = time.monotonic()
        message = Message(pieces)
        message.advance(sent)
        self._waiting.append(message)
        self.held += message.held
        self._backlog.grow(self, message.held)
        if not self._closed:
            self.grew()

    def forget_oldest(self) -> bool:
        """Give up the oldest message of which nothing is sent, but never the newest; whether there was one."""
        oldest = int(self._waiting[0].begun)
        if len(self._waiting) - oldest < 2:
            return False
        self._let_go(oldest)
        self.missed += 1
        return True

    def _let_go(self, place: int) -> None:
        """One message waits no more."""
        count = self._waiting[place].held
        del self._waiting[place]
        self.held -= count
        self._backlog.shrink(self, count)

    def _flush(self) -> None:
        """Send what waits."""
        while self._waiting:
            first = self._waiting[0]
            sent = self._send_some(first.pieces)
            if self._closed or not sent:
                return
            self._moved_s, self.missed = time.monotonic(), 0
            self._backlog.moved(self)
            first.advance(sent)
            if not first.pieces:
                self._let_go(0)
        self._selector.modify(self._socket, READ, self)

    def _send_some(self, pieces: Sequence[bytes | memoryview]) -> int:
        """Bytes that the socket took at once."""
        try:
            return self._socket.send(pieces[0]) if len(pieces) == 1 else self._socket.sendmsg(pieces[:_MOST_PIECES])
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            self.close()
            return 0

    def close(self) -> None:
        """Drop the connection and whatever was not sent."""
        if self._closed:
            return
        self._closed = True
        self._waiting.clear()
        held, self.held = self.held, 0
        if held:
            self._backlog.shrink(self, held)
        self._selector.unregister(self._socket)
        self._socket.close()
        self.lost()
