"""Every sensor of the world: who is due, what it measures, in which frame it travels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bestrand_drive.headless.sensors.camera import Camera, EventCamera
from bestrand_drive.headless.sensors.clock import Clock
from bestrand_drive.headless.sensors.contact import CollisionSensor
from bestrand_drive.headless.sensors.geo import PROJECTIONS, Projection
from bestrand_drive.headless.sensors.gnss import Gnss
from bestrand_drive.headless.sensors.imu import Imu
from bestrand_drive.headless.sensors.lidar import Lidar, SemanticLidar
from bestrand_drive.headless.sensors.obstacle import Obstacle
from bestrand_drive.headless.sensors.radar import Radar
from bestrand_drive.headless.sensors.reading import Model, Moment, number
from bestrand_drive.headless.sensors.scene import Scene, Scenery
from bestrand_drive.headless.sensors.world_view import SensedWorld
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire.layouts import Headers
from bestrand_drive.headless.world.actor import Actor, Kind


@dataclass(slots=True)
class _Mounted:
    """One sensor in the world: its actor, how it measures, when it is due."""

    actor: Actor
    type_number: int
    model: Model
    clock: Clock


class SensorSuite:
    """Turns each tick of the world into frames for the streams that somebody listens to."""

    def __init__(self, world: SensedWorld, version: ProtocolVersion, has_listener: Callable[[int], bool]) -> None:
        """Watch a world.

        Args:
            world: The world; its actors may come and go.
            version: For the numbers of the sensors and the layout of actors.
            has_listener: Whether a stream (by id) has a subscriber; nobody measures for nobody.
        """
        self._world = world
        self._version = version
        self._headers = Headers(version)
        self._has_listener = has_listener
        self._scenery = Scenery(world)
        self._mounted: dict[int, _Mounted] = {}
        self._seen = (0, 0)
        self._broken: set[int] = set()

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """The frames of the last tick: stream id and bytes (48-byte header and body). Call once after each tick."""
        self._notice()
        scene = self._scenery.scene()
        for sensor in self._mounted.values():
            if sensor.actor.id in self._broken or not self._has_listener(sensor.actor.stream_id):
                continue
            yield from self._measured(sensor, scene)

    def _measured(self, sensor: _Mounted, scene: Scene) -> list[tuple[int, bytes]]:
        """The frames of one sensor; one that cannot measure (absurd places or attributes) is taken out of service."""
        try:
            delta_s = sensor.clock.due(self._world.elapsed_s)
            if delta_s is None:
                return []
            bodies = sensor.model.measure(self._moment(sensor, delta_s, scene))
            return [(sensor.actor.stream_id, self._header(sensor) + body) for body in bodies]
        except Exception as error:
            self._retire(sensor.actor, error)
            return []

    def _retire(self, actor: Actor, error: Exception) -> None:
        """Say once that a sensor is out of service, and leave it alone from now on."""
        self._broken.add(actor.id)
        print(
            f"headless: sensor {actor.id} ({actor.type_id}) is out of service: {error!r}", file=sys.stderr, flush=True
        )

    def _notice(self) -> None:
        """Mount new sensors, drop gone ones. Ids only grow, so that count and last id tell whether anything changed."""
        actors = self._world.actors
        seen = (len(actors), next(reversed(actors), 0))
        if seen == self._seen:
            return
        self._seen = seen
        wanted = [actor for actor in actors.values() if actor.kind is Kind.SENSOR and actor.stream_id]
        mounted = {actor.id: self._mounted.get(actor.id) or self._try_mount(actor) for actor in wanted}
        self._mounted = {actor_id: sensor for actor_id, sensor in mounted.items() if sensor is not None}

    def _try_mount(self, actor: Actor) -> _Mounted | None:
        """Prepare a new sensor, or take it out of service when its attributes make no sense."""
        try:
            return self._mount(actor)
        except Exception as error:
            self._retire(actor, error)
            return None

    def _mount(self, actor: Actor) -> _Mounted | None:
        """Prepare a new sensor; none for one that measures at the client or that this version does not know."""
        model, type_number = make_model(actor, self._version), self._version.sensor_types.get(actor.type_id)
        if model is None or type_number is None:
            return None
        return _Mounted(actor, type_number, model, Clock(number(actor, "sensor_tick", 0.0)))

    def _moment(self, sensor: _Mounted, delta_s: float, scene: Scene) -> Moment:
        parent = self._world.actors.get(sensor.actor.parent)
        return Moment(self._world, sensor.actor, parent, delta_s, sensor.clock.count - 1, scene)

    def _header(self, sensor: _Mounted) -> bytes:
        pose = sensor.actor.transform
        return self._headers.sensor(
            sensor.type_number, self._world.frame, self._world.elapsed_s, pose.location, pose.rotation
        )


def make_model(actor: Actor, version: ProtocolVersion) -> Model | None:
    """How a sensor measures; none for one that sends nothing (lane invasion and RSS measure at the client)."""
    makers: dict[str, Callable[[], Model]] = {
        "sensor.other.collision": lambda: CollisionSensor(version),
        "sensor.other.obstacle": lambda: Obstacle(actor, version),
        "sensor.other.gnss": lambda: Gnss(actor, _projection(version)),
        "sensor.other.imu": lambda: Imu(actor),
        "sensor.other.radar": Radar,
        "sensor.lidar.ray_cast": lambda: Lidar(actor),
        "sensor.lidar.ray_cast_semantic": lambda: SemanticLidar(actor),
        "sensor.camera.dvs": lambda: EventCamera(actor),
    }
    if actor.type_id in makers:
        return makers[actor.type_id]()
    return Camera(actor) if actor.type_id.startswith("sensor.camera.") else None


def _projection(version: ProtocolVersion) -> Projection:
    """How the version turns metres into degrees."""
    return PROJECTIONS[version.geo_projection]
