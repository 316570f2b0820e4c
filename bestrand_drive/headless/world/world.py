"""The world that the server serves: everything a client can call, and the tick."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.ackermann import DriveLimits
from bestrand_drive.headless.world.bodies import VX, VY, YAW
from bestrand_drive.headless.world.contacts import collide
from bestrand_drive.headless.world.dynamics import step
from bestrand_drive.headless.world.fleet import DIRECTION, MAX_ACCEL, MAX_BRAKE
from bestrand_drive.headless.world.ground import find_surfaces, settle
from bestrand_drive.headless.world.pushes import PushCalls

_SHIFT_MPS = np.array([4.0, 9.0, 15.0, 22.0])  # an automatic gearbox is in gear k + 1 above the k-th speed


class World(PushCalls):
    """One simulated world. Same seed and same calls give the same bytes of every snapshot."""

    def tick(self) -> int:
        """Advance by one step: lights, walkers, vehicles, props, collisions, attachments.

        Returns:
            The new frame number.
        """
        dt_s = self.settings.step_s
        self.lights.step(dt_s)
        self.walkers.step(self.bodies, self.road_map, dt_s)
        if self.fleet.ids:
            self._drive(dt_s)
        self.props.step(self.bodies, self.road_map, dt_s)
        movers = self.fleet.ids or self.walkers.ids or self.props.slots
        self.events = collide(self.bodies, self.solids, dt_s) if movers else []
        self.bodies.accelerate(dt_s)
        self.attachments.place(self.bodies.state)
        self.bodies.end_tick()
        if self.fleet.ids:
            self._zones.mark(self.bodies, self.fleet, self.lights)
        self.elapsed_s += dt_s
        self.frame += 1
        return self.frame

    def _drive(self, dt_s: float) -> None:
        """Move every vehicle."""
        fleet = self.fleet
        state = self.bodies.state[:, fleet.slots]
        if fleet.ackermann:
            self._drive_ackermann(state, dt_s)
        step(state, fleet, dt_s)
        find_surfaces(state, fleet, self.road_map)
        landed = settle(state, fleet, dt_s)
        self.bodies.state[:, fleet.slots] = state
        if landed.size:
            self.bodies.land(fleet.slots[landed])
        gear = np.searchsorted(_SHIFT_MPS, np.hypot(state[VX], state[VY])) + 1
        gear = np.where(fleet.pedals[DIRECTION] < 0.0, -1, gear)
        fleet.record["gear"] = np.where(fleet.record["manual"], fleet.record["gear"], gear)

    def _drive_ackermann(self, state: NDArray[np.float64], dt_s: float) -> None:
        """Turn Ackermann targets into pedals."""
        fleet = self.fleet
        for actor_id in sorted(fleet.ackermann):
            driver = fleet.ackermann[actor_id]
            row = fleet.row[actor_id]
            yaw = np.radians(state[YAW, row])
            speed = float(state[VX, row] * np.cos(yaw) + state[VY, row] * np.sin(yaw))
            full = self._full_steer_rad(row, abs(speed))
            limits = DriveLimits(full, *fleet.limits[MAX_ACCEL : MAX_BRAKE + 1, row].tolist())
            fleet.control(row, driver.control(speed, limits, dt_s))
