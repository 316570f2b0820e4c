"""What clients may do to any actor, and what they may ask about the ground."""

from __future__ import annotations

import math

from bestrand_drive.headless.actor import Actor, Kind, Transform, Vector
from bestrand_drive.headless.world.bodies import SPIN, VELOCITY, VX, VY, WX
from bestrand_drive.headless.world.controls import WalkerControl
from bestrand_drive.headless.world.errors import WorldError
from bestrand_drive.headless.world.population import Population
from bestrand_drive.headless.world.ranges import (
    check_gravity,
    check_location,
    check_spin,
    check_transform,
    check_velocity,
)

ROADS_LABEL = 1  # carla::rpc::CityObjectLabel::Roads
_RAY_STEP_M = 0.5
_LONGEST_RAY_M = 2000.0


class ActorCalls(Population):
    """Calls on any actor."""

    # --- place
    def set_transform(self, actor_id: int, transform: Transform) -> None:
        """Put an actor somewhere; its velocity stays. Of an attached actor it is the place relative to the parent."""
        check_transform(transform)
        self._put(self.actor(actor_id), transform)

    def set_location(self, actor_id: int, location: Vector) -> None:
        """Put an actor somewhere and keep its attitude."""
        check_location(location)
        actor = self.actor(actor_id)
        attitude = (actor.attachment or actor.transform).rotation
        self._put(actor, Transform(location, attitude))

    def _put(self, actor: Actor, transform: Transform) -> None:
        if actor.attachment is not None:
            actor.attachment = transform
            self.attachments.move(actor.id, transform)
            self.attachments.place(self.bodies.state)
            return
        self.bodies.place(self.slot(actor.id), transform)
        if actor.kind is Kind.VEHICLE:
            self.fleet.grounded[self.fleet.row[actor.id]] = False
        elif actor.kind is Kind.WALKER:
            self.walkers.lift(actor.id)
        elif actor.kind is Kind.PROP:
            self.props.lift(actor.id)

    # --- motion
    def set_target_velocity(self, actor_id: int, velocity: Vector) -> None:
        """Give an actor a velocity once, m/s in the world.

        A vehicle's and a loose prop's wears off by resistance as usual, a walker drifts until its next control. Other
        props, walkers without physics and everything else stand still.
        """
        check_velocity(velocity)
        actor, state = self.actor(actor_id), self.bodies.state
        if actor.kind is Kind.VEHICLE:
            state[VELOCITY, self.slot(actor_id)] = velocity
        elif actor_id in self.props.slots:
            state[VX : VY + 1, self.slot(actor_id)] = velocity[:2]
        elif actor.kind is Kind.WALKER and self.walkers.simulated[actor_id]:
            self.walkers.drift(actor_id, velocity, state)

    def set_target_angular_velocity(self, actor_id: int, velocity: Vector) -> None:
        """Give a vehicle an angular velocity once, deg/s; other actors do not turn by themselves."""
        check_spin(velocity)
        if self.actor(actor_id).kind is not Kind.VEHICLE:
            return
        row = self.fleet.row[actor_id]
        self.bodies.state[SPIN, self.slot(actor_id)] = velocity
        if self.fleet.simulated[row]:
            self.fleet.spin[row] = math.radians(velocity[2])

    def set_simulate_physics(self, actor_id: int, enabled: bool) -> None:
        """Without physics an actor moves only by transforms and target velocities; switching it off stops it."""
        kind, slot = self.actor(actor_id).kind, self.slot(actor_id)
        if kind is Kind.VEHICLE:
            row = self.fleet.row[actor_id]
            self.fleet.simulated[row] = enabled
            self.fleet.spin[row] = 0.0
        elif kind is Kind.WALKER:
            self.walkers.simulated[actor_id] = enabled
            self.walkers.drift(actor_id, (0.0, 0.0, 0.0), self.bodies.state)
        elif kind is Kind.PROP:
            self.props.fix(actor_id)
            if enabled:
                self.props.loosen(actor_id, slot)
        if not enabled:
            self.bodies.state[VELOCITY.start : WX + 3, slot] = 0.0
        self._solidify(actor_id)

    def set_enable_gravity(self, actor_id: int, enabled: bool) -> None:
        """Without gravity a vehicle keeps its upward velocity, a loose prop its height; other actors do not care."""
        kind = self.actor(actor_id).kind
        if kind is Kind.VEHICLE:
            self.fleet.gravity[self.fleet.row[actor_id]] = enabled
        elif kind is Kind.PROP:
            self.props.weigh(actor_id, enabled)

    def set_collisions(self, actor_id: int, enabled: bool) -> None:
        """Let an actor collide, or pass through everything."""
        self.actor(actor_id)
        (self._ghosts.discard if enabled else self._ghosts.add)(actor_id)
        self._solidify(actor_id)

    def set_imu_gravity(self, gravity: float) -> None:
        """Gravity that inertial sensors feel, m/s^2; the motion of actors does not change."""
        check_gravity(gravity)
        self.imu_gravity = gravity

    # --- walkers
    def _walker(self, actor_id: int) -> None:
        if self.actor(actor_id).kind is not Kind.WALKER:
            raise WorldError(f"actor {actor_id} is not a walker")

    def apply_walker_control(self, actor_id: int, direction: Vector, speed: float, jump: bool = False) -> None:
        """Walk in a direction (world) at a speed in m/s."""
        self._walker(actor_id)
        check_velocity((speed,))
        self.walkers.control(actor_id, WalkerControl(direction, speed, jump))

    def apply_walker_state(self, actor_id: int, transform: Transform, speed: float) -> None:
        """Put a walker somewhere; it walks on along its new heading at ``speed`` m/s until told otherwise."""
        self._walker(actor_id)
        check_transform(transform)
        check_velocity((speed,))
        self._put(self.actor(actor_id), transform)
        yaw = math.radians(transform.rotation[1])
        self.walkers.control(actor_id, WalkerControl((math.cos(yaw), math.sin(yaw), 0.0), speed))

    # --- ground
    def ground_height(self, x: float, y: float, z: float) -> float | None:
        """Height of the road near a place, or none off every road."""
        surface = self.road_map.surface(x, y, z)
        return None if surface is None else surface.height(x, y)

    def project_point(self, location: Vector, direction: Vector, distance: float) -> tuple[Vector, int] | None:
        """First place on the road along a ray, and its label; none where it meets no road."""
        norm = sum(part * part for part in direction) ** 0.5
        if norm < 1e-9:
            return None
        unit = tuple(part / norm for part in direction)
        end = tuple(place + part * distance for place, part in zip(location, unit, strict=True))
        hits = self.cast_ray(location, (end[0], end[1], end[2]))
        return hits[0] if hits else None

    def cast_ray(self, start: Vector, end: Vector) -> list[tuple[Vector, int]]:
        """Where a segment passes through the road, with CARLA's label; there are no buildings to hit."""
        span = [after - before for before, after in zip(start, end, strict=True)]
        flat = (span[0] ** 2 + span[1] ** 2) ** 0.5
        if not flat <= _LONGEST_RAY_M:
            raise WorldError(f"a ray of {flat:g} m is longer than the {_LONGEST_RAY_M:g} m that this server follows")
        pieces = max(int(flat / _RAY_STEP_M), 1)
        hits = []
        for piece in range(pieces):
            low, high = (
                [place + part * k / pieces for place, part in zip(start, span, strict=True)] for k in (piece, piece + 1)
            )
            hit = self._cross((low[0], low[1], low[2]), (high[0], high[1], high[2]))
            hits += [(hit, ROADS_LABEL)] if hit else []
        return hits

    def _cross(self, low: Vector, high: Vector) -> Vector | None:
        """Where a short segment crosses the plane of the road under its middle."""
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        surface = self.road_map.surface(middle[0], middle[1], high[2]) or self.road_map.surface(*middle)
        if surface is None:
            return None
        above, below = low[2] - surface.height(low[0], low[1]), high[2] - surface.height(high[0], high[1])
        if (above > 0.0) == (below > 0.0):
            return None
        share = above / (above - below)
        x, y, z = (a + (b - a) * share for a, b in zip(low, high, strict=True))
        return (x, y, z)
