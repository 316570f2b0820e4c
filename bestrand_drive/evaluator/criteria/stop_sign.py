"""Running a stop sign: leaving its box without having stood still in it.

Rule (leaderboard 2.0): the box is the trigger volume, taken along the world's axes and 1.2 times as large, and no more
than 4 m from the ego's lane centre. The ego is in it while a point of its lane, at it or up to 4 m ahead, is. Standing
is below 0.1 m/s. Going backwards or against the lane meets no sign; a sign is not charged twice in a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Point, at, forward

PROXIMITY_M = 4.0
STEP_M = 0.5
_LARGER = 1.2
_STANDS_M_S = 0.1
_AGAINST = -0.17
_SURELY_OUT_M = 15.0
"""From the box's centre; the lane's points are never so far from the ego while it is on a road."""

LaneAhead = Callable[[Point], tuple[Sequence[Point], float]]
"""Points of the lane under a place, the first beside it, then every 0.5 m up to 4 m ahead; and the lane's yaw."""


@dataclass(frozen=True)
class StopSign:
    """A stop sign.

    Attributes:
        number: Its id.
        place: Of the post, for the message.
        centre: Of its trigger volume.
        extent: Half sizes of the volume in x and y.
    """

    number: int
    place: Point
    centre: Point
    extent: tuple[float, float]

    def numbered(self, first_id: int) -> StopSign:
        """The same with its id counted from the first one of the town."""
        return replace(self, number=self.number - first_id)

    def holds(self, lane: Sequence[Point]) -> bool:
        """Whether it concerns who is on a lane."""
        if math.dist(self.centre, lane[0]) > PROXIMITY_M:
            return False
        half_x, half_y = _LARGER * self.extent[0], _LARGER * self.extent[1]
        return any(abs(x - self.centre[0]) < half_x and abs(y - self.centre[1]) < half_y for x, y, _ in lane)


class StopSigns:
    """Watches the stop signs near the way.

    Args:
        signs: Those that the ego may meet.
        lane_ahead: Asked only near a sign.
    """

    def __init__(self, signs: Sequence[StopSign], lane_ahead: LaneAhead) -> None:
        self._signs = signs
        self._lane_ahead = lane_ahead
        self._target: StopSign | None = None
        self._stood = False
        self._last: int | None = None
        self.events: list[Event] = []

    def update(self, moment: Moment) -> None:
        """Look at one tick."""
        if self._target is None:
            self._target = self._met(moment)
            return
        self._stood = self._stood or moment.speed < _STANDS_M_S
        near = math.dist(self._target.centre, moment.place) < _SURELY_OUT_M
        if near and self._target.holds(self._lane_ahead(moment.place)[0]):
            return
        if not self._stood and self._target.number != self._last:
            self._last = self._target.number
            said = f"Agent ran a stop with id={self._target.number} at {at(self._target.place)}"
            self.events.append(Event(Kind.STOP, said))
        self._target, self._stood = None, False

    def _met(self, moment: Moment) -> StopSign | None:
        """The sign whose box the ego entered."""
        near = [sign for sign in self._signs if math.dist(sign.centre, moment.place) < _SURELY_OUT_M]
        if not near:
            return None
        ahead = forward(moment.yaw, moment.pitch)
        lane, lane_yaw = self._lane_ahead(moment.place)
        along = forward(lane_yaw)
        backwards = sum(v * a for v, a in zip(moment.velocity, ahead, strict=True)) < _AGAINST
        against = sum(a * b for a, b in zip(ahead, along, strict=True)) < _AGAINST
        return None if backwards or against else next((sign for sign in near if sign.holds(lane)), None)
