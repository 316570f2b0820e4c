"""Latitude and longitude of a point of the map, as each CARLA version computes them.

The map's ``geoReference`` (a PROJ string) gives latitude and longitude of the origin; LibCarla reads no more of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

_RADIUS_M = 6378137.0  # EARTH_RADIUS_EQUA of LibCarla's GeoLocation.cpp
_SCALE = 0.9996  # k0 of the transverse Mercator projection of 0.9.16
_NUMBER = re.compile(r"\s*([-+.\deE]+)")
_LONGEST = 4096
"""Characters of a reference that are looked at."""


@dataclass(frozen=True)
class GeoReference:
    """Degrees of the map's origin; LibCarla's own default where the map names none."""

    latitude: float = 42.0
    longitude: float = 2.0


def parse_reference(opendrive: str) -> GeoReference:
    """The origin that an OpenDRIVE file names: both numbers or, as LibCarla has it, the default for both."""
    text = opendrive.partition("<geoReference>")[2][:_LONGEST].partition("</geoReference>")[0]
    words = text.strip().removeprefix("<![CDATA[").partition("]]>")[0].split(" ")
    said = dict(word.split("=") for word in words if word.count("=") == 1)
    numbers = [_NUMBER.match(said.get(name, "")) for name in ("+lat_0", "+lon_0")]
    try:
        latitude, longitude = (float(found.group(1)) for found in numbers if found)
    except ValueError:
        return GeoReference()
    return GeoReference(latitude, longitude)


Projection = Callable[[GeoReference, float, float], tuple[float, float]]


def mercator(origin: GeoReference, x: float, y: float) -> tuple[float, float]:
    """CARLA 0.9.15: Mercator on a sphere, y southwards (``LatLonAddMeters``).

    Args:
        origin: Of the map.
        x: Metres east.
        y: Metres south.

    Returns:
        Latitude and longitude, degrees.
    """
    scaled = _RADIUS_M * math.cos(math.radians(origin.latitude))
    east = scaled * math.radians(origin.longitude) + x
    north = scaled * math.log(math.tan(math.radians(90.0 + origin.latitude) / 2.0)) - y
    return math.degrees(2.0 * math.atan(math.exp(north / scaled))) - 90.0, math.degrees(east / scaled)


def transverse_mercator(origin: GeoReference, x: float, y: float) -> tuple[float, float]:
    """CARLA 0.9.16: transverse Mercator on a sphere, y northwards (``InverseTransversemercProjection``).

    That y grows to the north here, and to the south in 0.9.15, is how the two versions are; both are kept.

    Args:
        origin: Of the map.
        x: Metres east.
        y: Metres, counted northwards.

    Returns:
        Latitude and longitude, degrees.
    """
    east = x / (_SCALE * _RADIUS_M)
    north = y / (_SCALE * _RADIUS_M) + math.radians(origin.latitude)
    latitude = math.degrees(math.asin(math.sin(north) / math.cosh(east)))
    return latitude, origin.longitude + math.degrees(math.atan2(math.sinh(east), math.cos(north)))


PROJECTIONS: Mapping[str, Projection] = MappingProxyType(
    {"mercator": mercator, "transverse_mercator": transverse_mercator}
)
"""Names as the table of versions writes them."""
