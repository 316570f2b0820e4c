"""Leaving the route ends the drive.

Rule (leaderboard 2.0): the nearest of the present point and the five after it is 30 m away or more, or, with it more
than 15 m away, over 30 % of the way were passed.
"""

from __future__ import annotations

import math

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Way, at

_WINDOW = 5
_FAR_M = 30.0
_SAFE_M = 15.0
_MOST_PERCENT = 30.0


class Deviation:
    """Follows the ego beside the way.

    Attributes:
        failed: It left the route.
    """

    def __init__(self, way: Way) -> None:
        self._way = way
        self._index = 0
        self._unsafe_m = 0.0
        self.failed = False
        self.events: list[Event] = []

    def update(self, moment: Moment) -> None:
        """Look at one tick."""
        if self.failed:
            return
        way, (x, y, _) = self._way, moment.place
        window = range(self._index, min(self._index + _WINDOW + 1, len(way)))
        apart_m, nearest = min((math.hypot(x - way.places[i][0], y - way.places[i][1]), -i) for i in window)
        nearest = -nearest  # of equally near ones the furthest
        off = apart_m >= _FAR_M
        if nearest != self._index and apart_m >= _SAFE_M:
            self._unsafe_m += way.metres[nearest] - way.metres[self._index]
            off = off or 100.0 * self._unsafe_m / way.length_m > _MOST_PERCENT
        self._index = nearest
        if off:
            self.failed = True
            self.events.append(Event(Kind.DEVIATION, f"Agent deviated from the route at {at(moment.place)}"))
