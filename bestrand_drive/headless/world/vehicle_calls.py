"""What clients may do to vehicles."""

from __future__ import annotations

import math
from dataclasses import replace

from bestrand_drive.headless.actor import Actor, Vector
from bestrand_drive.headless.world.ackermann import AckermannDriver
from bestrand_drive.headless.world.actor_calls import ActorCalls
from bestrand_drive.headless.world.bodies import VX, YAW
from bestrand_drive.headless.world.controls import (
    AckermannControl,
    AckermannSettings,
    PhysicsControl,
    VehicleControl,
    Wheel,
)
from bestrand_drive.headless.world.dynamics import steering_gain
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.fleet import MASS, MAX_STEER, STEER, WHEELBASE
from bestrand_drive.headless.world.ranges import check_physics, check_velocity

_TRACK_SHARE = 0.85  # of the half width, between middle and wheels
_WHEEL_RADIUS_CM = 35.5


class VehicleCalls(ActorCalls):
    """Calls on vehicles; each raises ``WorldError`` for an actor that is none."""

    def row(self, actor_id: int) -> int:
        """Row of a vehicle in ``fleet``.

        Raises:
            WorldError: The actor is gone or is no vehicle.
        """
        try:
            return self.fleet.row[actor_id]
        except KeyError:
            self.actor(actor_id)
            raise WorldError(f"actor {actor_id} is not a vehicle") from None

    # --- driving
    def apply_vehicle_control(self, actor_id: int, control: VehicleControl) -> None:
        """Set pedals and wheel until the next control; ends Ackermann driving."""
        row = self.row(actor_id)
        if self.fleet.ackermann:
            self.fleet.ackermann.pop(actor_id, None)
        self.fleet.control(row, control)

    def apply_ackermann(self, actor_id: int, control: AckermannControl) -> None:
        """Drive to a steering angle and a speed until told otherwise."""
        row = self.row(actor_id)
        driver = self.fleet.ackermann.setdefault(actor_id, AckermannDriver(self.ackermann_settings(actor_id)))
        if driver.last_speed is None:
            driver.steer_rad = float(self.fleet.pedals[STEER, row]) * self._full_steer_rad(row, 0.0)
        driver.target = control

    def ackermann_settings(self, actor_id: int) -> AckermannSettings:
        """Gains in force."""
        self.row(actor_id)
        return self._ackermann.get(actor_id, AckermannSettings())

    def apply_ackermann_settings(self, actor_id: int, settings: AckermannSettings) -> None:
        """Change the gains."""
        self.row(actor_id)
        self._ackermann[actor_id] = settings
        if actor_id in self.fleet.ackermann:
            self.fleet.ackermann[actor_id].configure(settings)

    def enable_constant_velocity(self, actor_id: int, velocity: Vector) -> None:
        """Hold a velocity in the vehicle's own frame, m/s, until disabled; steering still turns it."""
        row = self.row(actor_id)
        check_velocity(velocity)
        self.fleet.constant[row] = True
        self.fleet.cruise[:, row] = velocity

    def disable_constant_velocity(self, actor_id: int) -> None:
        """Drive by pedals again."""
        self.fleet.constant[self.row(actor_id)] = False

    # --- physics
    def physics_control(self, actor_id: int) -> PhysicsControl:
        """The vehicle's physics; the wheels are where they are now (world, cm)."""
        row = self.row(actor_id)
        actor = self.actor(actor_id)
        physics = self.fleet.physics.get(actor_id)
        if physics is None:
            full = self._wheel_deg(actor_id)
            front = Wheel(max_steer_angle=full, max_handbrake_torque=0.0)
            rear = Wheel(max_steer_angle=0.0)
            physics = PhysicsControl(mass=float(self.fleet.limits[MASS, row]), wheels=(front, front, rear, rear))
        places = self._wheel_places(row, actor)
        wheels = tuple(replace(wheel, position=place) for wheel, place in zip(physics.wheels, places, strict=False))
        return replace(physics, wheels=wheels + physics.wheels[len(places) :])

    def apply_physics_control(self, actor_id: int, physics: PhysicsControl) -> None:
        """Take mass, drag, steering curve and wheel angle over; the rest is kept and given back.

        Raises:
            WorldError: No vehicle could move so.
        """
        self.row(actor_id)
        check_physics(physics)
        self.fleet.shape(actor_id, physics, self._full_steer_deg(self.actor(actor_id)))
        self._solidify(actor_id)

    def wheel_steer_angle(self, actor_id: int, wheel: int) -> float:
        """Angle of a wheel in degrees; 0 and 1 are the front wheels, of two wheels 0 alone."""
        row = self.row(actor_id)
        fronts = 1 if self.actor(actor_id).attributes["number_of_wheels"][1] == "2" else 2
        if wheel >= fronts:
            return 0.0
        speed = math.hypot(*self.bodies.state[VX : VX + 2, self.fleet.slots[row]].tolist())
        gain = steering_gain(self.fleet, row, speed)
        return float(self.fleet.pedals[STEER, row]) * self._wheel_deg(actor_id) * gain

    def _wheel_deg(self, actor_id: int) -> float:
        """Angle of the front wheels at full steering."""
        physics = self.fleet.physics.get(actor_id)
        if physics is not None and physics.wheels:
            return physics.wheels[0].max_steer_angle
        return self._full_steer_deg(self.actor(actor_id))[1]

    def _full_steer_deg(self, actor: Actor) -> tuple[float, float]:
        """Angle of the bicycle model and of the front wheels at full steering, as the blueprint says."""
        blueprint = self.catalog.find(actor.type_id)
        assert blueprint is not None  # noqa: S101  every vehicle was spawned from one
        return blueprint.limits.max_steer_deg, blueprint.limits.wheel_steer_deg

    def _full_steer_rad(self, row: int, speed: float) -> float:
        """Steering angle of the bicycle model at full wheel and a speed in m/s, radians."""
        return float(self.fleet.limits[MAX_STEER, row]) * steering_gain(self.fleet, row, speed)

    def _wheel_places(self, row: int, actor: Actor) -> list[Vector]:
        """Front left, front right, rear left, rear right; world, centimetres."""
        x, y, z, _, yaw, _ = self.bodies.state[: YAW + 2, self.fleet.slots[row]].tolist()
        cos, sin = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
        ahead, aside = float(self.fleet.limits[WHEELBASE, row]) / 2, actor.extent[1] * _TRACK_SHARE
        return [
            (100 * (x + dx * cos - dy * sin), 100 * (y + dx * sin + dy * cos), 100 * z + _WHEEL_RADIUS_CM)
            for dx, dy in ((ahead, -aside), (ahead, aside), (-ahead, -aside), (-ahead, aside))
        ]

    # --- lamps
    def light_state(self, actor_id: int) -> int:
        """Lamps that are on, as CARLA's flags."""
        self.row(actor_id)
        return self.light_flags.get(actor_id, 0)

    def set_light_state(self, actor_id: int, flags: int) -> None:
        """Switch lamps."""
        self.row(actor_id)
        self.light_flags[actor_id] = flags

    def light_states(self) -> list[tuple[int, int]]:
        """Lamps of all vehicles by id."""
        return [(actor_id, self.light_flags.get(actor_id, 0)) for actor_id in self.fleet.ids]
