"""GNSS: latitude, longitude and altitude. Body: msgpack of three doubles."""

from __future__ import annotations

import msgpack
import numpy as np

from bestrand_drive.headless.actor import Actor
from bestrand_drive.headless.sensors.geo import GeoReference, Projection, parse_reference
from bestrand_drive.headless.sensors.noise import Gaussian
from bestrand_drive.headless.sensors.reading import Body, Moment

_AXES = ("lat", "lon", "alt")


class Gnss:
    """``sensor.other.gnss``: degrees and metres, with bias and normal noise."""

    def __init__(self, sensor: Actor, projection: Projection) -> None:
        self._projection = projection
        self._noise = Gaussian(
            sensor, [f"noise_{axis}_stddev" for axis in _AXES], [f"noise_{axis}_bias" for axis in _AXES]
        )
        self._map = ""
        self._origin = GeoReference()

    def measure(self, moment: Moment) -> list[Body]:
        """One fix."""
        if moment.world.opendrive is not self._map:
            self._map = moment.world.opendrive
            self._origin = parse_reference(self._map)
        x, y, z = moment.sensor.transform.location
        latitude, longitude = self._projection(self._origin, x, y)
        fix = self._noise.disturb(np.array([latitude, longitude, z]), moment.age)
        return [(msgpack.packb(fix.tolist()),)]
