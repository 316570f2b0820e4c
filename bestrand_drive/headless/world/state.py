"""What the world holds, and how a map fills it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from bestrand_drive.errors import DataRefused
from bestrand_drive.headless.actor import Actor, Kind, Transform
from bestrand_drive.headless.blueprints.catalog import Catalog
from bestrand_drive.headless.maps.library import LONGEST_NAME, MapLibrary
from bestrand_drive.headless.maps.road_map import RoadMap
from bestrand_drive.headless.maps.signals import SignalSite
from bestrand_drive.headless.signal_types import SPEED_TYPE, STOP_TYPE, YIELD_TYPE
from bestrand_drive.headless.town_names import GENERATED_MAP, short_name
from bestrand_drive.headless.world.attachments import Attachments
from bestrand_drive.headless.world.bodies import Bodies, TableActor
from bestrand_drive.headless.world.contacts import CollisionEvent
from bestrand_drive.headless.world.controls import AckermannSettings
from bestrand_drive.headless.world.dynamics import GRAVITY
from bestrand_drive.headless.world.errors import ACTOR_NOT_FOUND, WorldError
from bestrand_drive.headless.world.fleet import Fleet
from bestrand_drive.headless.world.lights import TrafficLights
from bestrand_drive.headless.world.props import LooseProps
from bestrand_drive.headless.world.settings import EpisodeSettings, default_weather
from bestrand_drive.headless.world.snapshot import SnapshotTable
from bestrand_drive.headless.world.solids import Solids
from bestrand_drive.headless.world.stop_zones import StopZones
from bestrand_drive.headless.world.walkers import Walkers

_LIGHT_ID = "traffic.traffic_light"
_SIGN_IDS = {STOP_TYPE: "traffic.stop", YIELD_TYPE: "traffic.yield"}
_SIGNAL_TAGS = {Kind.TRAFFIC_LIGHT: 7, Kind.SIGN: 8}
_NO_STREAM = "sensor.other.lane_invasion"  # the client computes it
_FIRST_STREAM = 2  # 1 is the world observer


class WorldState:
    """Maps, actors and their tables. Ids are never reused, not even in another episode."""

    road_map: RoadMap
    lights: TrafficLights
    spectator: Actor

    def __init__(self, maps: MapLibrary, catalog: Catalog, seed: int) -> None:
        """An empty world; load a map before anything else.

        Args:
            maps: Where towns are found.
            catalog: What can be spawned.
            seed: Start of the traffic lights' cycles, and of nothing else.
        """
        self.maps, self.catalog, self.seed = maps, catalog, seed
        self.frame, self.episode, self.elapsed_s = 1, 0, 0.0
        self.starts_synchronous = False
        self.settings = EpisodeSettings()
        self._next_id, self._next_stream = 1, _FIRST_STREAM
        self._snapshot = SnapshotTable()
        self._clear()

    def _clear(self) -> None:
        """Forget every actor."""
        self.actors: dict[int, Actor] = {}
        self.events: list[CollisionEvent] = []
        self.weather = default_weather()
        self.imu_gravity = GRAVITY  # of CARLA's game mode, which each map has anew
        self.bodies, self.fleet, self.walkers = Bodies(), Fleet(), Walkers()
        self.attachments, self.props = Attachments(), LooseProps()
        self.light_flags: dict[int, int] = {}
        self._ackermann: dict[int, AckermannSettings] = {}
        self._ghosts: set[int] = set()
        self.solids = Solids()
        self._signs: list[tuple[int, str]] = []
        self._snapshot.forget()

    # --- maps
    @property
    def map_name(self) -> str:
        """As CARLA names it: ``Carla/Maps/Town01``."""
        return f"Carla/Maps/{self._map_title}"

    @property
    def opendrive(self) -> str:
        """OpenDRIVE text of the loaded map."""
        return self.road_map.xodr

    @property
    def spawn_points(self) -> list[Transform]:
        """Where vehicles may be spawned."""
        return list(self.road_map.spawn_points)

    def load_map(self, name: str, reset_settings: bool) -> None:
        """Start a new episode in a town.

        Raises:
            WorldError: No such town, or its file cannot be read.
        """
        try:
            road_map = self.maps.load(name)
        except DataRefused as error:
            raise WorldError(f"map not found: {name[:LONGEST_NAME]}. {error}") from error
        self._enter(road_map, short_name(name), reset_settings)

    def load_opendrive(self, xodr: str, reset_settings: bool = False) -> None:
        """Start a new episode in a map given as OpenDRIVE text.

        Raises:
            WorldError: The text cannot be read.
        """
        try:
            road_map = self.maps.from_text(GENERATED_MAP, xodr)
        except DataRefused as error:
            raise WorldError(str(error)) from error
        self._enter(road_map, GENERATED_MAP, reset_settings)

    def _enter(self, road_map: RoadMap, title: str, reset_settings: bool) -> None:
        self._clear()
        self.road_map, self._map_title = road_map, title
        self.episode += 1
        self.frame += 1
        self.elapsed_s = 0.0
        if reset_settings:
            self.settings = EpisodeSettings(synchronous_mode=self.starts_synchronous)
        self.spectator = self._add(Kind.SPECTATOR, "spectator", Transform())
        sites = road_map.lights
        ids = [self._add_signal(site, Kind.TRAFFIC_LIGHT, _LIGHT_ID).id for site in sites]
        self.lights = TrafficLights(sites, road_map.junctions, ids, self.seed)
        self._zones = StopZones(sites)
        for site in road_map.signs:
            self._signs.append((self._add_signal(site, Kind.SIGN, _sign_name(site)).id, site.sign_id))

    def _add_signal(self, site: SignalSite, kind: Kind, type_id: str) -> Actor:
        return self._add(kind, type_id, site.transform, (site.extent, site.box_centre), tag=_SIGNAL_TAGS[kind])

    # --- actors
    def actor(self, actor_id: int) -> Actor:
        """The actor with that id.

        Raises:
            WorldError: There is none.
        """
        try:
            return self.actors[actor_id]
        except KeyError:
            raise WorldError(f"{ACTOR_NOT_FOUND} (id {actor_id})") from None

    def slot(self, actor_id: int) -> int:
        """Column of an actor in ``bodies``.

        Raises:
            WorldError: There is no such actor.
        """
        actor = self.actor(actor_id)
        assert isinstance(actor, TableActor)  # noqa: S101  the world makes no others
        return actor.slot

    def _add(
        self,
        kind: Kind,
        type_id: str,
        transform: Transform,
        box: tuple[tuple[float, float, float], tuple[float, float, float]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        *,
        tag: int = 0,
        attributes: dict[str, tuple[int, str]] | None = None,
    ) -> Actor:
        """Give an actor an id, a slot and, if it is a sensor, a stream."""
        stream = 0
        if kind is Kind.SENSOR and type_id != _NO_STREAM:
            stream, self._next_stream = self._next_stream, self._next_stream + 1
        blueprint, still = self.catalog.find(type_id), (0.0, 0.0, 0.0)
        plain = Actor(
            id=self._next_id,
            kind=kind,
            type_id=type_id,
            blueprint_uid=blueprint.uid if blueprint else 0,
            attributes=attributes if attributes is not None else (blueprint.defaults() if blueprint else {}),
            transform=transform,
            velocity=still,
            angular_velocity=still,
            acceleration=still,
            extent=box[0],
            box_centre=box[1],
            semantic_tag=tag,
            parent=0,
            attachment=None,
            stream_id=stream,
        )
        self._next_id += 1
        actor = TableActor(plain, self.bodies)
        self.actors[actor.id] = actor
        return actor

    def snapshot_rows(self) -> NDArray[Any]:
        """Records of all actors by ascending id (see ``records.ACTOR_RECORD``), valid until the next call."""
        return self._snapshot.rows(self.bodies, self.fleet, self.walkers, self.lights, self._signs)


def _sign_name(site: SignalSite) -> str:
    """CARLA's type id of a sign.

    A speed limit carries the sign's number as it is: CARLA takes it for km/h and does not look at its unit
    (``USpeedLimitComponent``), though the files of its own towns say mph.
    """
    return f"traffic.speed_limit.{site.value:.0f}" if site.type == SPEED_TYPE else _SIGN_IDS[site.type]
