"""Where everything was at the last three ticks: what a second difference needs."""

from __future__ import annotations

from collections import deque

import numpy as np

from bestrand_drive.headless.sensors.pose import Array
from bestrand_drive.headless.world.bodies import PLACE, Bodies


class Trail:
    """Places of all actors, noted at every tick while somebody needs them, whether anyone listens or not."""

    def __init__(self) -> None:
        self._ticks: deque[tuple[float, Array]] = deque(maxlen=3)

    def note(self, bodies: Bodies, step_s: float) -> None:
        """Remember a tick.

        Args:
            bodies: After the tick.
            step_s: Its length.
        """
        self._ticks.append((step_s, bodies.state[PLACE].copy()))

    def acceleration(self, slot: int, age: int) -> Array:
        """Acceleration [3] of a body, m/s^2: 2 (v1 - v0) / (h1 + h0) of the mean velocities of the last two steps.

        Args:
            slot: Of the body.
            age: Ticks that it has seen before the last one; with fewer than two nothing is known, and 0 is answered.
        """
        if age < 2:
            return np.zeros(3)
        (_, first), (h0_s, second), (h1_s, third) = self._ticks
        v0 = (second[:, slot] - first[:, slot]) / h0_s
        v1 = (third[:, slot] - second[:, slot]) / h1_s
        result: Array = 2.0 * (v1 - v0) / (h1_s + h0_s)
        return result
