"""CARLA's Ackermann controller: a steering angle and a speed become pedals.

Two PID controllers in series: the speed error moves an acceleration target, the acceleration error moves the pedals.
Source of the structure, the gains and the limits: CARLA's ``FAckermannController`` and the ROS bridge it comes from.
Unlike there, the pedals start from what the acceleration target needs and the second controller only corrects them:
with CARLA's gains alone the loop swings ever wider around this kinematic vehicle.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bestrand_drive.headless.world.controls import AckermannControl, AckermannSettings, VehicleControl

_MAX_ACCEL, _MAX_DECEL = 3.0, 8.0  # m/s^2
_STANDSTILL_MPS = 0.1


@dataclass
class Pid:
    """Proportional and integral on the error, derivative on the measurement; output in -1..1."""

    kp: float
    ki: float
    kd: float
    integral: float = 0.0
    last: float | None = None

    def run(self, target: float, measured: float, dt_s: float) -> float:
        """Output for one step."""
        error = target - measured
        self.integral = min(max(self.integral + self.ki * error * dt_s, -1.0), 1.0)
        slope = 0.0 if self.last is None else (measured - self.last) / dt_s
        self.last = measured
        return min(max(self.kp * error + self.integral - self.kd * slope, -1.0), 1.0)


@dataclass(frozen=True)
class DriveLimits:
    """Of the vehicle that is driven: wheel angle (rad), acceleration at full throttle and full brake (m/s^2)."""

    max_steer_rad: float
    max_accel: float
    max_brake: float


@dataclass
class AckermannDriver:
    """Drives one vehicle.

    Attributes:
        settings: Gains.
        target: What the client asks for.
        steer_rad: Angle of the wheels now.
        accel_target: m/s^2.
        correction: Of the pedals, -1 (brake) to 1 (throttle).
        reverse: Driving backwards.
    """

    settings: AckermannSettings = field(default_factory=AckermannSettings)
    target: AckermannControl = field(default_factory=AckermannControl)
    steer_rad: float = 0.0
    accel_target: float = 0.0
    correction: float = 0.0
    reverse: bool = False
    last_speed: float | None = None

    def __post_init__(self) -> None:
        self.configure(self.settings)

    def configure(self, settings: AckermannSettings) -> None:
        """Take new gains and forget the controllers' past."""
        self.settings = settings
        self._speed = Pid(settings.speed_kp, settings.speed_ki, settings.speed_kd)
        self._accel = Pid(settings.accel_kp, settings.accel_ki, settings.accel_kd)

    def control(self, speed: float, limits: DriveLimits, dt_s: float) -> VehicleControl:
        """Pedals and wheel for one tick.

        Args:
            speed: Along the vehicle, m/s, negative backwards.
            limits: Of the vehicle.
            dt_s: Step in seconds.
        """
        steer = self._steer(limits.max_steer_rad, dt_s)
        acceleration = 0.0 if self.last_speed is None else (speed - self.last_speed) / dt_s
        self.last_speed = speed
        if abs(self.target.speed) < 0.05 and abs(speed) < _STANDSTILL_MPS:
            self.accel_target = self.correction = 0.0
            return VehicleControl(0.0, steer, 1.0, reverse=self.reverse)
        self._run_speed(self._goal(speed), speed, dt_s)
        push = self._run_acceleration(acceleration, limits, dt_s)
        return VehicleControl(max(push, 0.0), steer, max(-push, 0.0), reverse=self.reverse)

    def _steer(self, max_steer_rad: float, dt_s: float) -> float:
        """Turn the wheels towards the target, no faster than asked; returns -1..1."""
        goal = min(max(self.target.steer, -max_steer_rad), max_steer_rad)
        step = abs(self.target.steer_speed) * dt_s
        change = goal - self.steer_rad
        self.steer_rad += change if step < 1e-6 else min(max(change, -step), step)
        return self.steer_rad / max_steer_rad if max_steer_rad > 0.0 else 0.0

    def _goal(self, speed: float) -> float:
        """The speed to hold now: a change of direction first comes to a stop."""
        if abs(speed) < _STANDSTILL_MPS:
            self.reverse = self.target.speed < 0.0
        elif speed * self.target.speed < 0.0:
            return 0.0
        return self.target.speed

    def _run_speed(self, goal: float, speed: float, dt_s: float) -> None:
        limit = abs(self.target.acceleration)
        low, high = (-_MAX_DECEL, _MAX_ACCEL) if limit < 1e-4 else (-limit, limit)
        if self.reverse and limit < 1e-4:
            low, high = -high, -low
        delta = self._speed.run(goal, speed, dt_s)
        if self.target.jerk > 0.0:
            delta = min(max(delta, -self.target.jerk * dt_s), self.target.jerk * dt_s)
        self.accel_target = min(max(self.accel_target + delta, low), high)

    def _run_acceleration(self, acceleration: float, limits: DriveLimits, dt_s: float) -> float:
        """Pedals in the direction of the gear: -1 (full brake) to 1 (full throttle)."""
        way = -1.0 if self.reverse else 1.0
        wanted = way * self.accel_target
        self.correction += self._accel.run(wanted, way * acceleration, dt_s)
        self.correction = min(max(self.correction, -1.0), 1.0)
        ahead = wanted / (limits.max_accel if wanted > 0.0 else limits.max_brake)
        return min(max(ahead + self.correction, -1.0), 1.0)
