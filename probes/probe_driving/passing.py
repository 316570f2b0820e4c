"""Passing what stands or crawls in the lane, and making way: the path shifted sideways for a while."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Sequence

import carla

from probe_driving.corridor import Motion, Neighbour
from probe_driving.path import Path
from probe_driving.style import Style

_STANDS_M_S = 0.5
_CRAWLS = 0.35
"""Share of the wanted speed below which a leader is passed."""
_CHAIN_M = 14.0
"""Things nearer to each other than this are passed in one go."""
_CLEAR_M = 3.0
_AWAY_M = 8.0
_LONGER = 10.0
"""Times the patience for a vehicle that has been seen to drive, or stands at a junction: it may go on."""
_QUEUE_M, _EXIT_M = 25.0, 12.0
"""Before and after a junction."""
_COMMITTED_M = 0.6
"""Sideways way after which one does not turn back for others."""
_BEHIND_S, _BOLDER = (0.9, 3.0), 0.15
"""How long those who come from behind must need, at least and at first, and how much less a second of waiting."""
_HELD = 0.4
"""Share of that at which one that moves out turns back."""
_STUCK_S = 4.0
_BACK_M = 7.0


class Shift(NamedTuple):
    """A stretch of the path that is driven beside it.

    Attributes:
        begin, full: Distances between which one moves out, metres.
        until, end: Distances between which one moves back.
        right: How far to the right.
    """

    begin: float
    full: float
    until: float
    end: float
    right: float

    def at(self, s: float) -> float:
        """How far to the right of the path one drives at a distance."""
        if s <= self.begin or s >= self.end:
            return 0.0
        if s < self.full:
            return self.right * _smooth((s - self.begin) / (self.full - self.begin))
        return self.right * _smooth((self.end - s) / (self.end - self.until)) if s > self.until else self.right


def _smooth(share: float) -> float:
    return share * share * (3.0 - 2.0 * share)


class Passing:
    """Decides when to leave the lane, and when one is back.

    Attributes:
        shift: Under way; None in the lane.
    """

    def __init__(self, path: Path, style: Style) -> None:
        self._path = path
        self._style = style
        self._waited_s = 0.0
        self._behind_s = _BEHIND_S[1]
        self._stuck_s = 0.0
        self.shift: Optional[Shift] = None

    def at(self, s: float) -> float:
        """How far to the right of the path one drives at a distance."""
        return self.shift.at(s) if self.shift else 0.0

    def speed(self, s: float) -> float:
        """Highest speed while moving out, so that the vehicle follows the bend; else that beside what is passed."""
        if self.shift is None or s > self.shift.end:
            return math.inf
        if self.shift.begin - 1.0 < s < self.shift.full:
            return max(2.5, 1.2 * (self.shift.full - self.shift.begin - 3.0))
        return self._style.passing_m_s if abs(self.shift.at(s)) > _COMMITTED_M else math.inf

    def update(self, near: Sequence[Neighbour], motion: Motion, queues: bool, delta_s: float) -> None:
        """Look at this tick.

        Args:
            near: All that is seen.
            motion: Of the driven vehicle.
            queues: Whether what stands ahead may be waiting for a light.
            delta_s: Length of a tick.
        """
        if self.shift and motion.s > self.shift.end:
            self.shift, self._waited_s = None, 0.0
        blocker = self._blocker(near, motion)
        if self.shift:
            self._go_on(self.shift, near, motion, delta_s)
        elif self._style.makes_way and (behind := self._emergency(near, motion)):
            self._leave_for(behind, near, motion)
        elif blocker is None or not self._style.overtakes:
            self._waited_s = 0.0
        else:
            self._wait_or_pass(blocker, near, motion, queues, delta_s)

    def _blocker(self, near: Sequence[Neighbour], motion: Motion) -> Optional[Neighbour]:
        """The first thing in the lane that stands or crawls, near enough to be thought about."""
        front = motion.s + motion.half_length
        reach = front + 14.0 + 2.2 * motion.speed
        for one in near:
            if front - 1.0 < one.rear < reach and self._in_way(one, motion) and not one.thing.walker:
                slow = _STANDS_M_S if one.cosine < 0.0 else max(_STANDS_M_S, _CRAWLS * motion.wanted)
                return one if abs(one.along) < slow and one.thing.speed < slow + 0.5 else None
        return None

    def _in_way(self, one: Neighbour, motion: Motion) -> bool:
        return one.overlaps(0.0, motion.half_width + 0.5 * self._style.side_m)

    def _wait_or_pass(
        self, blocker: Neighbour, near: Sequence[Neighbour], motion: Motion, queues: bool, delta_s: float
    ) -> None:
        """Props are passed at once, vehicles after a while, those in a queue not at all."""
        self._waited_s = 0.0 if queues and blocker.thing.vehicle else self._waited_s + delta_s
        waits = blocker.thing.moved or any(a - _QUEUE_M < blocker.s < b + _EXIT_M for a, b in self._path.junctions)
        if blocker.thing.vehicle and self._waited_s < self._style.patience_s * (_LONGER if waits else 1.0):
            return
        self._behind_s = max(_BEHIND_S[0], _BEHIND_S[1] - _BOLDER * self._waited_s)
        chain = self._chain(blocker, near, motion)
        for right in self._sides(chain, motion):
            shift = self._planned(chain[0].rear, max(one.front for one in chain), right, motion)
            if self._free(shift, chain, near, motion):
                self.shift, self._stuck_s = shift, 0.0
                self._behind_s *= _HELD  # who comes later has to brake
                return

    def _chain(self, blocker: Neighbour, near: Sequence[Neighbour], motion: Motion) -> List[Neighbour]:
        """The blocker and what stands in the lane behind it, as long as the gaps are short."""
        chain, end = [blocker], blocker.front
        for one in near:
            slow = one.thing.speed < max(_STANDS_M_S, _CRAWLS * motion.wanted) and not one.thing.walker
            reached = one is not blocker and slow and blocker.rear <= one.rear < end + _CHAIN_M
            if reached and (self._in_way(one, motion) or self._in_lane(one)):
                chain.append(one)
                end = max(end, one.front)
        return chain

    def _in_lane(self, one: Neighbour) -> bool:
        """Whether it has stood in our lane from the start, though there is room to drive by: the fence of a site."""
        lane_width = self._path.node[self._path.index(one.s)].lane.lane_width
        return one.thing.speed < _STANDS_M_S and not one.thing.moved and abs(one.right) < 0.5 * lane_width

    def _sides(self, chain: Sequence[Neighbour], motion: Motion) -> List[float]:
        """How far to the right one could pass, the shortest way first; negative on the left."""
        room = motion.half_width + self._style.side_m
        left = min(min(one.right - one.half_across for one in chain) - room, 0.0)
        right = max(max(one.right + one.half_across for one in chain) + room, 0.0)
        lane = self._path.node[self._path.index(chain[0].s)].lane
        spare = 0.5 * lane.lane_width - motion.half_width
        return sorted(
            (
                side
                for side, beside in ((left, lane.get_left_lane()), (right, lane.get_right_lane()))
                if abs(side) < spare + 0.3 + self._width(beside, side < 0.0)
            ),
            key=abs,
        )

    def _width(self, beside: Optional[carla.Waypoint], left: bool) -> float:
        """Metres that the strip beside the lane offers: a lane, on the left also an opposite one; else little."""
        if beside is None:
            return 0.0
        if beside.lane_type == carla.LaneType.Driving or beside.lane_type == carla.LaneType.Bidirectional:
            return float(beside.lane_width)
        usable = beside.lane_type in (carla.LaneType.Shoulder, carla.LaneType.Parking, carla.LaneType.Stop)
        return 0.7 * float(beside.lane_width) if usable and not left else 0.0

    def _planned(self, rear: float, front: float, right: float, motion: Motion) -> Shift:
        ramp = 6.0 + 0.9 * min(motion.speed, self._style.passing_m_s) + 0.5 * abs(right)
        full = max(rear - motion.half_length - 0.5, motion.s + 3.0)
        until = front + motion.half_length + _CLEAR_M
        return Shift(max(full - ramp, motion.s - 0.5), full, until, until + ramp, right)

    def _free(self, shift: Shift, chain: Sequence[Neighbour], near: Sequence[Neighbour], motion: Motion) -> bool:
        """Whether nobody is, or comes, where we would drive."""
        style = self._style
        passing = motion._replace(wanted=min(motion.wanted, style.passing_m_s))
        needed = passing.reaches(shift.until - motion.s) + style.gap_s
        numbers = {one.thing.number for one in chain}
        for one in near:
            if one.thing.number in numbers or not one.overlaps(shift.right, motion.half_width + 0.6 * style.side_m):
                continue
            if one.along < -_STANDS_M_S:
                meets = one.rear + one.along * needed < shift.until and one.front > motion.s
            elif one.s < motion.s:
                faster = max(one.along - motion.speed, 0.0)
                look_s = min(needed, self._behind_s)
                meets = (
                    one.front + faster * look_s + 2.0 > motion.s - motion.half_length
                    and abs(one.right - self.at(motion.s)) > one.half_across + motion.half_width - 0.2
                )
            else:
                meets = one.rear + max(one.along, 0.0) * needed < shift.until
            if meets:
                return False
        return True

    def _go_on(self, shift: Shift, near: Sequence[Neighbour], motion: Motion, delta_s: float) -> None:
        """Stay out beside what stands or crawls; come back where it is not free after all, or leads nowhere."""
        self._stuck_s = self._stuck_s + delta_s if motion.speed < _STANDS_M_S else 0.0
        beside = [one for one in near if self._beside(one, shift, motion)]
        if abs(shift.at(motion.s)) < _COMMITTED_M and not self._free(shift, beside, near, motion):
            self.shift = None
        elif self._stuck_s > _STUCK_S and not any(one.rear < motion.s + _CHAIN_M for one in beside):
            self.shift, self._stuck_s = shift._replace(full=motion.s, until=motion.s, end=motion.s + _BACK_M), 0.0
        else:
            until = max([shift.until, *(one.front + motion.half_length + _CLEAR_M for one in beside)])
            longer = shift._replace(until=until, end=until + shift.end - shift.until)
            if until > shift.until and self._free(longer, beside, near, motion):
                self.shift = longer

    def _beside(self, one: Neighbour, shift: Shift, motion: Motion) -> bool:
        """Whether a thing in the lane is one to be passed in this go."""
        reaches = one.rear < shift.end + 2.0 and one.front > motion.s - motion.half_length - 1.0
        slow = one.thing.speed < max(_STANDS_M_S, _CRAWLS * motion.wanted) and not one.thing.walker
        return reaches and slow and self._in_way(one, motion)

    def _emergency(self, near: Sequence[Neighbour], motion: Motion) -> Optional[Neighbour]:
        """A vehicle with blue lights that comes from behind in this lane."""
        for one in near:
            if one.thing.emergency and one.s < motion.s and one.cosine > 0.0 and one.along > motion.speed + 0.5:
                return one if one.overlaps(0.0, motion.half_width) else None
        return None

    def _leave_for(self, behind: Neighbour, near: Sequence[Neighbour], motion: Motion) -> None:
        """Change to a lane of the same direction until it has passed."""
        lane = self._path.node[self._path.index(motion.s)].lane
        for side, beside in ((1.0, lane.get_right_lane()), (-1.0, lane.get_left_lane())):
            if beside is None or beside.lane_type != carla.LaneType.Driving or beside.lane_id * lane.lane_id < 0:
                continue
            self._behind_s = _BEHIND_S[1]
            time = (motion.s - behind.s + 20.0) / max(behind.along - motion.speed, 1.0)
            until = motion.s + motion.speed * min(time, 12.0) + _AWAY_M
            ramp = 8.0 + motion.speed
            shift = Shift(motion.s, motion.s + ramp, max(until, motion.s + ramp), 0.0, side * lane.lane_width)
            shift = shift._replace(end=shift.until + ramp)
            if self._free(shift, [behind], near, motion):
                self.shift = shift
                return
