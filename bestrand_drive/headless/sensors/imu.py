"""Inertial measurement unit (``InertialMeasurementUnit.cpp``). Body: msgpack [[ax, ay, az], [gx, gy, gz], compass]."""

from __future__ import annotations

import math

import msgpack
import numpy as np

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.noise import Gaussian
from bestrand_drive.headless.sensors.pose import Array, rotation_matrix
from bestrand_drive.headless.sensors.reading import Body, Moment

_AXES = ("x", "y", "z")


class Imu:
    """``sensor.other.imu``: acceleration with gravity (m/s^2), turn rate (rad/s), compass (rad, 0 = north = -y).

    The acceleration is the second difference of the sensor's place over the last three ticks, so that a lever arm is
    felt. Until there are three, only gravity is reported (CARLA itself gives artefacts then).
    """

    def __init__(self, sensor: Actor) -> None:
        self._accel_noise = Gaussian(sensor, [f"noise_accel_stddev_{axis}" for axis in _AXES], [], part=0)
        self._gyro_noise = Gaussian(
            sensor,
            [f"noise_gyro_stddev_{axis}" for axis in _AXES],
            [f"noise_gyro_bias_{axis}" for axis in _AXES],
            part=1,
        )

    def measure(self, moment: Moment) -> list[Body]:
        """One measurement."""
        axes = rotation_matrix(moment.sensor.transform.rotation)
        (slot,) = moment.world.bodies.slots_of([moment.sensor.id])
        gravity = np.array([0.0, 0.0, moment.world.imu_gravity])
        acceleration = axes.T @ (moment.trail.acceleration(slot, moment.age) + gravity)
        accel = self._accel_noise.disturb(acceleration, moment.age)
        gyro = self._gyro_noise.disturb(_turn_rate(moment, axes), moment.age)
        compass = math.atan2(axes[0, 0], -axes[1, 0]) % (2.0 * math.pi)
        return [(msgpack.packb([accel.tolist(), gyro.tolist(), compass]),)]


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
