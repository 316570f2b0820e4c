"""Running a red light: the ego's tail crosses the stop line of its lane while the light is red.

Rule (leaderboard 2.0): only lights whose trigger volume's centre is within 15 m of the ego matter, and the light of
the last infraction not again until another one follows. The tail is the piece from 0.8 half-lengths behind the origin
to 1 m behind the bumper; its far end must be on the line's lane, and the ego must head along it. The line is 1.2 lane
widths long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Point, at, forward

_NEAR_M = 15.0
_TAIL_NEAR = 0.8
_TAIL_BEYOND_M = 1.0
_HALF_LINE = 0.6

Spot = tuple[float, float]
LaneAt = Callable[[Point], tuple[int, int]]
"""Road and lane of a place."""


@dataclass(frozen=True)
class StopLine:
    """Where a light holds one lane: the last place before the junction.

    Attributes:
        road_id: OpenDRIVE road.
        lane_id: OpenDRIVE lane.
        place: On the lane's centre.
        yaw: Of the lane.
        lane_width_m: There.
    """

    road_id: int
    lane_id: int
    place: Point
    yaw: float
    lane_width_m: float

    def ends(self) -> tuple[Spot, Spot]:
        """Both ends of the line."""
        half = _HALF_LINE * self.lane_width_m
        right_x, right_y, _ = forward(self.yaw + 90.0)
        x, y, _ = self.place
        return (x + half * right_x, y + half * right_y), (x - half * right_x, y - half * right_y)


@dataclass(frozen=True)
class Light:
    """A traffic light.

    Attributes:
        number: Its id.
        place: Of the post, for the message.
        centre: Of its trigger volume.
        lines: One a lane.
    """

    number: int
    place: Point
    centre: Point
    lines: tuple[StopLine, ...]

    def numbered(self, first_id: int) -> Light:
        """The same with its id counted from the first one of the town."""
        return replace(self, number=self.number - first_id)


class RedLight:
    """Watches the lights near the way.

    Args:
        lights: Those that the ego may meet.
        is_red: Whether a light is red now.
        lane_at: Road and lane of a place; asked only beside a red light.
        half_length_m: Of the ego.
    """

    def __init__(
        self, lights: Sequence[Light], is_red: Callable[[int], bool], lane_at: LaneAt, half_length_m: float
    ) -> None:
        self._lights = lights
        self._is_red = is_red
        self._lane_at = lane_at
        self._half_m = half_length_m
        self._last: int | None = None
        self.events: list[Event] = []

    def update(self, moment: Moment) -> None:
        """Look at one tick."""
        for light in self._lights:
            if math.dist(light.centre, moment.place) > _NEAR_M or light.number == self._last:
                continue
            if self._is_red(light.number) and self._crosses(light, moment):
                self.events.append(Event(Kind.RED_LIGHT, f"Agent ran a red light {light.number} at {at(light.place)}"))
                self._last = light.number

    def _crosses(self, light: Light, moment: Moment) -> bool:
        x, y, z = moment.place
        ahead_x, ahead_y, _ = forward(moment.yaw)
        near, far = _TAIL_NEAR * self._half_m, self._half_m + _TAIL_BEYOND_M
        tail = (x - near * ahead_x, y - near * ahead_y), (x - far * ahead_x, y - far * ahead_y)
        lane = self._lane_at((*tail[1], z))
        for line in light.lines:
            along_x, along_y, _ = forward(line.yaw)
            concerns = (line.road_id, line.lane_id) == lane and ahead_x * along_x + ahead_y * along_y > 0.0
            if concerns and segments_meet(*tail, *line.ends()):
                return True
        return False


def segments_meet(a: Spot, b: Spot, c: Spot, d: Spot) -> bool:
    """Whether two segments of the plane have a point in common."""
    sides = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    if sides[0] * sides[1] < 0.0 and sides[2] * sides[3] < 0.0:
        return True
    ends = ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    return any(side == 0.0 and _within(*end) for side, end in zip(sides, ends, strict=True))


def _side(a: Spot, b: Spot, point: Spot) -> float:
    """On which side of the line a-b a point lies; 0 on it."""
    return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])


def _within(a: Spot, b: Spot, point: Spot) -> bool:
    """Whether a point of the line a-b lies between both."""
    return all(min(a[k], b[k]) <= point[k] <= max(a[k], b[k]) for k in (0, 1))
