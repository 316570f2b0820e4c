"""What privileged agents read of the world, as ``srunner.scenariomanager.carla_data_provider``."""

from __future__ import annotations

import random
from typing import Any

import carla


class CarlaDataProvider:
    """The world of the present drive; one drive a process at a time."""

    _client: carla.Client | None = None
    _world: carla.World | None = None
    _map: carla.Map | None = None
    _hero: carla.Vehicle | None = None
    _port = 8000
    _rng = random.Random(2000)  # noqa: S311  no secret
    _actors: tuple[int, Any] = (-1, None)

    @classmethod
    def begin(cls, client: carla.Client, world: carla.World, map_: carla.Map, port: int, seed: int) -> None:
        """The evaluator has loaded a town."""
        cls._client, cls._world, cls._map, cls._port = client, world, map_, port
        cls._hero, cls._actors, cls._rng = None, (-1, None), random.Random(seed)  # noqa: S311  no secret

    @classmethod
    def set_hero(cls, hero: carla.Vehicle) -> None:
        """The evaluator has put the ego down."""
        cls._hero = hero

    @classmethod
    def cleanup(cls) -> None:
        """The drive is over."""
        cls._client = cls._world = cls._map = cls._hero = None
        cls._actors = (-1, None)

    @classmethod
    def get_client(cls) -> carla.Client | None:
        """The client."""
        return cls._client

    @classmethod
    def get_world(cls) -> carla.World | None:
        """The world."""
        return cls._world

    @classmethod
    def get_map(cls, world: carla.World | None = None) -> carla.Map | None:
        """The map."""
        del world
        return cls._map

    @classmethod
    def get_hero_actor(cls) -> carla.Vehicle | None:
        """The vehicle that the agent drives."""
        return cls._hero

    @classmethod
    def get_traffic_manager_port(cls) -> int:
        """The port that the evaluator was given; it starts no TrafficManager itself."""
        return cls._port

    @classmethod
    def get_random_seed(cls) -> random.Random:
        """A generator of this drive."""
        return cls._rng

    @staticmethod
    def is_sync_mode() -> bool:
        """Always."""
        return True

    @classmethod
    def get_all_actors(cls) -> Any:
        """All actors, listed once a tick."""
        world = cls._world
        if world is None:
            return []
        frame = world.get_snapshot().frame
        if cls._actors[0] != frame:
            cls._actors = (frame, world.get_actors())
        return cls._actors[1]

    @classmethod
    def get_actor_by_id(cls, actor_id: int) -> carla.Actor | None:
        """One actor."""
        return None if cls._world is None else cls._world.get_actor(actor_id)

    @staticmethod
    def get_transform(actor: carla.Actor) -> carla.Transform:
        """Of this tick."""
        return actor.get_transform()

    @staticmethod
    def get_location(actor: carla.Actor) -> carla.Location:
        """Of this tick."""
        return actor.get_location()

    @staticmethod
    def get_velocity(actor: carla.Actor) -> float:
        """Speed of this tick, m/s."""
        return float(actor.get_velocity().length())
