"""One client of a server, in the program's process; needs the ``carla`` package."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from typing import Any

import carla

from tests.headless.client.programs.pulse import TIMEOUT_S, Pulse

CAR = "vehicle.tesla.model3"
STEP_S = 0.05
_STATE = struct.Struct("<I15d")


class Session:
    """A client, its world, and steps that the watchdog sees."""

    def __init__(self, port: int, pulse: Pulse, manager_port: int) -> None:
        self.port = port
        self.client = self.another_client()
        self.manager_port = manager_port
        self.manager: Any = None
        self._pulse, self._steps = pulse, 0
        self._world: Any = None

    def another_client(self) -> Any:
        """One that must be kept: the process would not survive its end."""
        client = carla.Client("127.0.0.1", self.port, worker_threads=8)
        client.set_timeout(TIMEOUT_S)
        return client

    @property
    def world(self) -> Any:
        """The present one."""
        self._world = self._world or self.client.get_world()
        return self._world

    @world.setter
    def world(self, world: Any) -> None:
        self._world = world

    def empty_town(self, name: str = "Town01") -> Any:
        """Load a town and go synchronous."""
        self.world = self.client.load_world(name)
        return self.synchronous()

    def synchronous(self) -> Any:
        """Time stands still between ticks."""
        settings = self.world.get_settings()
        settings.synchronous_mode, settings.fixed_delta_seconds = True, STEP_S
        self.world.apply_settings(settings)
        assert self.world.get_settings().synchronous_mode, "the server forgot the mode at once"
        return self.world

    def step(self) -> None:
        """Progress in something else than ticks."""
        self._steps += 1
        self._pulse.write(self._steps, ticking=False, managed=self.manager is not None)

    def tick(self, count: int = 1) -> int:
        """So many ticks; the last frame."""
        frame = 0
        for _ in range(count):
            self._pulse.write(self._steps, ticking=True, managed=self.manager is not None)
            frame = self.world.tick(TIMEOUT_S)
            self.step()
        return frame

    def until(self, happened: Callable[[], bool], most: int = 200) -> None:
        """Tick until something has happened, such as a first reading."""
        for _ in range(most):
            if happened():
                return
            self.tick()
        raise AssertionError(f"not within {most} ticks")

    def traffic_manager(self, seed: int) -> Any:
        """A synchronous one."""
        self.manager = self.client.get_trafficmanager(self.manager_port)
        self.manager.set_synchronous_mode(True)
        self.manager.set_random_device_seed(seed)
        return self.manager

    def blueprint(self, name: str, **attributes: object) -> Any:
        """One of the library, with attributes set."""
        found = self.world.get_blueprint_library().find(name)
        for key, value in attributes.items():
            found.set_attribute(key, str(value))
        return found

    def spawn(self, name: str, place: Any, parent: Any = None, **attributes: object) -> Any:
        """A new actor."""
        return self.world.spawn_actor(self.blueprint(name, **attributes), place, attach_to=parent)

    def traffic(self, places: list[Any], manager: Any, model: str = "vehicle.tesla.model3") -> list[Any]:
        """Vehicles under autopilot, in one batch."""
        blueprint, commands = self.blueprint(model), carla.command
        autopilot = commands.SetAutopilot(commands.FutureActor, True, manager.get_port())
        batch = [commands.SpawnActor(blueprint, place).then(autopilot) for place in places]
        answers = self.client.apply_batch_sync(batch, False)
        assert not any(answer.error for answer in answers), [answer.error for answer in answers]
        return [answer.actor_id for answer in answers]


def straight_road(world: Any, metres: float = 60.0) -> Any:
    """The first spawn point with so much straight road ahead."""
    town = world.get_map()
    for place in town.get_spawn_points():
        ahead = town.get_waypoint(place.location).next(metres)
        if len(ahead) == 1 and not ahead[0].is_junction:
            turn = abs(ahead[0].transform.rotation.yaw - place.rotation.yaw) % 360
            aim = place.location + place.get_forward_vector() * metres
            if min(turn, 360 - turn) < 1 and ahead[0].transform.location.distance(aim) < 1:
                return place
    raise AssertionError(f"no straight road of {metres} m")


def moved(place: Any, *, ahead: float = 0.0, aside: float = 0.0, up: float = 0.0) -> Any:
    """A transform so many metres ahead, to the right and up of another."""
    location = place.location + place.get_forward_vector() * ahead + place.get_right_vector() * aside
    return carla.Transform(location + carla.Location(z=up), place.rotation)


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Any:
    """A place, for sensors on vehicles."""
    return carla.Transform(carla.Location(x, y, z), carla.Rotation(yaw=yaw))


def numbers(vector: Any) -> list[float]:
    """x, y, z."""
    return [vector.x, vector.y, vector.z]


def fingerprint(snapshot: Any) -> str:
    """Of a snapshot as the client sees it: frame, time, and where everything is and how it moves, to the last bit."""
    found = hashlib.sha256(struct.pack("<Qd", snapshot.frame, snapshot.timestamp.elapsed_seconds))
    for actor in sorted(snapshot, key=lambda one: one.id):
        place, turn = actor.get_transform(), actor.get_transform().rotation
        rest = (actor.get_velocity(), actor.get_angular_velocity(), actor.get_acceleration())
        values = [
            *numbers(place.location),
            turn.pitch,
            turn.yaw,
            turn.roll,
            *(v for part in rest for v in numbers(part)),
        ]
        found.update(_STATE.pack(actor.id, *values))
    return found.hexdigest()[:16]
