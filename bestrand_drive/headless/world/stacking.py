"""What comes down on something else stays on top of it, though there is no physics of standing: see ``contacts``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.bodies import VZ, Bodies, Z

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_TOUCH_M = 1e-3


@dataclass(frozen=True)
class Stacking:
    """Heights of the solid bodies; every array is ``[solid]``.

    Attributes:
        bodies: Changed in place.
        slots: Their slots.
        middle: Height of the box's centre over the actor's origin, metres.
        reach: Half the box's height, less half of what bodies may overlap, metres.
        dt_s: Step in seconds.
    """

    bodies: Bodies
    slots: Indices
    middle: Floats
    reach: Floats
    dt_s: float

    def upper(self, a: int, b: int) -> int | None:
        """Which of two overlapping bodies came down on the other in this tick: it was above it before, or on it.

        None where they were level, or where a client put one of them there.
        """
        if any(self.bodies.was_placed(int(self.slots[k])) for k in (a, b)):
            return None
        apart = self._apart(self.bodies.last, a, b)
        if abs(apart) < float(self.reach[a] + self.reach[b]) - _TOUCH_M:
            return None
        return a if apart > 0.0 else b

    def put(self, upper: int, lower: int) -> float:
        """Put one on top of the other, where it takes over its upward speed; the speed at which they met, m/s.

        That speed is taken from where they were: the road under both may have taken the fall's in the same tick.
        """
        state, high, low = self.bodies.state, int(self.slots[upper]), int(self.slots[lower])
        now = self._apart(state, upper, lower)
        closing = (self._apart(self.bodies.last, upper, lower) - now) / self.dt_s
        state[Z, high] += float(self.reach[upper] + self.reach[lower]) - now
        state[VZ, high] = max(state[VZ, high], state[VZ, low])
        self.bodies.land(high)
        return max(closing, 0.0)

    def _apart(self, state: Floats, a: int, b: int) -> float:
        """How much higher the middle of one is than that of the other, metres."""
        high, low = state[Z, self.slots[a]] + self.middle[a], state[Z, self.slots[b]] + self.middle[b]
        return float(high - low)
