"""The connection to a running server: its settings for the run, and its towns."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import carla

from bestrand_drive.errors import EnvironmentFault
from bestrand_drive.evaluator.scene import DELTA_S

_ASK_S = 5.0
_TILE_M = 650.0
_SHARED = "Another client may use this server; give every evaluator one of its own."


class Session:
    """A client in synchronous mode.

    Attributes:
        client: CARLA's client.
        world: The present world.
        map: Its map.
    """

    def __init__(self, client: carla.Client, timeout_s: float, towns: Path) -> None:
        self.client = client
        self._timeout_s = timeout_s
        self._towns = towns
        self._listed = {name.rsplit("/", 1)[-1] for name in client.get_available_maps()}
        self.world: carla.World = client.get_world()
        self.map: carla.Map = None
        self._loaded_id: int | None = None

    def load(self, town: str) -> None:
        """Load a town afresh, so that no route sees what another has left behind."""
        if town in self._listed:
            self.world = self.client.load_world(town, reset_settings=False)
        else:
            self.world = self.client.generate_opendrive_world(self._opendrive(town), _parameters(), False)
        self._tell_distances()
        self.world.reset_all_traffic_lights()
        self.world.tick()
        self.map = self.world.get_map()
        self._loaded_id = int(self.world.id)  # it becomes that of another world as soon as the client hears of one

    def missing(self, towns: Iterable[str]) -> set[str]:
        """Those towns that neither the server nor the folder has."""
        return {town for town in towns if town not in self._listed and not self._has(town)}

    def _has(self, town: str) -> bool:
        return Path(town).name == town and self._file(town).is_file()

    def _file(self, town: str) -> Path:
        return self._towns / f"{town}.xodr"

    def _opendrive(self, town: str) -> str:
        return self._file(town).read_text("utf-8", "replace")  # letters in names are nothing to drive on

    def _tell_distances(self) -> None:
        """Large maps forget these when they are loaded."""
        settings = self.world.get_settings()
        settings.tile_stream_distance = settings.actor_active_distance = _TILE_M
        self.world.apply_settings(settings)

    def check(self, snapshot: carla.WorldSnapshot, ego: carla.Actor) -> None:
        """Make sure that what is driven is still there: a lost ego stands at the origin, and would be scored there.

        Raises:
            RuntimeError: As carla's own: another world was loaded, or the ego removed.
        """
        if snapshot.id != self._loaded_id:
            raise RuntimeError(f"another world was loaded during the drive. {_SHARED}")
        if snapshot.find(ego.id) is None:
            raise RuntimeError(f"the ego was removed during the drive. {_SHARED}")

    def answers(self) -> bool:
        """Whether the server is still there."""
        self.client.set_timeout(_ASK_S)
        try:
            self.client.get_server_version()
        except RuntimeError:
            return False
        finally:
            self.client.set_timeout(self._timeout_s)
        return True


def _parameters() -> carla.OpendriveGenerationParameters:
    """A flat mesh without walls."""
    return carla.OpendriveGenerationParameters(
        vertex_distance=2.0, max_road_length=500.0, wall_height=0.0, additional_width=0.6, smooth_junctions=True,
        enable_mesh_visibility=True,
    )  # fmt: skip


@contextlib.contextmanager
def connected(host: str, port: int, timeout_s: float, towns: Path) -> Iterator[Session]:
    """A session; the server gets its settings back where it is still there.

    Raises:
        EnvironmentFault: There is no such host, or no server answers there.
    """
    try:
        client = carla.Client(host, port)
        client.set_timeout(timeout_s)
        session = Session(client, timeout_s, towns)
        before = session.world.get_settings()
        session.world.apply_settings(_synchronous(before))
    except RuntimeError as error:
        raise EnvironmentFault(f"no CARLA server answers at {host}:{port} ({error}). Start one first.") from error
    try:
        yield session
    finally:
        if session.answers():
            with contextlib.suppress(RuntimeError):
                session.world.apply_settings(before)


def _synchronous(before: carla.WorldSettings) -> carla.WorldSettings:
    return carla.WorldSettings(
        synchronous_mode=True,
        no_rendering_mode=before.no_rendering_mode,
        fixed_delta_seconds=DELTA_S,
        deterministic_ragdolls=True,
        spectator_as_ego=False,
    )
