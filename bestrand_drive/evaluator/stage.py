"""What a scenario may use: the scene, what moves in it, and chance."""

from __future__ import annotations

import copy
import random
from typing import Any

import carla

from bestrand_drive.evaluator.ambient import Ambient
from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.scene import Scene
from bestrand_drive.evaluator.traffic import Traffic


class Stage(Scene):
    """The shared part of a drive; each scenario sees it with a random generator of its own.

    Attributes:
        traffic: Everything that moves beside the ego.
        ambient: The part of it that belongs to no scenario.
        rng: Of this scenario.
        own: Spawned through this view.
    """

    def __init__(
        self, client: carla.Client, world: carla.World, map_: carla.Map, ego: carla.Vehicle, plan: Plan, name: str,
        seed: int,
    ) -> None:  # fmt: skip
        super().__init__(client, world, map_, ego, plan)
        self._chance = f"{seed}/{name}"
        self.own: list[carla.Actor] = []
        self.rng = self._generator("stage")
        self.traffic = Traffic(self)
        self.ambient = Ambient(self, self.traffic, self._generator("traffic"))

    def _generator(self, purpose: str) -> random.Random:
        return random.Random(f"{self._chance}/{purpose}")  # noqa: S311  no secret

    def for_scenario(self, name: str) -> Stage:
        """The same stage with a generator that only depends on the seed, the route and the name."""
        view = copy.copy(self)
        view.rng, view.own = self._generator(f"scenario {name}"), []
        return view

    def spawn(
        self, blueprint: str, transform: carla.Transform, speed_m_s: float = 0.0, **attributes: str
    ) -> carla.Actor | None:
        """As a scene's; noted in ``own``."""
        actor = super().spawn(blueprint, transform, speed_m_s, **attributes)
        if actor is not None:
            self.own.append(actor)
        return actor

    def move(self) -> list[Any]:
        """The commands of this tick for all that moves beside the ego."""
        self.ambient.tick()
        return self.traffic.tick()
