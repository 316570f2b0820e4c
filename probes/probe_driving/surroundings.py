"""What is around: one snapshot a tick; what never changes (kind, size) is asked for once an actor."""

from __future__ import annotations

import math
from typing import Dict, Iterator, List, Optional, Set

import carla

_IGNORED = ("dirtdebris", "spectator")
"""Flat on the road, or not there at all."""
_LEVEL_M = 3.5
"""What is further above or below is on another road, or waits under the ground for its turn."""
_FAR_M = 90.0
_DRIVES_M_S = 1.0


class Thing:
    """Something that can be in the way.

    Attributes:
        number: Id of the actor.
        walker, vehicle: What it is; a prop if neither.
        emergency: Whether it is a vehicle with blue lights.
        moved: Whether it has been seen to drive; what has not is parked.
        half_length, half_width: Of its box, in metres.
        x, y, z: Its place in metres.
        vx, vy, speed: Its velocity, horizontal, in m/s.
        cos, sin: Of its yaw.
        turn: Its yaw rate in rad/s.
    """

    __slots__ = (
        *("cos", "emergency", "half_length", "half_width", "moved", "number", "sin", "speed", "turn"),
        *("vehicle", "vx", "vy", "walker", "x", "y", "z"),
    )

    def __init__(self, actor: carla.Actor) -> None:
        self.number: int = actor.id
        self.walker: bool = actor.type_id.startswith("walker.")
        self.vehicle: bool = actor.type_id.startswith("vehicle.")
        self.emergency: bool = self.vehicle and actor.attributes.get("special_type") == "emergency"
        self.moved = False
        extent = actor.bounding_box.extent
        self.half_length = _size(extent.x, 0.3)
        self.half_width = _size(extent.y, 0.3)
        self.x = self.y = self.z = self.vx = self.vy = self.speed = self.turn = self.sin = 0.0
        self.cos = 1.0

    def read(self, state: carla.ActorSnapshot) -> None:
        """Take over place and velocity of this tick."""
        transform = state.get_transform()
        place, yaw = transform.location, math.radians(transform.rotation.yaw)
        self.x, self.y, self.z = place.x, place.y, place.z
        self.cos, self.sin = math.cos(yaw), math.sin(yaw)
        if not (self.vehicle or self.walker):
            return  # props are taken to stand
        velocity = state.get_velocity()
        self.vx, self.vy = velocity.x, velocity.y
        self.speed = math.hypot(self.vx, self.vy)
        self.moved = self.moved or self.speed > _DRIVES_M_S
        self.turn = math.radians(state.get_angular_velocity().z) if self.vehicle and self.speed > 1.0 else 0.0


def _size(value: float, default: float) -> float:
    """Half a box's side in metres; some props have none, or an infinite one."""
    return value if 0.05 < value < 20.0 else default


class Surroundings:
    """All things of a world, read once a tick.

    Attributes:
        hero: The vehicle that is driven.
        things: Those near it in this tick, without itself.
    """

    def __init__(self, world: carla.World, hero: carla.Vehicle) -> None:
        self._world = world
        self._known: Dict[int, Optional[Thing]] = {}
        self._number = hero.id
        self.hero = Thing(hero)
        self.things: List[Thing] = []

    def update(self) -> None:
        """Read this tick."""
        snapshot = self._world.get_snapshot()
        states = {state.id: state for state in snapshot}
        known = self._known
        new = states.keys() - known.keys()
        if new:
            self._learn(new)
        self.hero.read(states[self._number])
        self.things = list(self._near(states))

    def _near(self, states: Dict[int, carla.ActorSnapshot]) -> Iterator[Thing]:
        hero = self.hero
        for number, state in states.items():
            thing = self._known[number]
            if thing is None:
                continue
            thing.read(state)
            if (
                abs(thing.x - hero.x) < _FAR_M
                and abs(thing.y - hero.y) < _FAR_M
                and abs(thing.z - hero.z) < _LEVEL_M + 0.1 * abs(thing.x - hero.x)
            ):
                yield thing

    def _learn(self, new: Set[int]) -> None:
        """Ask for actors that have not been seen before."""
        self._known.update(dict.fromkeys(new))
        for actor in self._world.get_actors(sorted(new)):
            kind = actor.type_id
            solid = kind.startswith(("vehicle.", "walker.", "static.prop.")) and not any(x in kind for x in _IGNORED)
            if solid and actor.id != self._number:
                self._known[actor.id] = Thing(actor)
