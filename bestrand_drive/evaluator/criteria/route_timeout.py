"""The time that a route may take.

Rule (leaderboard 2.0): 300 s, and for every metre that is passed the time it takes at a tenth of the speed limit.
Bench2Drive's limit of 200 s a drive comes before.
"""

from __future__ import annotations

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Way

_BASE_S = 300.0
_SHARE = 0.1
_WINDOW = 3


class RouteTimeout:
    """Clocks the drive.

    Attributes:
        failed: The time is up.
    """

    def __init__(self, way: Way) -> None:
        self._way = way
        self._index = 0
        self._allowed_s = _BASE_S
        self.failed = False
        self.events: list[Event] = []

    def update(self, moment: Moment, limit_m_s: float) -> None:
        """Look at one tick; ``limit_m_s`` is the speed limit where the ego is."""
        index = self._way.advance(self._index, moment.place, _WINDOW)
        if index > self._index and limit_m_s > 0.0:
            self._allowed_s += (self._way.metres[index] - self._way.metres[self._index]) / (_SHARE * limit_m_s)
        self._index = index
        if moment.time_s > self._allowed_s and not self.failed:
            self.failed = True
            self.events.append(Event(Kind.ROUTE_TIMEOUT, "Route timeout."))
