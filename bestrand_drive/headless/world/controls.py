"""What clients send to move actors. Field orders are those of CARLA's wire structs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bestrand_drive.headless.actor import Vector

STEERING_CURVE: tuple[tuple[float, float], ...] = ((0.0, 1.0), (20.0, 0.9), (60.0, 0.8), (120.0, 0.7))


class VehicleControl(NamedTuple):
    """Pedals and wheel: throttle, brake in 0..1, steer in -1..1 (right is positive)."""

    throttle: float = 0.0
    steer: float = 0.0
    brake: float = 0.0
    hand_brake: bool = False
    reverse: bool = False
    manual_gear_shift: bool = False
    gear: int = 0


@dataclass(frozen=True)
class AckermannControl:
    """Targets of the Ackermann controller: rad (right is positive), rad/s, m/s, m/s^2, m/s^3; a limit of 0 is none."""

    steer: float = 0.0
    steer_speed: float = 0.0
    speed: float = 0.0
    acceleration: float = 0.0
    jerk: float = 0.0


@dataclass(frozen=True)
class AckermannSettings:
    """Gains of the speed and the acceleration controller; CARLA's defaults."""

    speed_kp: float = 0.15
    speed_ki: float = 0.0
    speed_kd: float = 0.25
    accel_kp: float = 0.01
    accel_ki: float = 0.0
    accel_kd: float = 0.01


@dataclass(frozen=True)
class WalkerControl:
    """Direction (world), speed in m/s, jump."""

    direction: Vector = (1.0, 0.0, 0.0)
    speed: float = 0.0
    jump: bool = False


@dataclass(frozen=True)
class Gear:
    """One forward gear: ratio and the rpm shares at which the gearbox shifts."""

    ratio: float
    down_ratio: float = 0.5
    up_ratio: float = 0.65


@dataclass(frozen=True)
class Wheel:
    """One wheel; angles in degrees, radius and position in centimetres, torques in N m. Position is in the world."""

    tire_friction: float = 3.5
    damping_rate: float = 0.25
    max_steer_angle: float = 70.0
    radius: float = 35.5
    max_brake_torque: float = 1500.0
    max_handbrake_torque: float = 3000.0
    lat_stiff_max_load: float = 2.0
    lat_stiff_value: float = 17.0
    long_stiff_value: float = 1000.0
    position: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PhysicsControl:
    """A vehicle's physics as CARLA describes it.

    Only ``mass``, ``drag_coefficient``, ``steering_curve`` (km/h -> share of the wheel angle) and of the wheels
    ``max_steer_angle`` and ``tire_friction`` change how a vehicle moves here; the rest is kept and given back.
    """

    torque_curve: tuple[tuple[float, float], ...] = ((0.0, 400.0), (1890.0, 500.0), (5729.0, 400.0))
    max_rpm: float = 5800.0
    moi: float = 1.0
    damping_rate_full_throttle: float = 0.15
    damping_rate_zero_throttle_clutch_engaged: float = 2.0
    damping_rate_zero_throttle_clutch_disengaged: float = 0.35
    use_gear_autobox: bool = True
    gear_switch_time: float = 0.5
    clutch_strength: float = 10.0
    final_ratio: float = 4.0
    forward_gears: tuple[Gear, ...] = (Gear(4.25), Gear(2.49), Gear(1.66), Gear(1.23), Gear(1.0))
    mass: float = 1800.0
    drag_coefficient: float = 0.3
    center_of_mass: Vector = (0.0, 0.0, 0.0)
    steering_curve: tuple[tuple[float, float], ...] = STEERING_CURVE
    wheels: tuple[Wheel, ...] = field(default_factory=lambda: (Wheel(),) * 4)
    use_sweep_wheel_collision: bool = False
