"""Speed against the surrounding traffic's, at checkpoints along the way.

Rule (Bench2Drive): 20 checkpoints; at each, the ego's mean speed since the last one in percent of the background
vehicles' mean speed, over the ticks in which there were any; 100 without any. The last is taken at the drive's end
when more than 95 % of the way are behind, and twice unless something else than a rule ended the drive: Bench2Drive's
evaluator ends its rules once with the drive and once more when it clears up, so its result files have it twice.
Bench2Drive logs them all and takes no points off; efficiency is their mean.
"""

from __future__ import annotations

from bestrand_drive.evaluator.criteria.moment import Event, Kind, Moment, Way

_CHECKPOINTS = 20
_WINDOW = 2
_ALMOST = 0.95


class MinSpeed:
    """Compares the ego with the traffic."""

    def __init__(self, way: Way) -> None:
        self._way = way
        self._every_m = way.length_m / _CHECKPOINTS
        self._index = 0
        self._since_m = 0.0
        self._ego = self._traffic = 0.0
        self._ended = False
        self.events: list[Event] = []

    def update(self, moment: Moment, traffic_m_s: float | None) -> None:
        """Look at one tick.

        Args:
            moment: The ego.
            traffic_m_s: Mean speed of the background vehicles, None without any.
        """
        self._index = self._way.advance(self._index, moment.place, _WINDOW)
        if self._way.metres[self._index] - self._since_m > self._every_m:
            self._checkpoint()
            self._since_m = self._way.metres[self._index]
            self._ego = self._traffic = 0.0
        if traffic_m_s is not None:
            self._ego += moment.speed
            self._traffic += traffic_m_s

    def end(self, *, by_rule: bool) -> None:
        """The drive is over; ``by_rule`` when it was complete or a rule ended it."""
        if not self._ended and self._way.metres[self._index] / self._way.length_m > _ALMOST:
            for _ in range(2 if by_rule else 1):
                self._checkpoint()
        self._ended = True

    def _checkpoint(self) -> None:
        percent = round(100.0 * self._ego / self._traffic, 2) if self._traffic else 100
        self.events.append(
            Event(Kind.MIN_SPEED, f"Average speed is {percent}% of the surrounding traffic's one", float(percent))
        )
