"""Route completion: how much of the way lies behind the ego, and when it is there.

Rule (leaderboard 2.0): a point counts as passed when the ego is beyond its cross plane; only two points ahead of the
furthest one are looked at, so that crossing the way elsewhere does not count. The route is complete beyond 99 % and
within 10 m of its last point; the drive ends one tick later.
"""

from __future__ import annotations

import math

from bestrand_drive.evaluator.criteria.moment import Moment, Way

_WINDOW = 2
_ENOUGH_PERCENT = 99.0
_NEAR_M = 10.0


class Completion:
    """Follows the ego along the way.

    Attributes:
        percent: Of the way's length, rounded as the leaderboard does; 100 when complete.
        reached: It is complete.
        finished: It was complete before this tick: the drive ends.
    """

    def __init__(self, way: Way) -> None:
        self._way = way
        self._index = 0
        self.percent = 0.0
        self.reached = False
        self.finished = False

    def update(self, moment: Moment) -> None:
        """Look at one tick."""
        if self.reached:
            self.finished = True
            return
        way = self._way
        self._index = way.advance(self._index, moment.place, _WINDOW)
        self.percent = round(100.0 * way.metres[self._index] / way.length_m, 2)
        if self.percent > _ENOUGH_PERCENT and math.dist(moment.place, way.places[-1]) < _NEAR_M:
            self.reached, self.percent = True, 100.0
