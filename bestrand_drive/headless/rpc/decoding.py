"""Wire values into the world's types. Fields beyond those known are ignored, as CARLA's own unpacking does.

What is not a finite number is refused here, so that no NaN ever enters the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar

from bestrand_drive.headless.actor import Transform, Vector
from bestrand_drive.headless.version_table import WEATHER_FIELDS
from bestrand_drive.headless.versions import ProtocolVersion
from bestrand_drive.headless.world.controls import (
    AckermannControl,
    AckermannSettings,
    Gear,
    PhysicsControl,
    VehicleControl,
    WalkerControl,
    Wheel,
)
from bestrand_drive.headless.world.settings import EpisodeSettings

Attributes = dict[str, tuple[int, str]]

_T = TypeVar("_T")

_LARGEST = 3.4028234663852886e38
"""Largest float32; clients send no larger one."""
MOST_POINTS, MOST_PARTS = 200, 32
"""Points of a curve; gears or wheels of a vehicle. CARLA's own vehicles have up to 20 points and 8 gears."""
LONGEST_TEXT, LONGEST_HOST = 256, 255
"""Characters of an attribute's value, and of the name of a machine."""


def number(value: Any) -> float:  # noqa: ANN401  whatever a client sent
    """A finite number.

    Raises:
        ValueError: It is NaN, infinite or no float32.
        TypeError: It is no number.
    """
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError(f"{value} is not a finite number")
    return float(value)


def whole(value: Any) -> int:  # noqa: ANN401  whatever a client sent
    """An unsigned number of 32 bits, such as the id of an actor or a stream.

    Raises:
        TypeError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise TypeError(f"a whole number from 0 to 4294967295 is needed, not {value!r:.40}")
    return value


def vector(value: Any) -> Vector:  # noqa: ANN401  whatever a client sent
    """Vector3D, Location or Rotation."""
    return number(value[0]), number(value[1]), number(value[2])


def transform(value: Any) -> Transform:  # noqa: ANN401  whatever a client sent
    """Transform: location, then rotation as pitch, yaw, roll in degrees."""
    return Transform(vector(value[0]), vector(value[1]))


def optional(value: Any) -> Any:  # noqa: ANN401  whatever a client sent
    """``boost::optional``, read by its length as CARLA does."""
    return value[1] if len(value) > 1 else None


def text(value: Any, longest: int | None = None) -> str:  # noqa: ANN401  whatever a client sent
    """A string.

    Args:
        value: What a client sent.
        longest: Characters that it may have, if it is kept.

    Raises:
        TypeError: It is none.
        ValueError: It is too long.
    """
    if not isinstance(value, str):
        raise TypeError(f"a string is needed, not {type(value).__name__}")
    if longest is not None and len(value) > longest:
        raise ValueError(f"a string of {len(value):,} characters is longer than {longest:,}")
    return value


def port(value: Any) -> int:  # noqa: ANN401  whatever a client sent
    """A port.

    Raises:
        TypeError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 16:
        raise TypeError(f"{value!r:.40} is no port")
    return value


def _few(value: Any, most: int) -> list[Any]:  # noqa: ANN401  whatever a client sent
    """A list that is kept.

    Raises:
        TypeError: It is none.
        ValueError: It is too long.
    """
    if not isinstance(value, list):
        raise TypeError(f"an array is needed, not {type(value).__name__}")
    if len(value) > most:
        raise ValueError(f"an array of {len(value):,} elements is longer than {most:,}")
    return value


def small(value: Any) -> int:  # noqa: ANN401  whatever a client sent
    """A whole number of 32 bits, as the protocol's structs hold it.

    Raises:
        TypeError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**32:
        raise TypeError(f"a whole number of 32 bits is needed, not {value!r:.40}")
    return value


def fields(version: ProtocolVersion, struct: str, value: Any) -> dict[str, Any]:  # noqa: ANN401  whatever a client sent
    """The fields of a struct by name, in the order of the version; those that a client left out are absent.

    Raises:
        TypeError: It is no array.
    """
    if not isinstance(value, list):
        raise TypeError(f"{struct} is an array, not {type(value).__name__}")
    return dict(zip(version.structs[struct].names, value))  # noqa: B905  lengths may differ


def _made(kind: type[_T], values: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]]) -> _T:
    """A dataclass from its fields by name; what has no reader of its own is a number."""
    dataclass: Any = kind
    otherwise: Callable[[Any], Any] = number
    names = [field.name for field in dataclass_fields(dataclass)]
    return kind(**{name: readers.get(name, otherwise)(values[name]) for name in names})


def vehicle_control(version: ProtocolVersion, value: Any) -> VehicleControl:  # noqa: ANN401  whatever a client sent
    """VehicleControl, as it was sent. Most calls of a drive end here."""
    found = fields(version, "VehicleControl", value)
    return VehicleControl(
        number(found["throttle"]),
        number(found["steer"]),
        number(found["brake"]),
        bool(found["hand_brake"]),
        bool(found["reverse"]),
        bool(found["manual_gear_shift"]),
        small(found["gear"]),
    )


def ackermann_control(version: ProtocolVersion, value: Any) -> AckermannControl:  # noqa: ANN401  whatever a client sent
    """VehicleAckermannControl."""
    return _made(AckermannControl, fields(version, "VehicleAckermannControl", value), {})


def ackermann_settings(version: ProtocolVersion, value: Any) -> AckermannSettings:  # noqa: ANN401  whatever a client sent
    """AckermannControllerSettings: six gains."""
    return _made(AckermannSettings, fields(version, "AckermannControllerSettings", value), {})


def walker_control(version: ProtocolVersion, value: Any) -> WalkerControl:  # noqa: ANN401  whatever a client sent
    """WalkerControl."""
    return _made(WalkerControl, fields(version, "WalkerControl", value), {"direction": vector, "jump": bool})


def weather(version: ProtocolVersion, value: Any) -> list[float]:  # noqa: ANN401  whatever a client sent
    """WeatherParameters, in the order of ``WEATHER_FIELDS``."""
    found = fields(version, "WeatherParameters", value)
    return [number(found[name]) for name in WEATHER_FIELDS]


def _step(value: Any) -> float | None:  # noqa: ANN401  whatever a client sent
    """Seconds of a fixed step; 0 stands for none, as clients send it."""
    step = optional(value)
    return None if step is None or number(step) <= 0.0 else number(step)


_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "synchronous_mode": bool,
    "no_rendering_mode": bool,
    "fixed_delta_seconds": _step,
    "substepping": bool,
    "max_substeps": small,
    "deterministic_ragdolls": bool,
    "spectator_as_ego": bool,
}


def episode_settings(version: ProtocolVersion, value: Any) -> EpisodeSettings:  # noqa: ANN401  whatever a client sent
    """EpisodeSettings."""
    return _made(EpisodeSettings, fields(version, "EpisodeSettings", value), _SETTINGS)


def _curve(value: Any) -> tuple[tuple[float, float], ...]:  # noqa: ANN401  whatever a client sent
    """A list of Vector2D."""
    return tuple((number(point[0]), number(point[1])) for point in _few(value, MOST_POINTS))


def physics_control(version: ProtocolVersion, value: Any) -> PhysicsControl:  # noqa: ANN401  whatever a client sent
    """VehiclePhysicsControl with its gears and wheels."""

    def gears(value: Any) -> tuple[Gear, ...]:  # noqa: ANN401  whatever a client sent
        return tuple(_made(Gear, fields(version, "GearPhysicsControl", gear), {}) for gear in _few(value, MOST_PARTS))

    def wheels(value: Any) -> tuple[Wheel, ...]:  # noqa: ANN401  whatever a client sent
        found = (fields(version, "WheelPhysicsControl", wheel) for wheel in _few(value, MOST_PARTS))
        return tuple(_made(Wheel, wheel, {"position": vector}) for wheel in found)

    readers: Mapping[str, Callable[[Any], Any]] = {
        "torque_curve": _curve,
        "use_gear_autobox": bool,
        "forward_gears": gears,
        "center_of_mass": vector,
        "steering_curve": _curve,
        "wheels": wheels,
        "use_sweep_wheel_collision": bool,
    }
    return _made(PhysicsControl, fields(version, "VehiclePhysicsControl", value), readers)


def attributes(value: Any, type_base: int) -> Attributes:  # noqa: ANN401  whatever a client sent
    """Attributes of an ActorDescription: id -> (version-independent type code, value as text)."""
    return {text(item[0]): (small(item[1]) - type_base, text(item[2], LONGEST_TEXT)) for item in value}
