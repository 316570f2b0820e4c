"""Wire values into the world's types. Fields beyond those known are ignored, as CARLA's own unpacking does.

What is not a finite number is refused here, so that no NaN ever enters the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from bestrand_drive.headless.world.actor import Transform, Vector
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


_LARGEST = 3.4028234663852886e38
"""Largest float32; clients send no larger one."""


def number(value: Any) -> float:  # noqa: ANN401  whatever a client sent
    """A finite number.

    Raises:
        ValueError: It is NaN, infinite or no float32.
        TypeError: It is no number.
    """
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError(f"{value} is not a finite number")
    return float(value)


def whole(value: Any) -> int:  # noqa: ANN401
    """An unsigned number of 32 bits, such as the id of an actor or a stream.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise TypeError(f"{value!r:.40} is no id")
    return value


def vector(value: Any) -> Vector:  # noqa: ANN401
    """Vector3D, Location or Rotation."""
    return number(value[0]), number(value[1]), number(value[2])


def transform(value: Any) -> Transform:  # noqa: ANN401
    """Transform: location, then rotation as pitch, yaw, roll in degrees."""
    return Transform(vector(value[0]), vector(value[1]))


def optional(value: Any) -> Any:  # noqa: ANN401
    """``boost::optional``, read by its length as CARLA does."""
    return value[1] if len(value) > 1 else None


def text(value: Any) -> str:  # noqa: ANN401
    """A string.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"a string is needed, not {type(value).__name__}")
    return value


def small(value: Any) -> int:  # noqa: ANN401
    """A whole number of 32 bits, as the protocol's structs hold it.

    Raises:
        TypeError: It is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) <= value < 2**32:
        raise TypeError(f"a whole number of 32 bits is needed, not {value!r:.40}")
    return value


def vehicle_control(value: Any) -> VehicleControl:  # noqa: ANN401
    """VehicleControl, 7 fields; pedals and wheel are cut to their range as CARLA does."""
    throttle, steer, brake, hand_brake, reverse, manual, gear = value[:7]
    return VehicleControl(
        min(max(number(throttle), 0.0), 1.0),
        min(max(number(steer), -1.0), 1.0),
        min(max(number(brake), 0.0), 1.0),
        bool(hand_brake),
        bool(reverse),
        bool(manual),
        small(gear),
    )


def ackermann_control(value: Any) -> AckermannControl:  # noqa: ANN401
    """VehicleAckermannControl: steer, steer speed, speed, acceleration, jerk."""
    return AckermannControl(*map(number, value[:5]))


def ackermann_settings(value: Any) -> AckermannSettings:  # noqa: ANN401
    """AckermannControllerSettings: six gains."""
    return AckermannSettings(*map(number, value[:6]))


def walker_control(value: Any) -> WalkerControl:  # noqa: ANN401
    """WalkerControl: direction, speed, jump."""
    return WalkerControl(vector(value[0]), number(value[1]), bool(value[2]))


def episode_settings(value: Any) -> EpisodeSettings:  # noqa: ANN401
    """EpisodeSettings, 11 fields; a step of 0 stands for none, as clients send it."""
    step = optional(value[2])
    if step is not None and number(step) <= 0.0:
        step = None
    return EpisodeSettings(
        bool(value[0]),
        bool(value[1]),
        step,
        bool(value[3]),
        number(value[4]),
        small(value[5]),
        number(value[6]),
        bool(value[7]),
        number(value[8]),
        number(value[9]),
        bool(value[10]),
    )


def _curve(value: Any) -> tuple[tuple[float, float], ...]:  # noqa: ANN401
    """A list of Vector2D."""
    return tuple((number(point[0]), number(point[1])) for point in value)


def _gears(value: Any) -> tuple[Gear, ...]:  # noqa: ANN401
    """A list of GearPhysicsControl, 3 fields each."""
    return tuple(Gear(*map(number, gear[:3])) for gear in value)


def _wheels(value: Any) -> tuple[Wheel, ...]:  # noqa: ANN401
    """A list of WheelPhysicsControl, 10 fields each."""
    return tuple(Wheel(**_fields(Wheel, wheel, {"position": vector})) for wheel in value)


def _fields(kind: type[Any], value: Any, readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:  # noqa: ANN401
    """Fields of a dataclass from an array in their order; what has no reader of its own is a number."""
    names = [field.name for field in fields(kind)]
    found: dict[str, Any] = {}
    for name, part in zip(names, value[: len(names)], strict=True):
        reader: Callable[[Any], Any] = readers.get(name, number)
        found[name] = reader(part)
    return found


_PHYSICS: Mapping[str, Callable[[Any], Any]] = {
    "torque_curve": _curve,
    "use_gear_autobox": bool,
    "forward_gears": _gears,
    "center_of_mass": vector,
    "steering_curve": _curve,
    "wheels": _wheels,
    "use_sweep_wheel_collision": bool,
}


def physics_control(value: Any) -> PhysicsControl:  # noqa: ANN401
    """VehiclePhysicsControl, 17 fields."""
    return PhysicsControl(**_fields(PhysicsControl, value, _PHYSICS))


def attributes(value: Any, type_base: int) -> Attributes:  # noqa: ANN401
    """Attributes of an ActorDescription: id -> (version-independent type code, value as text)."""
    return {text(item[0]): (int(item[1]) - type_base, text(item[2])) for item in value}
