"""Radar: well-formed frames without an echo.

Body: velocity (m/s), azimuth, altitude (radians) and depth (m) of each detection, 4 x f32. No radar hears an echo from
depth 0, so one detection of four zeros says that nothing was measured, where an empty frame would say that nothing is
there.
"""

from __future__ import annotations

from bestrand_drive.headless.sensors.reading import Body, Moment

_NOT_MEASURED = bytes(16)


class Radar:
    """``sensor.other.radar``: answers at its rate that nothing is emulated."""

    def measure(self, moment: Moment) -> list[Body]:
        """The detection that is none."""
        return [(_NOT_MEASURED,)]
