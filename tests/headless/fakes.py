"""A small world without roads, and a raw client, for tests of the wire and of the remote calls."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import msgpack
import numpy as np

from bestrand_drive.headless.actor import Actor, Kind, Transform
from bestrand_drive.headless.server import HeadlessServer
from bestrand_drive.headless.versions import ProtocolVersion, load_version
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.settings import EpisodeSettings, default_weather

ROW = np.dtype([("id", "<u4"), ("state", "u1"), ("rest", "V114")])
PATIENCE_S = 30
"""A wait that lasts longer has failed; on a busy machine a few seconds are nothing."""
HERE = [[1.0, 2.0, 3.0], [0.0, 90.0, 0.0]]


def wait_for(found: Callable[[], Any], otherwise: str = "waited in vain") -> Any:
    """The first result that counts as true."""
    end = time.monotonic() + PATIENCE_S
    while not (result := found()):
        assert time.monotonic() < end, otherwise
        time.sleep(0.005)
    return result


class FakeWorld:
    """Remembers what was asked of it: ``asked`` holds (name, arguments)."""

    def __init__(self, *, synchronous: bool = True) -> None:
        self.frame, self.elapsed_s, self.episode = 7, 0.0, 1
        self.settings = EpisodeSettings(synchronous_mode=synchronous)
        self.weather = default_weather()
        self.map_name, self.opendrive = "Carla/Maps/Town01", "<OpenDRIVE/>"
        self.spawn_points = [Transform((1.0, 2.0, 3.0), (0.0, 90.0, 0.0))]
        self.actors: dict[int, Actor] = {}
        self.maps = SimpleNamespace(names=lambda: ["Town01", "Town02"], from_text=lambda *_: None)
        self.catalog = SimpleNamespace(listed=list)
        self.asked: list[tuple[Any, ...]] = []
        self.lights = Recording(self.asked, group=[5, 6])
        self.next_id = 1
        self.spectator = self._add("spectator", Kind.SPECTATOR, {}, Transform(), 0)

    def _add(self, type_id, kind, attributes, transform, parent) -> Actor:
        zero = (0.0, 0.0, 0.0)
        stream = 100 + self.next_id if kind is Kind.SENSOR else 0
        new = Actor(self.next_id, kind, type_id, 9, attributes, transform, zero, zero, zero, (2.0, 1.0, 0.5),
                    (0.0, 0.0, 0.5), 14, parent, None, stream)  # fmt: skip
        self.actors[new.id] = new
        self.next_id += 1
        return new

    def spawn(self, type_id, attributes, transform, parent=0) -> Actor:
        if type_id == "vehicle.none":
            raise WorldError("Spawn failed because of invalid actor description")
        kind = Kind.SENSOR if type_id.startswith("sensor.") else Kind.VEHICLE
        return self._add(type_id, kind, attributes, transform, parent)

    def add_stream(self) -> int:
        """A sensor's stream."""
        return self._add("sensor.other.gnss", Kind.SENSOR, {}, Transform(), 0).stream_id

    def actor(self, actor_id: int) -> Actor:
        if actor_id not in self.actors:
            raise WorldError("unable to find actor")
        return self.actors[actor_id]

    def destroy(self, actor_id: int) -> bool:
        return self.actors.pop(actor_id, None) is not None

    def load_map(self, name: str, reset_settings: bool) -> None:
        if name not in self.maps.names():
            raise WorldError(f"Map '{name}' not found")
        self.map_name, self.episode = f"Carla/Maps/{name}", self.episode + 1

    def load_opendrive(self, xodr: str, reset_settings: bool = False) -> None:
        self.settings = EpisodeSettings() if reset_settings else self.settings
        self.map_name, self.opendrive, self.episode = "Carla/Maps/OpenDriveMap", xodr, self.episode + 1

    def tick(self) -> int:
        self.frame += 1
        self.elapsed_s += self.settings.step_s
        return self.frame

    def project_point(self, location, direction, distance):
        return ((*location[:2], 0.0), 1) if location[0] < 100.0 else None

    def cast_ray(self, start, end):
        return [((*start[:2], 0.0), 1)]

    def light_state(self, actor_id: int) -> int:
        self.actor(actor_id)
        return 3

    def snapshot_rows(self) -> np.ndarray:
        rows = np.zeros(len(self.actors), ROW)
        rows["id"], rows["state"] = sorted(self.actors), 1
        return rows

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def act(actor_id: int, *arguments: Any) -> None:
            self.actor(actor_id)
            self.asked.append((name, actor_id, *arguments))

        return act


class Recording:
    """Remembers calls; some names have an answer."""

    def __init__(self, asked: list[tuple[Any, ...]], **answers: Any) -> None:
        self._asked, self._answers = asked, answers

    def __getattr__(self, name: str) -> Any:
        def act(*arguments: Any, **named: Any) -> Any:
            self._asked.append((name, *arguments, *named.values()))
            return self._answers.get(name)

        return act


class FakeSensors:
    """Sends what a test puts into ``waiting``."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, bytes]] = []

    def frames(self) -> list[tuple[int, tuple[bytes]]]:
        return [(stream, (frame,)) for stream, frame in self.waiting]


class Raw:
    """A client that speaks MessagePack-RPC by hand."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self._unpacker = msgpack.Unpacker(strict_map_key=False)
        self._number = 0

    def send(self, *message: Any) -> None:
        self.socket.sendall(msgpack.packb(list(message)))

    def receive(self) -> Any:
        while True:
            for message in self._unpacker:
                return message
            data = self.socket.recv(1 << 16)
            if not data:
                raise ConnectionError("the server hung up")
            self._unpacker.feed(data)

    def call(self, name: str, *arguments: Any) -> Any:
        self._number += 1
        self.send(0, self._number, name, [[False], *arguments])
        kind, number, error, result = self.receive()
        assert (kind, number, error) == (1, self._number, None)
        return result

    def hung_up(self) -> bool:
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


class Stream:
    """A client of one stream."""

    def __init__(self, port: int, stream_id: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.socket.sendall(struct.pack("<I", stream_id))

    def receive(self) -> bytes:
        (length,) = struct.unpack("<I", self._exactly(4))
        return self._exactly(length)

    def ends(self) -> bool:
        """Reads to the end, which must come."""
        with contextlib.suppress(ConnectionResetError):
            while self.socket.recv(1 << 20):
                pass
        return True

    def _exactly(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self.socket.recv(count - len(found))
            if not part:
                raise ConnectionError("the server hung up")
            found += part
        return found


class Running:
    """A server of a fake world in a thread."""

    def __init__(
        self,
        world: FakeWorld,
        version: str | ProtocolVersion = "0.9.16",
        limit_bytes: int | None = None,
        most_peers: int | None = None,
    ) -> None:
        self.world, self.sensors = world, FakeSensors()
        self.server = HeadlessServer(
            world,  # type: ignore[arg-type]
            load_version(version) if isinstance(version, str) else version,
            lambda *_: self.sensors,
            host="127.0.0.1",
            port=0,
            most_peers=most_peers,
        )
        if limit_bytes is not None:
            self.server.hub.limit_bytes = limit_bytes
        self._going, self._opened = True, []
        self._thread = threading.Thread(target=self.server.run, args=(lambda: self._going,), daemon=True)
        self._thread.start()

    def client(self) -> Raw:
        return self._keep(Raw(self.server.port))

    def stream(self, stream_id: int = 1) -> Stream:
        return self._keep(Stream(self.server.streaming_port, stream_id))

    def mute(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.server.streaming_port))
        return self._keep(SimpleNamespace(socket=connection)).socket

    def _keep(self, opened: Any) -> Any:
        self._opened.append(opened)
        return opened

    def stop(self) -> None:
        for opened in self._opened:
            opened.socket.close()
        self._going = False
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE_S).close()  # wakes it
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        self.server.close()


@contextlib.contextmanager
def serving(**settings: Any) -> Iterator[Running]:
    """A running server of a fake world."""
    world = settings.pop("world", None) or FakeWorld(synchronous=settings.pop("synchronous", True))
    running = Running(world, **settings)
    try:
        yield running
    finally:
        running.stop()
