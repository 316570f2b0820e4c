"""Outside the route's lanes: off the road, or on a lane of the other direction, as a share of the way driven.

Rule (leaderboard 2.0): off the road is further from the nearest driving or parking lane's centre than half its width
and 0.5 m. The direction is judged when the lane changes: after a junction by the angle between lane and ego (120
degrees and more is wrong), elsewhere by a jump of the lane's heading (over 150 degrees turns right into wrong, and
back); in junctions it is always right. Metres of the way that are passed meanwhile, up to three points ahead, count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Point, Way

ALLOWED_M = 0.5
_WRONG_EGO_DEG = 120.0
_WRONG_JUMP_DEG = 150.0
_WINDOW = 3


@dataclass(frozen=True)
class Lane:
    """The driving lane nearest to a place.

    Attributes:
        road_id: OpenDRIVE road.
        lane_id: OpenDRIVE lane.
        yaw: Its heading there.
        is_junction: It lies in a junction.
    """

    road_id: int
    lane_id: int
    yaw: float
    is_junction: bool


Look = Callable[[Point], tuple[Lane, bool]]
"""The nearest driving lane, and whether the place is off the road."""


class OutsideLanes:
    """Sums up what was driven outside.

    Args:
        way: To go.
        look: At the map.
        start: Where the ego begins.
    """

    def __init__(self, way: Way, look: Look, start: Point) -> None:
        self._way = way
        self._look = look
        self._before = look(start)[0]
        self._lane: tuple[int, int] | None = None
        self._wrong = False
        self._index = 0
        self._total_m = 0.0
        self._outside_m = 0.0

    def update(self, moment: Moment, *, wrong_way_allowed: bool = False) -> None:
        """Look at one tick; the wrong way is allowed while a scenario leaves no other (leaderboard 2.0)."""
        lane, off_road = self._look(moment.place)
        self._wrong = self._is_wrong(lane, moment.yaw)
        self._lane, self._before = (lane.road_id, lane.lane_id), lane
        metres = self._way.metres
        for index in range(self._index + 1, min(self._index + _WINDOW + 1, len(self._way))):
            if self._way.passed(index, moment.place):
                passed = metres[index] - metres[self._index]
                self._total_m += passed
                self._outside_m += passed * (off_road or (self._wrong and not wrong_way_allowed))
                self._index = index

    def _is_wrong(self, lane: Lane, ego_yaw: float) -> bool:
        if lane.is_junction:
            return False
        if self._lane == (lane.road_id, lane.lane_id):
            return self._wrong
        if self._before.is_junction:
            return _apart(lane.yaw, ego_yaw) >= _WRONG_EGO_DEG
        return self._wrong != (_apart(lane.yaw, self._before.yaw) > _WRONG_JUMP_DEG)

    @property
    def events(self) -> list[Event]:
        """One event, with all of it, or none."""
        if not self._outside_m:
            return []
        percent = 100.0 * self._outside_m / self._total_m
        said = (
            f"Agent went outside its route lanes for about {round(self._outside_m, 3)} meters "
            f"({round(percent, 2)}% of the completed route)"
        )
        return [Event(Kind.OUTSIDE, said, percent)]


def _apart(one: float, other: float) -> float:
    """Angle between two headings, 0 to 180 degrees."""
    return abs((one - other + 180.0) % 360.0 - 180.0)
