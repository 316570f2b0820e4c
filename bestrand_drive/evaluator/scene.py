"""What there is in a drive: the world, the plan, the time, what was spawned, and where everything is in this tick."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import carla

from bestrand_drive.evaluator.plan import Plan
from bestrand_drive.evaluator.state import State

DELTA_S = 0.05
"""Simulated seconds a tick: 20 Hz."""


@dataclass
class Now:
    """What changes every tick; shared by all views of a scene."""

    time_s: float = 0.0
    progress_m: float = 0.0
    plan_index: int = 0
    snapshot: carla.WorldSnapshot | None = None
    states: dict[int, State] = field(default_factory=dict)
    fresh: dict[int, State] = field(default_factory=dict)
    """Spawned since the last tick: no snapshot knows them yet."""
    spawned: dict[int, carla.Actor] = field(default_factory=dict)


class Scene:
    """The ego, and whatever else is spawned in a drive.

    Attributes:
        client: CARLA's client, for batches.
        world: CARLA's world.
        map: Its map.
        ego: The agent's vehicle.
        plan: The way that the route asks for.
        delta_s: Simulated seconds a tick.
    """

    delta_s = DELTA_S

    def __init__(
        self, client: carla.Client, world: carla.World, map_: carla.Map, ego: carla.Vehicle, plan: Plan
    ) -> None:
        self.client, self.world, self.map, self.ego, self.plan = client, world, map_, ego, plan
        self._now = Now()
        self._library = world.get_blueprint_library()  # each call asks the server for all of it

    @property
    def time_s(self) -> float:
        """Simulated seconds since the drive began."""
        return self._now.time_s

    @property
    def progress_m(self) -> float:
        """Of the ego along the plan."""
        return self._now.progress_m

    @property
    def plan_index(self) -> int:
        """The plan's point that is nearest to the ego."""
        return self._now.plan_index

    def see(self, snapshot: carla.WorldSnapshot, time_s: float) -> None:
        """A tick has passed."""
        now = self._now
        now.snapshot, now.time_s = snapshot, time_s
        now.states.clear()
        now.fresh.clear()
        index, _ = self.plan.project(self.state(self.ego).location, now.plan_index)
        now.plan_index, now.progress_m = index, self.plan.distances[index]

    def spawn(
        self, blueprint: str, transform: carla.Transform, speed_m_s: float = 0.0, **attributes: str
    ) -> carla.Actor | None:
        """Spawn an actor, which is destroyed at the end of the drive at the latest.

        Args:
            blueprint: Its id, ``vehicle.tesla.model3`` for instance; what the server does not have gives None too.
            transform: Where; put vehicles half a metre above the road.
            speed_m_s: It already moves so fast along its heading.
            attributes: Of the blueprint, e.g. ``role_name="scenario"``, ``color="255,0,0"``; unknown ones are left out.

        Returns:
            None when the place is taken.
        """
        found = list(self._library.filter(blueprint))
        if not found:
            return None
        for name, value in attributes.items():
            if found[0].has_attribute(name):
                found[0].set_attribute(name, value)
        actor = self.world.try_spawn_actor(found[0], transform)
        if actor is not None:
            self._now.spawned[actor.id] = actor
            place = carla.Transform(transform.location, transform.rotation)
            velocity = place.get_forward_vector() * speed_m_s
            if speed_m_s > 0.0:
                actor.set_target_velocity(velocity)
            self._now.fresh[actor.id] = State(place.location, place.rotation, velocity, speed_m_s)
        return actor

    def destroy(self, actor: carla.Actor) -> None:
        """Remove an actor that ``spawn`` gave."""
        if self._now.spawned.pop(actor.id, None) is not None:
            actor.destroy()

    def others(self) -> list[carla.Actor]:
        """All actors that ``spawn`` gave and that are still there, in that order."""
        return list(self._now.spawned.values())

    def state(self, actor: carla.Actor) -> State:
        """Of this tick's snapshot; cheap."""
        number, now = actor.id, self._now
        known = now.states.get(number)
        if known is None:
            found = now.snapshot.find(number) if now.snapshot is not None else None
            if found is None:
                fresh = now.fresh.get(number)
                return fresh if fresh is not None else self._asked(actor)
            known = now.states[number] = State.of(found)
        return known

    def _asked(self, actor: carla.Actor) -> State:
        """From the actor itself: before the first tick, or when something else spawned it."""
        transform, velocity = actor.get_transform(), actor.get_velocity()
        speed = math.hypot(velocity.x, velocity.y, velocity.z)
        return State(transform.location, transform.rotation, velocity, speed)

    def distance_to_ego(self, actor: carla.Actor) -> float:
        """Metres between the origins."""
        return float(self.state(actor).location.distance(self.state(self.ego).location))

    def exists(self, actor: carla.Actor) -> bool:
        """Whether an actor that ``spawn`` gave is still there."""
        return actor.id in self._now.spawned

    def clear(self) -> None:
        """Remove all that was spawned."""
        gone = [carla.command.DestroyActor(number) for number in self._now.spawned]
        if gone:
            self.client.apply_batch_sync(gone, False)
        self._now.spawned.clear()
