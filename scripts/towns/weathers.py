"""Weathers of the routes, by the names of CARLA's presets; two rows a route, which hold from its start to its end."""

from __future__ import annotations

_NAMES = (
    "cloudiness",
    "precipitation",
    "precipitation_deposits",
    "wind_intensity",
    "sun_altitude_angle",
    "fog_density",
    "wetness",
)
_PRESETS = {
    "ClearNoon": (5.0, 0.0, 0.0, 10.0, 45.0, 2.0, 0.0),
    "CloudyNoon": (60.0, 0.0, 0.0, 10.0, 45.0, 3.0, 0.0),
    "WetNoon": (5.0, 0.0, 50.0, 10.0, 45.0, 3.0, 0.0),
    "WetCloudyNoon": (60.0, 0.0, 50.0, 10.0, 45.0, 3.0, 0.0),
    "SoftRainNoon": (20.0, 30.0, 50.0, 30.0, 45.0, 3.0, 0.0),
    "MidRainyNoon": (60.0, 60.0, 60.0, 60.0, 45.0, 3.0, 0.0),
    "HardRainNoon": (100.0, 100.0, 90.0, 100.0, 45.0, 7.0, 0.0),
    "ClearSunset": (5.0, 0.0, 0.0, 10.0, 15.0, 2.0, 0.0),
    "CloudySunset": (60.0, 0.0, 0.0, 10.0, 15.0, 3.0, 0.0),
    "MidRainSunset": (60.0, 60.0, 60.0, 60.0, 15.0, 3.0, 0.0),
    "ClearNight": (5.0, 0.0, 0.0, 10.0, -90.0, 60.0, 0.0),
    "HardRainNight": (100.0, 100.0, 90.0, 100.0, -90.0, 100.0, 0.0),
}
WEATHERS = tuple({**dict(zip(_NAMES, row, strict=True)), "sun_azimuth_angle": -1.0} for row in _PRESETS.values())
