"""Steering wheel and pedals."""

from __future__ import annotations

import math
import random
from collections import deque
from typing import Deque

import carla

from probe_driving.style import Style

_FULL_BRAKE_M_S2 = 8.0
_FULL_THROTTLE_M_S2 = 4.5
_PER_SECOND = 1.6
"""Acceleration wanted for each m/s of a wrong speed."""
_HOLD_BRAKE = 0.6
_WHEELBASE_M = 2.86
_LOCK_RAD = (math.radians(25.0), math.radians(45.0), math.radians(75.0))
"""Angle at full steering of a model with one wheel an axle: least, at first, most."""
_LEARNING = 0.03
_SHORTEST_M, _LONGEST_M = 3.6, 14.0


def lookahead(speed: float, style: Style) -> float:
    """How far ahead pure pursuit aims, metres."""
    return min(max(_SHORTEST_M, 1.5 + speed * style.lookahead_s), _LONGEST_M)


def pursuit(forward: float, right: float) -> float:
    """Angle of the front wheels, radians, that leads to a point (Coulter 1992).

    Args:
        forward: Of the point from the rear axle, metres.
        right: Of the point, metres.
    """
    size = forward * forward + right * right
    return math.atan(2.0 * _WHEELBASE_M * right / size) if size > 0.01 else 0.0


class Wheel:
    """The steering wheel of a vehicle whose full lock is learned from how it turns: simulators and cars differ."""

    def __init__(self) -> None:
        self._lock = _LOCK_RAD[1]
        self._last = 0.0

    def turn(self, angle: float, speed: float, yaw_rate: float) -> float:
        """Steering, -1 to 1, for an angle in radians; speed in m/s and yaw rate in rad/s tell what the last did."""
        if speed > 2.0 and abs(self._last) > 0.1:
            shown = math.atan(yaw_rate * _WHEELBASE_M / speed) / self._last
            self._lock += _LEARNING * (shown - self._lock)
            self._lock = min(max(self._lock, _LOCK_RAD[0]), _LOCK_RAD[2])
        self._last = min(max(angle / self._lock, -1.0), 1.0)
        return self._last


class Pedals:
    """Turns wishes into controls; keeps the error of the throttle, the noise and the late reaction."""

    def __init__(self, style: Style, delta_s: float, seed: str) -> None:
        self._style = style
        self._delta_s = delta_s
        self._rng = random.Random(seed)  # noqa: S311  a driver's trembling hand
        self._sum = 0.0
        self._error = 0.0
        self._late: Deque[float] = deque(maxlen=1 + int(style.reaction_s / delta_s + 0.5))

    def control(self, speed: float, wanted: float, most: float, steer: float) -> carla.VehicleControl:
        """The control of a tick.

        Args:
            speed: In m/s.
            wanted: Speed to come to, in m/s.
            most: Acceleration that the leader allows, in m/s^2.
            steer: -1 to 1.
        """
        accel = min(_PER_SECOND * (wanted - speed), self._style.accel_m_s2, most)
        self._late.append(accel)
        accel = max(self._late[0], -_FULL_BRAKE_M_S2)
        control = carla.VehicleControl(steer=self._trembling(steer))
        if wanted < 0.1 and speed < 0.3 and accel < 0.2:
            self._sum = 0.0
            control.brake = _HOLD_BRAKE
        elif accel < -0.6:
            self._sum = 0.0
            control.brake = min(-accel / _FULL_BRAKE_M_S2, 1.0)
        else:
            self._sum = min(max(self._sum + 0.4 * accel * self._delta_s, -0.1), 0.4)
            control.throttle = min(max(accel / _FULL_THROTTLE_M_S2 + 0.05 + self._sum, 0.0), 0.9)
        return control

    def _trembling(self, steer: float) -> float:
        """The steering with an error that wanders (an autoregressive one of about a second)."""
        if self._style.noise:
            keep = math.exp(-self._delta_s / 1.0)
            draw = self._rng.gauss(0.0, self._style.noise) * math.sqrt(1.0 - keep * keep)
            self._error = keep * self._error + draw
        return min(max(steer + self._error, -1.0), 1.0)
