"""Inertial measurement unit (``InertialMeasurementUnit.cpp``). Body: msgpack [[ax, ay, az], [gx, gy, gz], compass]."""

from __future__ import annotations

import math

import msgpack
import numpy as np

from bestrand_drive.headless.sensors.noise import Gaussian
from bestrand_drive.headless.sensors.pose import Array, place, rotation_matrix
from bestrand_drive.headless.sensors.reading import Moment
from bestrand_drive.headless.world.actor import Actor

_GRAVITY = np.array([0.0, 0.0, 9.81])
_AXES = ("x", "y", "z")


class Imu:
    """``sensor.other.imu``: acceleration with gravity (m/s^2), turn rate (rad/s), compass (rad, 0 = north = -y).

    The acceleration is the second difference of the sensor's place over its last three measurements, so that a lever
    arm is felt. Until there are three, only gravity is reported (CARLA itself gives artefacts then).
    """

    def __init__(self, sensor: Actor) -> None:
        self._accel_noise = Gaussian(sensor, [f"noise_accel_stddev_{axis}" for axis in _AXES], [])
        self._gyro_noise = Gaussian(
            sensor, [f"noise_gyro_stddev_{axis}" for axis in _AXES], [f"noise_gyro_bias_{axis}" for axis in _AXES]
        )
        self._velocity: Array | None = None
        self._location: Array | None = None
        self._step_s = 0.0

    def measure(self, moment: Moment) -> list[bytes]:
        """One measurement."""
        location, axes = place(moment.sensor.transform)
        acceleration = axes.T @ (self._acceleration(location, moment.delta_s) + _GRAVITY)
        # two noises of one seed: even counts for the accelerometer, odd ones for the gyroscope
        accel = self._accel_noise.disturb(acceleration, 2 * moment.count)
        gyro = self._gyro_noise.disturb(_turn_rate(moment, axes), 2 * moment.count + 1)
        compass = math.atan2(axes[0, 0], -axes[1, 0]) % (2.0 * math.pi)
        return [msgpack.packb([accel.tolist(), gyro.tolist(), compass])]

    def _acceleration(self, location: Array, step_s: float) -> Array:
        """Acceleration [3] in the world, m/s^2: 2 (v1 - v0) / (h1 + h0) of the mean velocities of two steps."""
        velocity = None if self._location is None or step_s <= 0.0 else (location - self._location) / step_s
        result = np.zeros(3)
        if velocity is not None and self._velocity is not None:
            result = 2.0 * (velocity - self._velocity) / (step_s + self._step_s)
        self._location, self._velocity, self._step_s = location, velocity, step_s
        return result


def _turn_rate(moment: Moment, axes: Array) -> Array:
    """Turn rate [3] in the sensor's frame, rad/s.

    The parent's rate in the parent's frame, turned by the relative rotation as CARLA does it.
    """
    if moment.parent is None:
        return axes.T @ np.radians(moment.sensor.angular_velocity)
    rate: Array = rotation_matrix(moment.parent.transform.rotation).T @ np.radians(moment.parent.angular_velocity)
    if moment.sensor.attachment is None:
        return rate
    return rotation_matrix(moment.sensor.attachment.rotation) @ rate
