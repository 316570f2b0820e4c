"""Standing for too long ends the drive.

Rule (Bench2Drive): below 0.1 m/s for more than 60 s. While a scenario that has a time limit runs, the clock stands.
"""

from __future__ import annotations

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, at

_STANDS_M_S = 0.1
_MOST_S = 60.0


class Blocked:
    """Clocks the ego's standing.

    Attributes:
        failed: It stood for too long.
    """

    def __init__(self) -> None:
        self._moved_s: float | None = None
        self.failed = False
        self.events: list[Event] = []

    def update(self, moment: Moment, *, suspended: bool = False) -> None:
        """Look at one tick; ``suspended`` while a scenario keeps the time."""
        if suspended or self._moved_s is None or moment.speed >= _STANDS_M_S:
            self._moved_s = moment.time_s
        elif moment.time_s - self._moved_s > _MOST_S and not self.failed:
            self.failed = True
            self.events.append(Event(Kind.BLOCKED, f"Agent got blocked at {at(moment.place)}"))
