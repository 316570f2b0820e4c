"""What a sensor's numeric attributes may be. CARLA takes any number and then exhausts the memory or divides by zero.

The attributes that are not listed here do not act.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bestrand_drive.headless.world.errors import SPAWN_INVALID, WorldError

Attributes = Mapping[str, tuple[int, str]]


@dataclass(frozen=True)
class Limit:
    """Lowest and highest value, both allowed; ``or_zero``: 0 too."""

    low: float
    high: float
    or_zero: bool = False

    def allows(self, value: float) -> bool:
        """Whether a value is within; NaN never is."""
        return self.low <= value <= self.high or (self.or_zero and value == 0.0)

    def __str__(self) -> str:
        return f"{'0 or ' if self.or_zero else ''}{self.low:.10g} to {self.high:.10g}"


_NOISE = Limit(-1e6, 1e6)
_DEVIATION = Limit(0.0, 1e6)
_SHARE = Limit(0.0, 1.0)
_AXES = ("x", "y", "z")

LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        "sensor_tick": Limit(1e-4, 86_400.0, or_zero=True),  # seconds
        "image_size_x": Limit(1, 4096),  # pixels
        "image_size_y": Limit(1, 4096),
        "fov": Limit(0.0, 360.0),  # degrees
        "horizontal_fov": Limit(0.0, 360.0),
        "vertical_fov": Limit(0.0, 360.0),
        "upper_fov": Limit(-180.0, 180.0),
        "lower_fov": Limit(-180.0, 180.0),
        "channels": Limit(1, 1024),
        "range": Limit(0.0, 1e5),  # metres
        "points_per_second": Limit(0.0, 1e7),
        "rotation_frequency": Limit(0.0, 1e4),  # hertz
        "atmosphere_attenuation_rate": Limit(0.0, 1e3),  # 1/m
        "dropoff_general_rate": _SHARE,
        "dropoff_intensity_limit": Limit(0.0, 10.0),
        "dropoff_zero_intensity": _SHARE,
        "distance": Limit(0.0, 1e5),  # metres
        "hit_radius": Limit(0.0, 1e4),
        "noise_seed": Limit(-(2.0**63), 2.0**63),
        "noise_stddev": _DEVIATION,
        **{f"noise_{axis}_stddev": _DEVIATION for axis in ("lat", "lon", "alt")},
        **{f"noise_{axis}_bias": _NOISE for axis in ("lat", "lon", "alt")},
        **{f"noise_{of}_stddev_{axis}": _DEVIATION for of in ("accel", "gyro") for axis in _AXES},
        **{f"noise_gyro_bias_{axis}": _NOISE for axis in _AXES},
    }
)


def number(attributes: Attributes, name: str) -> float:
    """A numeric attribute.

    Raises:
        WorldError: It is no number or outside its limits.
    """
    text = attributes[name][1]
    try:
        value = float(text.rstrip("f"))  # as C++ writes it
    except ValueError:
        value = math.nan
    if not LIMITS[name].allows(value):
        raise WorldError(f"{SPAWN_INVALID}: {name} is {text!r:.40}, not a number of {LIMITS[name]}")
    return value


def check_attributes(attributes: Attributes) -> None:
    """Refuse a sensor before it exists.

    Raises:
        WorldError: One of the attributes is no number or outside its limits.
    """
    for name in attributes:
        if name in LIMITS:
            number(attributes, name)


def whole(attributes: Attributes, name: str) -> int:
    """A whole number, cut as CARLA does."""
    return int(number(attributes, name))


def switched_on(attributes: Attributes, name: str) -> bool:
    """A boolean attribute."""
    return attributes[name][1].lower() in {"true", "1"}
