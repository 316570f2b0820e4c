"""Seeded noise: the same seed and the same number of measurement give the same noise, whoever listened before."""

from __future__ import annotations

import numpy as np

from bestrand_drive.headless.sensors.pose import Array
from bestrand_drive.headless.sensors.reading import number
from bestrand_drive.headless.world.actor import Actor

_WORD = 0xFFFFFFFF


def generator(seed: int, count: int) -> np.random.Generator:
    """The random numbers of a sensor's measurement ``count`` (from 0) under the attribute ``noise_seed``."""
    return np.random.Generator(np.random.PCG64([seed & _WORD, count]))


class Gaussian:
    """Bias plus normal noise on a few values, from a sensor's attributes."""

    def __init__(self, sensor: Actor, deviations: list[str], biases: list[str]) -> None:
        """Read the attributes.

        Args:
            sensor: The sensor's actor.
            deviations: Names of the standard deviations, one a value.
            biases: Names of the biases, one a value; empty for none.
        """
        self._seed = int(number(sensor, "noise_seed", 0.0))
        self._deviation = np.array([number(sensor, name, 0.0) for name in deviations])
        self._bias = np.array([number(sensor, name, 0.0) for name in biases] or [0.0] * len(deviations))
        self._random = bool(np.any(self._deviation))

    def disturb(self, values: Array, count: int) -> Array:
        """``values`` [n] with the bias and the noise of measurement ``count``."""
        shifted: Array = values + self._bias
        if not self._random:
            return shifted
        return shifted + self._deviation * generator(self._seed, count).standard_normal(len(values))
