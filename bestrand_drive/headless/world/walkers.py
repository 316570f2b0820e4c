"""Pedestrians and animals: they walk where they are told, with their feet on the road."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Vector
from bestrand_drive.headless.maps.road_map import RoadMap
from bestrand_drive.headless.records import WALKER_RECORD
from bestrand_drive.headless.world.bodies import VX, VY, VZ, YAW, Bodies, X, Y, Z
from bestrand_drive.headless.world.controls import WalkerControl
from bestrand_drive.headless.world.dynamics import GRAVITY
from bestrand_drive.headless.world.ground import DEEPEST_M

MASS_KG = 80.0
_JUMP_MPS = 4.2
_STEP_M = 0.3  # feet follow the ground over such a step at once


class Walkers:
    """All walkers, by ascending actor id. Few of them move at a time, so they are stepped one by one."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.controls: dict[int, WalkerControl] = {}
        self.simulated: dict[int, bool] = {}
        self.slot: dict[int, int] = {}
        self.record = np.zeros(0, dtype=WALKER_RECORD)
        self.slots: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self._airborne: set[int] = set()
        self._drift: dict[int, tuple[float, float]] = {}

    def add(self, actor_id: int, slot: int) -> None:
        """Take a walker in; it starts above the ground and falls."""
        self.ids.append(actor_id)
        self.slot[actor_id] = slot
        self.simulated[actor_id] = True
        self._airborne.add(actor_id)
        self.slots = np.append(self.slots, slot)
        self.record = np.append(self.record, np.zeros(1, dtype=WALKER_RECORD))
        self.control(actor_id, WalkerControl())

    def remove(self, actor_id: int) -> None:
        """Let a walker go."""
        row = self.ids.index(actor_id)
        del self.ids[row], self.controls[actor_id], self.simulated[actor_id], self.slot[actor_id]
        self.slots, self.record = np.delete(self.slots, row), np.delete(self.record, row)
        self._airborne.discard(actor_id)
        self._drift.pop(actor_id, None)

    def control(self, actor_id: int, control: WalkerControl) -> None:
        """Set direction, speed and jump; ends a drift."""
        self._drift.pop(actor_id, None)
        self.controls[actor_id] = control
        self.record[self.ids.index(actor_id)] = (control.direction, control.speed, control.jump)

    def drift(self, actor_id: int, velocity: Vector, state: NDArray[np.float64]) -> None:
        """Move at a velocity, m/s in the world, without turning, until the next control; zero ends it.

        Args:
            actor_id: The walker.
            velocity: Upwards it is a jump.
            state: ``Bodies.state``.
        """
        vx, vy, vz = velocity
        self._drift.pop(actor_id, None)
        if vx or vy:
            self._drift[actor_id] = (vx, vy)
        if vz > 0.0:
            state[VZ, self.slot[actor_id]] = vz
            self._airborne.add(actor_id)

    def lift(self, actor_id: int) -> None:
        """It was put somewhere: find the ground again."""
        self._airborne.add(actor_id)

    def step(self, bodies: Bodies, road_map: RoadMap, dt_s: float) -> None:
        """Advance every walker by one step."""
        state = bodies.state
        for actor_id in self.ids:
            slot, control = self.slot[actor_id], self.controls[actor_id]
            if not self.simulated[actor_id]:
                continue
            busy = control.speed != 0.0 or control.jump or actor_id in self._airborne or actor_id in self._drift
            if not busy and state[VX, slot] == 0.0 and state[VY, slot] == 0.0:
                continue
            self._walk(actor_id, state[:, slot], dt_s)
            if self._stand(actor_id, state[:, slot], bodies.box[2, slot] - bodies.box[5, slot], (road_map, dt_s)):
                bodies.land(slot)

    def _walk(self, actor_id: int, state: NDArray[np.float64], dt_s: float) -> None:
        """Drift, or move along the control's direction, which the walker also faces."""
        control, drift = self.controls[actor_id], self._drift.get(actor_id)
        dx, dy, _ = control.direction
        norm = math.hypot(dx, dy)
        if drift is not None:
            state[VX], state[VY] = drift
        elif control.speed == 0.0 or norm < 1e-9:
            state[VX] = state[VY] = 0.0
        else:
            state[VX], state[VY] = dx / norm * control.speed, dy / norm * control.speed
            state[YAW] = math.degrees(math.atan2(dy, dx))
        state[X] += state[VX] * dt_s
        state[Y] += state[VY] * dt_s

    def _stand(self, actor_id: int, state: NDArray[np.float64], feet: float, place: tuple[RoadMap, float]) -> bool:
        """Follow the ground, fall or jump; whether a fall has ended. ``feet``: metres from the soles to the origin."""
        road_map, dt_s = place
        x, y, z = state[X : Z + 1].tolist()
        surface = road_map.surface(x, y, z)
        floor = None if surface is None else surface.height(x, y) + feet
        if floor is None or z < floor - DEEPEST_M:
            state[VZ] = 0.0
            self._airborne.discard(actor_id)
            return False
        flying = actor_id in self._airborne
        if not flying and self.controls[actor_id].jump:
            state[VZ] = _JUMP_MPS
            self._airborne.add(actor_id)
            flying = True
        if not flying and abs(z - floor) <= _STEP_M:
            state[Z], state[VZ] = floor, 0.0
            return False
        return self._fly(actor_id, state, floor, dt_s)

    def _fly(self, actor_id: int, state: NDArray[np.float64], floor: float, dt_s: float) -> bool:
        """Rise or fall; whether that has ended."""
        state[VZ] -= GRAVITY * dt_s
        state[Z] += state[VZ] * dt_s
        landed = bool(state[Z] <= floor)
        if landed:
            state[Z], state[VZ] = floor, 0.0
            self._airborne.discard(actor_id)
        else:
            self._airborne.add(actor_id)
        return landed
