"""The real world of the mini town behind a dispatcher, for tests that need no client; needs ``carla.Map``."""

from __future__ import annotations

from typing import Any

import msgpack

from bestrand_drive.headless.blueprints.catalog import load_catalog
from bestrand_drive.headless.maps.library import MapLibrary
from bestrand_drive.headless.rpc.context import Context
from bestrand_drive.headless.rpc.dispatch import Dispatcher
from bestrand_drive.headless.sensors.suite import SensorSuite
from bestrand_drive.headless.versions import load_version
from bestrand_drive.headless.world.world import World
from tests.headless.world.mini import MINI_XODR

CATALOG = load_catalog()
CAR, WALKER, IMU = "vehicle.tesla.model3", "walker.pedestrian.0001", "sensor.other.imu"


class Live:
    """One world and what answers its calls; ``car``, ``walker``, ``imu`` and ``light`` are ids of actors in it."""

    def __init__(self, version: str = "0.9.16") -> None:
        self.world = World(MapLibrary([]), CATALOG, 0)
        self.world.load_opendrive(MINI_XODR)
        self.world.settings.synchronous_mode = True
        self.version = load_version(version)
        self.sensors = SensorSuite(self.world, self.version, lambda _stream: True)
        self.context = Context(self.world, self.version, 2001, self._tick, lambda: None, lambda: None)
        self.dispatcher = Dispatcher(self.context)
        self.car = self._spawned(CAR, 20.0)
        self.walker = self._spawned(WALKER, 60.0)
        self.imu = self.answer("spawn_actor_with_parent", [1, IMU, []], at(0.0), self.car, 0, "")[0][1][0]
        self.light = self.world.lights.ids[0]

    def _tick(self, hold: bool) -> int:
        frame = self.world.tick()
        list(self.sensors.frames())
        return frame

    def _spawned(self, name: str, x: float) -> int:
        number: int = self.answer("spawn_actor", [1, name, []], at(x))[0][1][0]
        return number

    def answer(self, name: str, *arguments: Any) -> Any:
        """The answer to a call as it comes off the wire; one that cannot travel fails here."""
        there = msgpack.unpackb(_packed(list(arguments)), **_READ)
        return msgpack.unpackb(_packed(self.dispatcher.call(1, name, there)), **_READ)


_READ: dict[str, Any] = {"raw": False, "strict_map_key": False, "unicode_errors": "surrogateescape"}


def _packed(value: Any) -> bytes:
    return bytes(msgpack.packb(value, use_bin_type=True, unicode_errors="surrogateescape"))


def at(x: float, y: float = 1.75, z: float = 0.5) -> list[list[float]]:
    """A transform on the mini town's road."""
    return [[x, y, z], [0.0, 0.0, 0.0]]
