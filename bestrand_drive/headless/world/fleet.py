"""What every vehicle can do and is told to do: one table, a row a vehicle, rows by ascending actor id."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Vector
from bestrand_drive.headless.blueprints.blueprint import Limits
from bestrand_drive.headless.records import VEHICLE_RECORD
from bestrand_drive.headless.world.ackermann import AckermannDriver
from bestrand_drive.headless.world.controls import STEERING_CURVE, PhysicsControl, VehicleControl, Wheel

Floats = NDArray[np.float64]

# Rows of `limits`: metres, radians, m/s^2, m/s^2, m/s, kg, drag per metre (deceleration = drag * v^2), kg m^2, and
# m/s^2 that the tyres hold sideways.
WHEELBASE, MAX_STEER, MAX_ACCEL, MAX_BRAKE, MAX_SPEED, MASS, DRAG, INERTIA, GRIP = range(9)
# Rows of `pedals`: 0..1, -1..1 (right positive), 0..1, 0 or 1, 1 or -1 (reverse).
THROTTLE, STEER, BRAKE, HAND_BRAKE, DIRECTION = range(5)
# Rows of `ground`: a point of the plane under the vehicle, its rise per metre of x and y.
GX, GY, GZ, RISE_X, RISE_Y = range(5)

_CONTROL_FIELDS = VEHICLE_RECORD.names[:7] if VEHICLE_RECORD.names else ()  # the record begins with the control
_TABLES = ("slots", "limits", "pedals", "ground", "cruise", "force", "spin", "cell", "on_ground", "grounded",
           "simulated", "gravity", "constant", "record")  # fmt: skip
_MOST_GEARS = 32
_GRIP_PER_FRICTION = 4.5  # m/s^2; CARLA's tyres (friction 3.5) corner far better than real ones
_AIR = 0.5 * 1.2 * 2.2  # half the density of air (kg/m^3) times a frontal area (m^2)


class Fleet:
    """The table of vehicles.

    Attributes:
        ids: Actor ids, ascending.
        slots: Their slots in ``Bodies``.
        limits: ``[limit, vehicle]``, see the constants above.
        pedals: ``[pedal, vehicle]``.
        ground: ``[plane, vehicle]``.
        on_ground: The plane is known.
        grounded: The wheels stand on it.
        cell: Map cell of the plane, so that it is asked for again only in another one.
        simulated: Physics is on.
        gravity: Gravity is on.
        constant: Constant velocity (own frame, m/s) is on.
        cruise: That velocity, ``[3, vehicle]``.
        force: Forces of the next tick in newtons, ``[3, vehicle]``.
        spin: Yaw rate beside the steering's, rad/s.
        record: The vehicles' part of a snapshot.
        curves: Row -> steering curve that differs from CARLA's default.
        ackermann: Actor id -> its driver, while it is driven by Ackermann controls.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.row: dict[int, int] = {}
        self.slots: NDArray[np.intp] = np.zeros(0, dtype=np.intp)
        self.limits: Floats = np.zeros((9, 0))
        self.pedals: Floats = np.zeros((5, 0))
        self.ground: Floats = np.zeros((5, 0))
        self.cruise: Floats = np.zeros((3, 0))
        self.force: Floats = np.zeros((3, 0))
        self.spin: Floats = np.zeros(0)
        self.cell: NDArray[np.int64] = np.zeros((3, 0), dtype=np.int64)
        self.on_ground, self.grounded, self.simulated, self.gravity, self.constant = (
            np.zeros(0, dtype=np.bool_) for _ in range(5)
        )
        self.record = np.zeros(0, dtype=VEHICLE_RECORD)
        self._shown = self.record[list(_CONTROL_FIELDS)]
        self._room: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in _TABLES}
        self.curves: dict[int, tuple[Floats, Floats]] = {}
        self.ackermann: dict[int, AckermannDriver] = {}
        self.physics: dict[int, PhysicsControl] = {}

    def add(self, actor_id: int, slot: int, limits: Limits, extent: Vector) -> None:
        """Append a vehicle; ids only grow, so rows stay in their order."""
        inertia = limits.mass * (extent[0] ** 2 + extent[1] ** 2) / 3.0  # of a box about its upright axis
        column = (
            limits.wheelbase,
            np.radians(limits.max_steer_deg),
            limits.max_accel,
            limits.max_brake,
            limits.max_speed,
            limits.mass,
            _AIR * 0.3 / limits.mass,
            inertia,
            _GRIP_PER_FRICTION * Wheel().tire_friction,
        )
        self._show(len(self.ids) + 1)
        self.slots[-1] = slot
        self.limits[:, -1] = column
        self.pedals[:, -1] = (0.0, 0.0, 0.0, 0.0, 1.0)
        self.cell[:, -1] = np.iinfo(np.int64).min
        self.simulated[-1] = self.gravity[-1] = True
        self.record[-1] = (0, 0, 0, False, False, False, 1, 30.0, 2, False, 0, 0)
        self.ids.append(actor_id)
        self.row[actor_id] = len(self.ids) - 1

    def remove(self, actor_id: int) -> None:
        """Drop a vehicle; later rows move up."""
        gone = self.row[actor_id]
        curves = {self.ids[row]: curve for row, curve in self.curves.items() if row != gone}
        for name in _TABLES:
            table = getattr(self, name)
            table[..., gone:-1] = table[..., gone + 1 :]
            table[..., -1] = 0
        del self.ids[gone]
        self._show(len(self.ids))
        self.row = {name: row for row, name in enumerate(self.ids)}
        self.curves = {self.row[name]: curve for name, curve in curves.items()}
        self.ackermann.pop(actor_id, None)
        self.physics.pop(actor_id, None)

    def _show(self, count: int) -> None:
        """Make every table one of ``count`` rows; a new one holds zeros, as does the room behind them."""
        for name, table in self._room.items():
            if count > table.shape[-1]:
                more = np.zeros((*table.shape[:-1], count), dtype=table.dtype)
                self._room[name] = np.concatenate([table, more], axis=-1)
            setattr(self, name, self._room[name][..., :count])
        self._shown = self.record[list(_CONTROL_FIELDS)]

    def control(self, row: int, control: VehicleControl) -> None:
        """Set pedals and wheel; values beyond their range are clipped as CARLA does."""
        throttle, steer, brake, hand_brake, reverse, manual, gear = control
        gear = min(max(gear, -1), _MOST_GEARS)
        throttle, brake, steer = min(max(throttle, 0.0), 1.0), min(max(brake, 0.0), 1.0), min(max(steer, -1.0), 1.0)
        direction = -1.0 if reverse or (manual and gear < 0) else 1.0
        self.pedals[:, row] = (throttle, steer, brake, hand_brake, direction)
        self._shown[row] = (throttle, steer, brake, hand_brake, reverse, manual, gear)

    def shape(self, actor_id: int, physics: PhysicsControl, full_steer_deg: tuple[float, float]) -> None:
        """Take mass, drag, steering curve, wheel angle and tyre friction from a physics control.

        Args:
            actor_id: The vehicle.
            physics: What the client sent.
            full_steer_deg: By its blueprint, the angle of the bicycle model and that of the wheels at full steering.
        """
        row = self.row[actor_id]
        share = physics.mass / self.limits[MASS, row]
        self.limits[INERTIA, row] *= share
        self.limits[MASS, row] = physics.mass
        self.limits[DRAG, row] = _AIR * physics.drag_coefficient / physics.mass
        if physics.wheels:
            bicycle, front_wheel = full_steer_deg
            self.limits[MAX_STEER, row] = np.radians(bicycle) * (physics.wheels[0].max_steer_angle / front_wheel)
            self.limits[GRIP, row] = _GRIP_PER_FRICTION * min(wheel.tire_friction for wheel in physics.wheels)
        if tuple(physics.steering_curve) != STEERING_CURVE and physics.steering_curve:
            speeds, gains = np.array(sorted(physics.steering_curve), dtype=np.float64).T
            self.curves[row] = (speeds, np.clip(gains, 0.0, 1.0))  # the wheels turn no further than their own angle
        else:
            self.curves.pop(row, None)
        self.physics[actor_id] = physics
