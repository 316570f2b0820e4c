"""What a scenario may use: the world, the plan, the time, the states of this tick, the traffic."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.state import State
from bestrand_drive.evaluator.traffic import Traffic

if TYPE_CHECKING:
    import carla

DELTA_S = 0.05
"""Simulated seconds a tick: 20 Hz."""


class Stage:
    """The shared part of a drive; each scenario sees it with a random generator of its own.

    Attributes:
        world: CARLA's world.
        map: Its map.
        ego: The agent's vehicle.
        plan: The way that the route asks for.
        traffic: Everything that moves beside the ego.
        seed: Of the drive.
        rng: Of this scenario.
        frame: Of the last tick.
        time_s: Simulated seconds since the drive began.
        progress_m: Of the ego along the plan.
        delta_s: Simulated seconds a tick.
    """

    world: carla.World
    map: carla.Map
    ego: carla.Vehicle
    plan: Plan
    traffic: Traffic
    seed: int
    rng: random.Random
    frame: int
    time_s: float
    progress_m: float
    delta_s: float = DELTA_S

    def for_scenario(self, name: str) -> Stage:
        """The same stage with a generator that only depends on the seed, the route and the name."""
        raise NotImplementedError

    def spawn(self, blueprint: str, transform: carla.Transform, **attributes: str) -> carla.Actor | None:
        """Spawn an actor, which is destroyed at the end of the drive at the latest.

        Args:
            blueprint: Its id, ``vehicle.tesla.model3`` for instance.
            transform: Where; put vehicles half a metre above the road.
            attributes: Of the blueprint, e.g. ``role_name="scenario"``, ``color="255,0,0"``.

        Returns:
            None when the place is taken.
        """
        raise NotImplementedError

    def destroy(self, actor: carla.Actor) -> None:
        """Remove an actor that ``spawn`` gave."""
        raise NotImplementedError

    def state(self, actor: carla.Actor) -> State:
        """Of this tick's snapshot; cheap."""
        raise NotImplementedError

    def distance_to_ego(self, actor: carla.Actor) -> float:
        """Metres between the origins."""
        raise NotImplementedError
