"""The client of the soak: town, traffic, walkers, sensors, churn, and all over again; one JSON line a round.

A round is a few hundred ticks. A tick is lost when its number does not follow the one before, when its snapshot never
reached ``on_tick``, or when a listening IMU has no frame of it. Lines with ``beat`` in them only show that it lives.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from headless_processes import connected, synchronous, traffic

TICKS = 200
BEAT = 10
CHURN = 20
ROUNDS_A_TOWN = 3
WALKERS = 5
SETTLE_S = 5.0
TICK_TIMEOUT_S = 20.0
SENSORS = {
    "sensor.other.imu": {},
    "sensor.other.gnss": {},
    "sensor.other.collision": {},
    "sensor.other.obstacle": {},
    "sensor.lidar.ray_cast": {"points_per_second": "20000"},
    "sensor.camera.rgb": {"image_size_x": "128", "image_size_y": "96"},
}


class Received:
    """Numbers of the frames that reached a callback."""

    def __init__(self) -> None:
        self._frames: set[int] = set()
        self._lock = threading.Lock()

    def __call__(self, data: Any) -> None:  # noqa: ANN401  a snapshot or a sensor's data
        with self._lock:
            self._frames.add(data.frame)

    def missing(self, frames: Sequence[int]) -> int:
        """How many of some frames never came; late ones are waited for."""
        end = time.monotonic() + SETTLE_S
        while True:
            with self._lock:
                found = len(set(frames) - self._frames)
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.02)


class Round:
    """One episode's worth of actors."""

    def __init__(self, client: Any, world: Any, vehicles: int, seed: int) -> None:  # noqa: ANN401
        self._world, self._client = world, client
        self._library, self._points = world.get_blueprint_library(), world.get_map().get_spawn_points()
        synchronous(world)
        self._manager, self._ids = traffic(client, world, vehicles, seed)
        world.tick(TICK_TIMEOUT_S)
        self._walkers = [self._walker(number) for number in range(WALKERS)]
        self._imu = Received()
        self._sensors = [self._sensor(name, settings) for name, settings in SENSORS.items()]
        self._snapshots = Received()
        self._callback = world.on_tick(self._snapshots)

    def _walker(self, number: int) -> Any:  # noqa: ANN401
        """One beside the road, or none where another one stands."""
        import carla  # noqa: PLC0415

        place = self._points[-1 - 7 * number % len(self._points)]
        place.location += place.get_right_vector() * 6.0 + carla.Location(z=0.5)
        walker = self._world.try_spawn_actor(self._library.find("walker.pedestrian.0001"), place)
        if walker is not None:
            walker.apply_control(carla.WalkerControl(carla.Vector3D(1.0, 0.2 * number, 0.0), 1.4))
        return walker

    def _sensor(self, name: str, settings: dict[str, str]) -> Any:  # noqa: ANN401
        """A listening sensor on the first vehicle."""
        import carla  # noqa: PLC0415

        blueprint = self._library.find(name)
        for key, value in settings.items():
            blueprint.set_attribute(key, value)
        place = carla.Transform(carla.Location(z=2.0))
        sensor = self._world.spawn_actor(blueprint, place, attach_to=self._world.get_actor(self._ids[0]))
        sensor.listen(self._imu if name == "sensor.other.imu" else lambda _: None)
        return sensor

    def drive(self) -> dict[str, int]:
        """Tick, spawn and destroy; what was lost."""
        frames = []
        for number in range(TICKS):
            frames.append(self._world.tick(TICK_TIMEOUT_S))
            if number % BEAT == 0:
                print('{"beat": 1}', flush=True)
            if number % CHURN == CHURN - 1:
                self._churn(number // CHURN)
        gaps = frames[-1] - frames[0] + 1 - len(frames)
        begun = frames[TICKS // 10 :]  # listening takes a moment
        return {
            "ticks": len(frames),
            "lost_frames": gaps,
            "lost_snapshots": self._snapshots.missing(begun),
            "lost_imu": self._imu.missing(begun),
        }

    def _churn(self, number: int) -> None:
        """A walker goes, another one comes."""
        old = self._walkers[number % WALKERS]
        if old is not None:
            old.destroy()
        self._walkers[number % WALKERS] = self._walker(number)

    def end(self) -> None:
        """Everything goes, the TrafficManager too: one that outlives its town ends the process."""
        import carla  # noqa: PLC0415

        self._world.remove_on_tick(self._callback)
        for sensor in self._sensors:
            sensor.stop()
            sensor.destroy()
        ids = [*self._ids, *(walker.id for walker in self._walkers if walker is not None)]
        self._manager.set_synchronous_mode(False)
        self._manager.shut_down()
        self._client.apply_batch_sync([carla.command.DestroyActor(one) for one in ids], False)
        self._world.tick(TICK_TIMEOUT_S)


def main(port: str, seconds: str, vehicles: str, *towns: str) -> None:
    """Rounds until the time is over."""
    client, end, number = connected(int(port)), time.monotonic() + float(seconds), 0
    while time.monotonic() < end:
        fresh = number % ROUNDS_A_TOWN == 0
        world = client.load_world(towns[number // ROUNDS_A_TOWN % len(towns)]) if fresh else client.get_world()
        print('{"beat": 1}', flush=True)
        one = Round(client, world, int(vehicles), number)
        found = one.drive()
        one.end()
        print(json.dumps({**found, "loads": int(fresh)}), flush=True)
        number += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # the client's threads may not end by themselves
