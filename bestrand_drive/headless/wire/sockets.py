"""Non-blocking sockets on one selector: a listener, and a peer whose unsent bytes are bounded."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
from collections import deque
from collections.abc import Callable

from bestrand_drive.errors import EnvironmentFault

READ = selectors.EVENT_READ
WRITE = selectors.EVENT_WRITE
_CHUNK = 1 << 18
_BACKLOG = 128
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
        listening.listen(_BACKLOG)
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


class Peer:
    """One connection. A subclass says what to do with bytes that arrive.

    Attributes:
        unsent: Bytes that the other side has not taken yet.
    """

    def __init__(self, connection: socket.socket, selector: selectors.BaseSelector, limit_bytes: int) -> None:
        self._socket = connection
        self._selector = selector
        self._limit_bytes = limit_bytes
        self._waiting: deque[memoryview] = deque()
        self._closed = False
        self.unsent = 0
        selector.register(connection, READ, self)

    def received(self, data: bytes) -> None:
        """Bytes arrived."""
        raise NotImplementedError

    def lost(self) -> None:
        """The connection is gone; called once."""

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._closed

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

    def send(self, data: bytes) -> None:
        """Send now what the socket takes and the rest when it can; a peer past its limit is dropped."""
        if self._closed:
            return
        sent = 0
        if not self._waiting:
            sent = self._send_some(data)
            if sent == len(data) or self._closed:
                return
            self._selector.modify(self._socket, READ | WRITE, self)
        self._waiting.append(memoryview(data)[sent:])
        self.unsent += len(data) - sent
        if self.unsent > self._limit_bytes:
            self.close()

    def _flush(self) -> None:
        """Send what waits."""
        while self._waiting:
            first = self._waiting[0]
            sent = self._send_some(first)
            self.unsent -= sent
            if self._closed:
                return
            if sent < len(first):
                self._waiting[0] = first[sent:]
                return
            self._waiting.popleft()
        self._selector.modify(self._socket, READ, self)

    def _send_some(self, data: bytes | memoryview) -> int:
        """Bytes that the socket took at once."""
        try:
            return self._socket.send(data)
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
        self.unsent = 0
        self._selector.unregister(self._socket)
        self._socket.close()
        self.lost()
