"""Seeded noise: the same seed and age of a sensor give the same noise, whoever listened before.

Neither the sensor's id nor the number of the frame enters, for both go on counting from one episode to the next: a
route that is driven again finds the same noise. Equal seeds give two sensors the same noise, as in CARLA.
"""

from __future__ import annotations

import numpy as np

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.limits import number, whole
from bestrand_drive.headless.sensors.pose import Array

_WORD = 0xFFFFFFFF


def generator(sensor: Actor, age: int, part: int = 0) -> np.random.Generator:
    """The random numbers that a sensor draws at one tick.

    Args:
        sensor: Its attribute ``noise_seed`` counts.
        age: Ticks that it has seen before.
        part: Which of several independent ones.
    """
    return np.random.Generator(np.random.PCG64([whole(sensor.attributes, "noise_seed") & _WORD, age, part]))


class Gaussian:
    """Bias plus normal noise on a few values, from a sensor's attributes."""

    def __init__(self, sensor: Actor, deviations: list[str], biases: list[str], part: int = 0) -> None:
        """Read the attributes.

        Args:
            sensor: The sensor's actor.
            deviations: Names of the standard deviations, one a value.
            biases: Names of the biases, one a value; empty for none.
            part: Tells apart several noises of one sensor.
        """
        self._sensor = sensor
        self._part = part
        self._deviation = np.array([number(sensor.attributes, name) for name in deviations])
        self._bias = np.array([number(sensor.attributes, name) for name in biases] or [0.0] * len(deviations))
        self._random = bool(np.any(self._deviation))

    def disturb(self, values: Array, age: int) -> Array:
        """``values`` [n] with the bias and the noise of the sensor's tick ``age``."""
        shifted: Array = values + self._bias
        if not self._random:
            return shifted
        return shifted + self._deviation * generator(self._sensor, age, self._part).standard_normal(len(values))
