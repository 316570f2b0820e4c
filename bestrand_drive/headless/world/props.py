"""Loose props: cones and boxes whose physics a client has switched on. They fall, and others push them along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.maps.road_map import RoadMap
from bestrand_drive.headless.world.bodies import VX, VY, VZ, Bodies, X, Y, Z
from bestrand_drive.headless.world.boxes import Boxes
from bestrand_drive.headless.world.dynamics import GRAVITY
from bestrand_drive.headless.world.ground import DEEPEST_M

MASS_KG = 20.0
_FRICTION = 6.0  # m/s^2
_STEP_M = 0.3  # what slides follows the ground over such a step at once


class LooseProps:
    """The props that may move.

    Attributes:
        slots: Actor id -> slot.
    """

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self._airborne: set[int] = set()
        self._weightless: set[int] = set()

    def loosen(self, actor_id: int, slot: int) -> None:
        """Let a prop move; it falls to the ground."""
        self.slots[actor_id] = slot
        self._airborne.add(actor_id)

    def fix(self, actor_id: int) -> None:
        """It stays where it is."""
        self.slots.pop(actor_id, None)
        self._airborne.discard(actor_id)

    def remove(self, actor_id: int) -> None:
        """It is gone."""
        self.fix(actor_id)
        self._weightless.discard(actor_id)

    def weigh(self, actor_id: int, enabled: bool) -> None:
        """With gravity a loose prop falls; without, it keeps its height."""
        (self._weightless.discard if enabled else self._weightless.add)(actor_id)
        self.lift(actor_id)

    def lift(self, actor_id: int) -> None:
        """It was put somewhere: find the ground again."""
        if actor_id in self.slots:
            self._airborne.add(actor_id)

    def step(self, bodies: Bodies, road_map: RoadMap, dt_s: float) -> None:
        """Slide on and slow down, fall and land."""
        for actor_id, slot in self.slots.items():
            state = bodies.state[:, slot]
            slides = state[VX] != 0.0 or state[VY] != 0.0
            if slides:
                _slide(state, dt_s)
            if actor_id in self._weightless:
                state[VZ] = 0.0
            elif slides or actor_id in self._airborne:
                self._settle(actor_id, bodies, road_map, dt_s)

    def _settle(self, actor_id: int, bodies: Bodies, road_map: RoadMap, dt_s: float) -> None:
        """Fall, or stay on the ground; off every road a prop keeps its height."""
        slot = self.slots[actor_id]
        state = bodies.state[:, slot]
        x, y, z = state[X : Z + 1].tolist()
        surface, box = road_map.surface(x, y, z), Boxes.of(bodies, np.array([slot], dtype=np.intp))
        low = float(box.z[0] - box.height[0])
        above = 0.0 if surface is None else low - surface.height(x, y)
        flies = actor_id in self._airborne or above > _STEP_M
        speed = float(state[VZ]) - GRAVITY * dt_s if flies else 0.0
        if surface is None or above < -DEEPEST_M:
            above = speed = 0.0
        falls = above + speed * dt_s > 0.0 and flies
        state[Z] = z + speed * dt_s if falls else z - above
        state[VZ] = speed if falls else 0.0
        (self._airborne.add if falls else self._airborne.discard)(actor_id)
        if not falls:
            bodies.land(slot)


def _slide(state: NDArray[np.float64], dt_s: float) -> None:
    """Move along the ground, worn down by friction."""
    vx, vy = float(state[VX]), float(state[VY])
    speed = (vx * vx + vy * vy) ** 0.5
    state[X] += vx * dt_s
    state[Y] += vy * dt_s
    left = max(speed - _FRICTION * dt_s, 0.0) / speed
    state[VX], state[VY] = vx * left, vy * left
