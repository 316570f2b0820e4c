"""The server: one thread, one selector, one world."""

from __future__ import annotations

import itertools
import selectors
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from bestrand_drive.headless.outbox import Outbox
from bestrand_drive.headless.rpc.context import Context
from bestrand_drive.headless.rpc.dispatch import Dispatcher
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire.budget import Budget, Crowd, most_connections
from bestrand_drive.headless.wire.layouts import MAP_CHANGED, Headers, actor_rows
from bestrand_drive.headless.wire.rpc import Answers, RpcPeer
from bestrand_drive.headless.wire.sockets import Listener, bind
from bestrand_drive.headless.wire.streams import StreamHub, StreamPeer
from bestrand_drive.headless.wire.tokens import WORLD_STREAM

if TYPE_CHECKING:
    from bestrand_drive.headless.world.world import World

PATIENCE_S = 0.25
"""Longest sleep, so that signals and a dead parent are noticed."""


class Sensors(Protocol):
    """What produces sensor frames after a tick."""

    def frames(self) -> Iterable[tuple[int, Sequence[bytes]]]:
        """Stream and whole frame, in pieces, of every sensor that has one now."""


MakeSensors = Callable[["World", ProtocolVersion, Callable[[int], bool]], Sensors]


class HeadlessServer:
    """Serves one world to any number of clients.

    Attributes:
        budget: What all requests that are not whole may hold.
        dispatcher: Answers the remote calls.
        hub: Sends the sensor streams.
        port: Of remote calls.
        streaming_port: Of sensor streams.
    """

    def __init__(
        self,
        world: World,
        version: ProtocolVersion,
        make_sensors: MakeSensors,
        *,
        host: str,
        port: int,
        streaming_port: int | None = None,
        most_peers: int | None = None,
    ) -> None:
        self._world = world
        self._headers, self._actor_rows = Headers(version), actor_rows(version)
        self._selector = selectors.DefaultSelector()
        self._callers = itertools.count(1)
        self._next_free_s = time.monotonic()
        most_peers = most_peers or most_connections()
        self.budget, self._rpc_crowd, self._stream_crowd = Budget(), Crowd(most_peers), Crowd(most_peers)
        self.hub = StreamHub(self._greeting, self._has_stream)
        self._outbox = Outbox(self.hub)
        self._sensors = make_sensors(world, version, self.hub.has_listener)
        self._rpc = Listener(bind(host, port), self._selector, self._accept_rpc)
        self.port = self._rpc.port
        beside = port + 1 if port else 0
        self._streams = self._listen_for_streams(host, beside if streaming_port is None else streaming_port)
        self.streaming_port = self._streams.port
        self._context = Context(world, version, self.streaming_port, self.tick, self.announce, self._outbox.release)
        self.dispatcher = Dispatcher(self._context)
        self._answers = Answers(self.dispatcher)

    def _listen_for_streams(self, host: str, port: int) -> Listener:
        """The second port; without it the first is given back."""
        try:
            return Listener(bind(host, port), self._selector, self._accept_stream)
        except BaseException:
            self._rpc.close()
            raise

    def _accept_rpc(self, connection: socket.socket) -> None:
        self._rpc_crowd.join(
            RpcPeer(connection, self._selector, self.hub.backlog, self._answers, next(self._callers), self.budget)
        )

    def _accept_stream(self, connection: socket.socket) -> None:
        self._stream_crowd.join(StreamPeer(connection, self._selector, self.hub))

    def tick(self, hold: bool = False) -> int:
        """Advance the world one frame and send what came of it, sensor frames perhaps a little later; its number."""
        frame = self._world.tick()
        may_skip = not self._world.settings.synchronous_mode
        if self.hub.has_listener(WORLD_STREAM):
            self.hub.publish(WORLD_STREAM, self._snapshot(), may_skip=may_skip)
        self._outbox.post(self._sensors.frames(), may_skip=may_skip, hold=hold)
        return frame

    def announce(self) -> None:
        """Tell all clients that an episode has begun, so that they fetch its map; none may miss that."""
        self.hub.publish(WORLD_STREAM, self._snapshot(MAP_CHANGED), may_skip=False)

    def _has_stream(self, stream_id: int) -> bool:
        return self._context.has_stream(stream_id)

    def _greeting(self, stream_id: int) -> Sequence[bytes] | None:
        """A client that joins a synchronous world sees it at once, not after the next tick only."""
        return self._snapshot() if stream_id == WORLD_STREAM else None

    def _snapshot(self, state: int = 0) -> Sequence[bytes]:
        """Headers and rows of the world as it is."""
        world, step_s = self._world, self._world.settings.step_s
        head = self._headers.snapshot(world.frame, world.elapsed_s, world.episode, step_s, state)
        return head, self._actor_rows(world.snapshot_rows())

    def run(self, keep_on: Callable[[], bool]) -> None:
        """Serve for as long as ``keep_on`` says so; it is asked at least every ``PATIENCE_S`` seconds."""
        select = self._selector.select
        while keep_on():
            for key, mask in select(self._outbox.patience_s(self._sleep_s())):
                key.data.ready(mask)
            self._outbox.release_due()
            self.hub.refuse_due()
            if not self._world.settings.synchronous_mode:
                self._run_free()

    def _sleep_s(self) -> float:
        """How long nothing may happen: until the next free frame in asynchronous mode."""
        if self._world.settings.synchronous_mode:
            return PATIENCE_S
        return min(max(self._next_free_s - time.monotonic(), 0.0), PATIENCE_S)

    def _run_free(self) -> None:
        """In asynchronous mode the world follows the wall clock; frames that came too late are not made up for."""
        now_s = time.monotonic()
        if now_s >= self._next_free_s:
            self.tick()
            self._next_free_s = max(self._next_free_s + self._world.settings.step_s, now_s)

    def close(self) -> None:
        """Close every connection and both ports."""
        for key in tuple(self._selector.get_map().values()):
            key.data.close()
        self._selector.close()
