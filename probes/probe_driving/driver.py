"""The driver: looks, decides how fast and how far beside the path, and turns that into a control."""

from __future__ import annotations

import math
from typing import Any, List, Sequence, Tuple

import carla

from probe_driving.corridor import Motion, Neighbour, crossing, neighbours
from probe_driving.passing import Passing
from probe_driving.path import Path
from probe_driving.pedals import Pedals, Wheel, lookahead, pursuit
from probe_driving.signals import Signals
from probe_driving.speeds import Speeds, before_stop, idm
from probe_driving.style import Style
from probe_driving.surroundings import Surroundings
from probe_driving.tracing import trace

_REAR_AXLE_M = 1.4
_NO_LIMIT = 99.0
_STANDING_M_S = 0.5
_ROOM_TO_PASS_M = 8.0
"""Left in front of what will be passed, so that there is room to steer around it."""
_QUEUE_M = 70.0
_AGAIN_M_S = 4.0
"""Who is as fast as this has left the place where one had to wait."""


class Driver:
    """Drives one vehicle along one plan.

    Args:
        world: It drives in.
        road_map: Of that world.
        hero: The vehicle.
        plan: Transforms with road options.
        style: What it can do.
    """

    def __init__(
        self,
        world: carla.World,
        road_map: carla.Map,
        hero: carla.Vehicle,
        plan: Sequence[Tuple[carla.Transform, Any]],
        style: Style,
    ) -> None:
        self.style = style
        self.path = Path(trace(road_map, plan))
        self._hero = hero
        self._around = Surroundings(world, hero)
        self._signals = Signals(self.path, world, style)
        self._speeds = Speeds(self.path, style)
        self._passing = Passing(self.path, style)
        self._delta_s = world.get_settings().fixed_delta_seconds or 0.05
        self._pedals = Pedals(style, self._delta_s, f"{style.seed}/{self.path.length:.0f}")
        self._wheel = Wheel()
        self._waited_s = 0.0
        self._s = 0.0

    def step(self) -> carla.VehicleControl:
        """The control of this tick."""
        self._around.update()
        me = self._around.hero
        self._s = self.path.follow(me.x, me.y, self._s).s
        wanted = self._speeds.wanted(self._s, self._hero.get_speed_limit())
        motion = Motion(self._s, me.half_length, me.half_width, me.speed, wanted, self.style.accel_m_s2)
        near = neighbours(self.path, self._around.things, self._s, self.style) if self._looks else []
        if self.style.overtakes or self.style.makes_way:
            queues = self._signals.waits_at_light(self._s, self._s + _QUEUE_M)
            self._passing.update(near, motion, queues, self._delta_s)
            wanted = min(wanted, max(self._passing.speed(self._s), 0.4 * wanted))
        stop = self._signals.stop_at(self._s, me.half_length, me.speed, self._delta_s)
        stop = min(stop, self._for_others(near, motion))
        wanted = min(wanted, before_stop(stop - self._s, self.style.brake_m_s2))
        return self._pedals.control(me.speed, wanted, self._behind_leader(near, motion), self._steer())

    @property
    def _looks(self) -> bool:
        return self.style.sees_vehicles or self.style.sees_walkers or self.style.sees_props

    def _steer(self) -> float:
        """Pure pursuit from the rear axle to a point of the shifted path."""
        me = self._around.hero
        ahead = self._s + lookahead(me.speed, self.style)
        x, y = self.path.point(ahead, self._passing.at(ahead))
        dx, dy = x - me.x + _REAR_AXLE_M * me.cos, y - me.y + _REAR_AXLE_M * me.sin
        angle = pursuit(dx * me.cos + dy * me.sin, dy * me.cos - dx * me.sin)
        return self._wheel.turn(angle, me.speed, me.turn)

    def _behind_leader(self, near: List[Neighbour], motion: Motion) -> float:
        """Acceleration that what is in the way allows, m/s^2."""
        most = _NO_LIMIT
        front = motion.s + motion.half_length
        for one in near:
            if one.front < front or not one.overlaps(self._passing.at(one.s), motion.half_width + 0.15):
                continue
            standing = one.thing.speed < _STANDING_M_S and not one.thing.walker
            passes = self.style.overtakes and standing and self._passing.shift is None
            rest = _ROOM_TO_PASS_M if passes else self.style.standstill_m
            gap = one.rear - front
            most = min(most, idm(motion.speed, max(one.along, 0.0), gap, self.style, min(rest, max(gap, 1.0))))
        return most

    def _for_others(self, near: List[Neighbour], motion: Motion) -> float:
        """Where to stand, with the middle, for those who cross the path or step onto it; infinity for nowhere."""
        nearest = math.inf
        patience = max(0.0, 1.0 - self._waited_s / self.style.yields_s)
        followed = {one.thing.number for one in near if one.cosine > 0.9 and one.overlaps(0.0, motion.half_width)}
        for thing in self._around.things:
            minded = self.style.sees_walkers if thing.walker else self.style.yields and thing.vehicle
            if minded and thing.number not in followed:
                where = crossing(self.path, thing, motion, self.style, 1.0 if thing.walker else patience)
                if where is not None:
                    nearest = min(nearest, self._stand_before(where, motion))
        if motion.speed > _AGAIN_M_S:
            self._waited_s = 0.0
        elif nearest < math.inf:
            self._waited_s += self._delta_s
        return nearest

    def _stand_before(self, where: float, motion: Motion) -> float:
        """A stop before a distance, and before the junction that it lies in, if that is still ahead."""
        stop = where - motion.half_length - self.style.standstill_m * 0.7
        for first, last in self.path.junctions:
            if first - 1.0 < where < last + 4.0 and motion.s + motion.half_length < first + 1.0:
                stop = min(stop, first - motion.half_length - 0.5)
        return stop
