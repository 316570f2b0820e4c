"""How vehicles move: a kinematic bicycle, stepped for all vehicles at once.

The reference point is midway between the axles: yaw rate = u tan(delta) / L, and the sideways speed of that point is
yaw rate * L / 2 (Rajamani, Vehicle Dynamics and Control, section 2.2, with l_r = L / 2). Sideways motion beyond that,
from impulses and collisions, is worn down by the tyres. Speeds are horizontal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.bodies import PITCH, VX, VY, VZ, WZ, YAW, X, Y
from bestrand_drive.headless.world.controls import STEERING_CURVE
from bestrand_drive.headless.world.fleet import (
    BRAKE,
    DIRECTION,
    DRAG,
    GRIP,
    HAND_BRAKE,
    MASS,
    MAX_ACCEL,
    MAX_BRAKE,
    MAX_SPEED,
    MAX_STEER,
    STEER,
    THROTTLE,
    WHEELBASE,
    Fleet,
)

Floats = NDArray[np.float64]

GRAVITY = 9.81
_ROLLING = 0.15  # m/s^2
_ENGINE_BRAKE = 0.06  # 1/s, without throttle
_HAND_BRAKE_SHARE = 0.6  # it blocks two wheels of four
_PARKED_HOLD = 2.0  # m/s^2: a car in gear without throttle does not roll off a slope
_SPIN_DECAY_S = 0.15
_CURVE_KMH, _CURVE_GAIN = np.array(STEERING_CURVE).T


def step(state: Floats, fleet: Fleet, dt_s: float) -> None:
    """Advance place, yaw and velocity of every vehicle by one step, in place.

    Args:
        state: ``Bodies.state`` of the fleet's vehicles, ``[15, vehicle]``.
        fleet: Limits and controls.
        dt_s: Step in seconds.
    """
    yaw = np.radians(state[YAW])
    cos, sin = np.cos(yaw), np.sin(yaw)
    push = fleet.force * (dt_s / fleet.limits[MASS])
    vx, vy = state[VX] + push[0], state[VY] + push[1]
    state[VZ] += push[2]
    fleet.force[:] = 0.0
    speed, slip = vx * cos + vy * sin, vy * cos - vx * sin
    speed = _along(speed, state[PITCH], fleet, dt_s)
    speed = np.where(fleet.constant, fleet.cruise[0], speed)
    turn = _turn_rate(speed, fleet)
    drift = slip - 0.5 * fleet.limits[WHEELBASE] * turn
    grip = fleet.limits[GRIP] * dt_s
    drift -= np.clip(drift, -grip, grip)
    slip = np.where(fleet.constant, fleet.cruise[1], drift + 0.5 * fleet.limits[WHEELBASE] * turn)
    turn += fleet.spin
    fleet.spin *= np.exp(-dt_s / _SPIN_DECAY_S)
    _place(state, fleet, (speed, slip, turn, yaw), dt_s)


def _along(speed: Floats, pitch_deg: Floats, fleet: Fleet, dt_s: float) -> Floats:
    """Speed along the vehicle after engine, slope, brakes, drag and rolling resistance, m/s."""
    pedals, limits = fleet.pedals, fleet.limits
    throttle, direction = pedals[THROTTLE], pedals[DIRECTION]
    fade = np.clip(1.0 - speed * direction / limits[MAX_SPEED], 0.0, 1.0)
    slope = GRAVITY * np.sin(np.radians(pitch_deg))
    drive = throttle * limits[MAX_ACCEL] * direction * fade - slope
    braking = limits[MAX_BRAKE] * np.minimum(np.maximum(pedals[BRAKE], _HAND_BRAKE_SHARE * pedals[HAND_BRAKE]), 1.0)
    size = np.abs(speed)
    idle = throttle < 0.01
    resist = braking + _ROLLING + limits[DRAG] * speed * speed
    resist += idle * (_ENGINE_BRAKE * size + _PARKED_HOLD * (size < 0.3))
    moved = speed + drive * dt_s
    after: Floats = np.copysign(np.maximum(np.abs(moved) - resist * dt_s, 0.0), moved)
    return after


def _turn_rate(speed: Floats, fleet: Fleet) -> Floats:
    """Yaw rate of the steering in rad/s, no more than the tyres hold."""
    kmh = np.abs(speed) * 3.6
    gain = np.interp(kmh, _CURVE_KMH, _CURVE_GAIN)
    for row, (speeds, gains) in fleet.curves.items():
        gain[row] = np.interp(kmh[row], speeds, gains)
    turn = speed * np.tan(fleet.pedals[STEER] * fleet.limits[MAX_STEER] * gain) / fleet.limits[WHEELBASE]
    most = fleet.limits[GRIP] / np.maximum(np.abs(speed), 1.0)
    held: Floats = np.clip(turn, -most, most)
    return held


def steering_gain(fleet: Fleet, row: int, speed: float) -> float:
    """Share of the full wheel angle that one vehicle's steering curve allows at a speed in m/s."""
    speeds, gains = fleet.curves.get(row, (_CURVE_KMH, _CURVE_GAIN))
    return float(np.interp(speed * 3.6, speeds, gains))


def _place(state: Floats, fleet: Fleet, motion: tuple[Floats, Floats, Floats, Floats], dt_s: float) -> None:
    """Write place, yaw and velocity; a vehicle without physics moves by the velocity that it was given."""
    speed, slip, turn, yaw = motion
    free = ~fleet.simulated
    middle = yaw + 0.5 * turn * dt_s
    after = yaw + turn * dt_s
    cos, sin = np.cos(middle), np.sin(middle)
    moved_x, moved_y = (speed * cos - slip * sin) * dt_s, (speed * sin + slip * cos) * dt_s
    cos, sin = np.cos(after), np.sin(after)
    vx, vy = speed * cos - slip * sin, speed * sin + slip * cos
    heading, rate = np.degrees(after), np.degrees(turn)
    if free.any():
        moved_x, moved_y = np.where(free, state[VX] * dt_s, moved_x), np.where(free, state[VY] * dt_s, moved_y)
        vx, vy = np.where(free, state[VX], vx), np.where(free, state[VY], vy)
        heading = np.where(free, state[YAW] + state[WZ] * dt_s, heading)
        rate = np.where(free, state[WZ], rate)
    state[X] += moved_x
    state[Y] += moved_y
    state[VX], state[VY], state[WZ] = vx, vy, rate
    state[YAW] = (heading + 180.0) % 360.0 - 180.0
