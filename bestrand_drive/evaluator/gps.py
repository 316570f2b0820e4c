"""From CARLA's world to latitude and longitude: Mercator around the town's reference, as CARLA's GNSS does."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import carla

_RADIUS_M = 6378137.0
_DEFAULT = (42.0, 2.0)
_HEADER = 4000
_REFERENCE = re.compile(r"\+(lat|lon)_0=([-+0-9.eE]+)")


def reference_of(opendrive: str) -> tuple[float, float]:
    """Latitude and longitude of the town's origin, degrees; the leaderboard's default where the town has none."""
    found = {name: float(value) for name, value in _REFERENCE.findall(opendrive[:_HEADER])}
    return found.get("lat", _DEFAULT[0]), found.get("lon", _DEFAULT[1])


def gps_of(location: carla.Location, reference: tuple[float, float]) -> dict[str, float]:
    """``lat``, ``lon`` in degrees and ``z`` in metres of a place; y runs south."""
    latitude, longitude = map(math.radians, reference)
    scale = math.cos(latitude) * _RADIUS_M
    north = math.log(math.tan(0.25 * math.pi + 0.5 * latitude)) - location.y / scale
    lat = 2.0 * math.atan(math.exp(north)) - 0.5 * math.pi
    return {"lat": math.degrees(lat), "lon": math.degrees(longitude + location.x / scale), "z": float(location.z)}
