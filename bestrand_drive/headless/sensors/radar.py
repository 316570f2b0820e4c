"""Radar: well-formed frames without detections.

Body: nothing, where CARLA has velocity, azimuth, altitude and depth (4 x f32) of each detection.
"""

from __future__ import annotations

from bestrand_drive.headless.sensors.reading import Moment


class Radar:
    """``sensor.other.radar``: answers at its rate that it has detected nothing, because nothing is emulated."""

    def measure(self, moment: Moment) -> list[bytes]:
        """One empty frame."""
        return [b""]
