"""Every sensor of the world: who is due, what it measures, in which frame it travels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bestrand_drive.headless.actor import Actor, Kind
from bestrand_drive.headless.sensors.camera import Camera, EventCamera
from bestrand_drive.headless.sensors.contact import CollisionSensor
from bestrand_drive.headless.sensors.geo import PROJECTIONS, Projection
from bestrand_drive.headless.sensors.gnss import Gnss
from bestrand_drive.headless.sensors.imu import Imu
from bestrand_drive.headless.sensors.lidar import Lidar, SemanticLidar
from bestrand_drive.headless.sensors.limits import number
from bestrand_drive.headless.sensors.obstacle import Obstacle
from bestrand_drive.headless.sensors.radar import Radar
from bestrand_drive.headless.sensors.reading import Body, Model, Moment
from bestrand_drive.headless.sensors.scene import Scene, Scenery
from bestrand_drive.headless.sensors.schedule import Schedule, Span
from bestrand_drive.headless.sensors.trail import Trail
from bestrand_drive.headless.sensors.world_view import SensedWorld
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.wire.layouts import Headers

_MOST_SAID = 16


@dataclass(slots=True)
class _Mounted:
    """One sensor in the world.

    Attributes:
        actor: The sensor.
        type_number: First field of its frames' header.
        model: How it measures.
        schedule: When.
        first_frame: The first that it sees.
        heard: Somebody has listened to it.
    """

    actor: Actor
    type_number: int
    model: Model
    schedule: Schedule
    first_frame: int
    heard: bool = False


class SensorSuite:
    """Turns each tick of the world into frames for the streams that somebody listens to.

    What a frame holds follows from the world and the ticks since the sensor was spawned, never from who listened when.
    """

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
        self._trail = Trail()
        self._mounted: dict[int, _Mounted] = {}
        self._needs_trail = False
        self._seen = (0, 0)
        self._broken: set[int] = set()
        self._said = 0

    def frames(self) -> Iterator[tuple[int, Body]]:
        """The last tick's frames: stream id; header (48 bytes) and body in pieces. Call it once after each tick."""
        self._notice()
        if self._needs_trail:
            self._trail.note(self._world.bodies, self._world.settings.step_s)
        scene = self._scenery.scene()
        for sensor in self._mounted.values():
            if sensor.actor.id in self._broken or not self._has_listener(sensor.actor.stream_id):
                continue
            if not sensor.heard:
                self._hear(sensor)
            yield from self._measured(sensor, scene)

    def _hear(self, sensor: _Mounted) -> None:
        """At a sensor's first listener, say what it will not get; after a number of sensors no more of it is said."""
        sensor.heard = True
        missing = _missing(sensor.actor.type_id)
        if not missing:
            return
        self._said += 1
        if self._said <= _MOST_SAID:
            _say(f"sensor {sensor.actor.id} ({sensor.actor.type_id}): {missing}")
        elif self._said == _MOST_SAID + 1:
            _say("nothing is rendered: further sensors of which this is true are not named")

    def _measured(self, sensor: _Mounted, scene: Scene) -> list[tuple[int, Body]]:
        """The frames of one sensor; one that cannot measure (absurd places) is taken out of service."""
        try:
            span = sensor.schedule.due(self._world.elapsed_s, self._world.settings.step_s)
            if span is None:
                return []
            bodies = sensor.model.measure(self._moment(sensor, span, scene))
            return [(sensor.actor.stream_id, (self._header(sensor), *body)) for body in bodies]
        except Exception as error:
            self._retire(sensor.actor, error)
            return []

    def _retire(self, actor: Actor, error: Exception) -> None:
        """Say once that a sensor is out of service, and leave it alone from now on."""
        self._broken.add(actor.id)
        _say(f"sensor {actor.id} ({actor.type_id}) is out of service: {error!r}")

    def _notice(self) -> None:
        """Mount new sensors, drop gone ones. Ids only grow, so that count and last id tell whether anything changed."""
        actors = self._world.actors
        seen = (len(actors), next(reversed(actors), 0))
        if seen == self._seen:
            return
        self._seen = seen
        wanted = [actor for actor in actors.values() if actor.kind is Kind.SENSOR and actor.stream_id]
        self._broken.intersection_update([actor.id for actor in wanted])
        mounted = {actor.id: self._mounted.get(actor.id) or self._try_mount(actor) for actor in wanted}
        self._mounted = {actor_id: sensor for actor_id, sensor in mounted.items() if sensor is not None}
        self._needs_trail = any(isinstance(sensor.model, Imu) for sensor in self._mounted.values())

    def _try_mount(self, actor: Actor) -> _Mounted | None:
        """Prepare a new sensor, or take it out of service when its attributes make no sense."""
        if actor.id in self._broken:
            return None
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
        period_s = number(actor.attributes, "sensor_tick") if "sensor_tick" in actor.attributes else 0.0
        now_s = self._world.elapsed_s
        schedule = Schedule(period_s, now_s - self._world.settings.step_s, now_s)
        return _Mounted(actor, type_number, model, schedule, self._world.frame)

    def _moment(self, sensor: _Mounted, span: Span, scene: Scene) -> Moment:
        world, actor = self._world, sensor.actor
        parent = world.actors.get(actor.parent)
        return Moment(world, actor, parent, span, world.frame - sensor.first_frame, scene, self._trail)

    def _header(self, sensor: _Mounted) -> bytes:
        pose = sensor.actor.transform
        return self._headers.sensor(
            sensor.type_number, self._world.frame, self._world.elapsed_s, pose.location, pose.rotation
        )


def _say(text: str) -> None:
    """A line for whoever runs the server."""
    print(f"headless: {text}", file=sys.stderr, flush=True)


def _missing(type_id: str) -> str:
    """What a kind of sensor does not deliver; empty for those that measure."""
    if type_id.startswith("sensor.camera."):
        return "nothing is rendered, its images say NOT RENDERED"
    return "nothing is rendered, its frames hold one detection of zeros" if type_id == "sensor.other.radar" else ""


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
