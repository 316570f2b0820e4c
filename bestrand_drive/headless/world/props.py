"""Loose props: cones and boxes whose physics a client has switched on, which a vehicle can push along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.bodies import VX, VY, X, Y

MASS_KG = 20.0
_FRICTION = 6.0  # m/s^2


class LooseProps:
    """Slots of the props that may move, by actor id."""

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}

    def step(self, state: NDArray[np.float64], dt_s: float) -> None:
        """Slide on and slow down.

        Args:
            state: ``Bodies.state``.
            dt_s: Step in seconds.
        """
        for slot in self.slots.values():
            vx, vy = float(state[VX, slot]), float(state[VY, slot])
            speed = (vx * vx + vy * vy) ** 0.5
            if speed == 0.0:
                continue
            state[X, slot] += vx * dt_s
            state[Y, slot] += vy * dt_s
            left = max(speed - _FRICTION * dt_s, 0.0) / speed
            state[VX, slot], state[VY, slot] = vx * left, vy * left
