"""Impulses, forces and torques."""

from __future__ import annotations

import math

import numpy as np

from bestrand_drive.headless.actor import Kind, Vector
from bestrand_drive.headless.world.bodies import VELOCITY, VX, VY, VZ, X, Z
from bestrand_drive.headless.world.fleet import INERTIA, MASS
from bestrand_drive.headless.world.props import MASS_KG as PROP_KG
from bestrand_drive.headless.world.ranges import check_location, check_spin, check_velocity
from bestrand_drive.headless.world.vehicle_calls import VehicleCalls


class PushCalls(VehicleCalls):
    """Pushes move vehicles and loose props. Walkers, and what has no physics, take none, as CARLA's do not.

    Each call raises ``WorldError`` for another actor, and for a push after which something would be faster than
    anything here.
    """

    def add_impulse(self, actor_id: int, impulse: Vector) -> None:
        """Change the velocity at once by impulse / mass, N s in the world."""
        if self._takes_pushes(actor_id):
            self._accelerate(actor_id, impulse)

    def add_impulse_at_location(self, actor_id: int, impulse: Vector, location: Vector) -> None:
        """An impulse off the middle also spins a vehicle; ``location`` in the world, metres."""
        if self._takes_pushes(actor_id):
            moment = self._moment(actor_id, impulse, location)
            self._spin_after(actor_id, moment)  # a push is refused as a whole
            self._accelerate(actor_id, impulse)
            self._turn(actor_id, moment)

    def add_force(self, actor_id: int, force: Vector) -> None:
        """Push with a force for the next tick, newtons in the world."""
        if not self._takes_pushes(actor_id):
            return
        step_s = self.settings.step_s
        if actor_id in self.props.slots:
            self._accelerate(actor_id, (force[0] * step_s, force[1] * step_s, force[2] * step_s))
            return
        row = self.fleet.row[actor_id]
        wanted = self.fleet.force[:, row] + force
        check_velocity((wanted * step_s / self.fleet.limits[MASS, row]).tolist())
        self.fleet.force[:, row] = wanted

    def add_force_at_location(self, actor_id: int, force: Vector, location: Vector) -> None:
        """A force off the middle also turns a vehicle; ``location`` in the world, metres."""
        if self._takes_pushes(actor_id):
            angular_impulse = self._moment(actor_id, force, location) * self.settings.step_s
            self._spin_after(actor_id, angular_impulse)  # a push is refused as a whole
            self.add_force(actor_id, force)
            self._turn(actor_id, angular_impulse)

    def add_angular_impulse(self, actor_id: int, impulse: Vector) -> None:
        """Change a vehicle's yaw rate by the upward part of an angular impulse, kg m^2/s; the rest has no effect."""
        if self._takes_pushes(actor_id):
            self._turn(actor_id, impulse[2])

    def add_torque(self, actor_id: int, torque: Vector) -> None:
        """Turn with a torque for one tick, N m."""
        if self._takes_pushes(actor_id):
            self._turn(actor_id, torque[2] * self.settings.step_s)

    def _takes_pushes(self, actor_id: int) -> bool:
        """Whether a push moves it.

        Raises:
            WorldError: It is neither vehicle, walker nor prop.
        """
        kind = self.actor(actor_id).kind
        if kind in (Kind.WALKER, Kind.PROP):
            return actor_id in self.props.slots
        return bool(self.fleet.simulated[self.row(actor_id)])

    def _accelerate(self, actor_id: int, impulse: Vector) -> None:
        """Add impulse / mass to the velocity; props do not leave the ground."""
        state, slot = self.bodies.state, self.slot(actor_id)
        if actor_id in self.props.slots:
            wanted = state[VX : VY + 1, slot] + np.array(impulse[:2]) / PROP_KG
            check_velocity(wanted.tolist())
            state[VX : VY + 1, slot] = wanted
            return
        wanted = state[VX : VZ + 1, slot] + np.array(impulse) / self.fleet.limits[MASS, self.fleet.row[actor_id]]
        check_velocity(wanted.tolist())
        state[VELOCITY, slot] = wanted

    def _turn(self, actor_id: int, angular_impulse: float) -> None:
        """Add an angular impulse (kg m^2/s, about the upright axis) to a vehicle's spin; props do not turn."""
        if actor_id in self.fleet.row:
            self.fleet.spin[self.fleet.row[actor_id]] = self._spin_after(actor_id, angular_impulse)

    def _spin_after(self, actor_id: int, angular_impulse: float) -> float:
        """A vehicle's spin with an angular impulse added, rad/s; 0 for a prop.

        Raises:
            WorldError: It would turn too fast.
        """
        row = self.fleet.row.get(actor_id)
        if row is None:
            return 0.0
        wanted = float(self.fleet.spin[row] + angular_impulse / self.fleet.limits[INERTIA, row])
        check_spin((math.degrees(wanted),))
        return wanted

    def _moment(self, actor_id: int, push: Vector, location: Vector) -> float:
        """Moment of a push about the actor's upright axis."""
        check_location(location)
        x, y, _ = self.bodies.state[X : Z + 1, self.slot(actor_id)].tolist()
        moment: float = (location[0] - x) * push[1] - (location[1] - y) * push[0]
        return moment
