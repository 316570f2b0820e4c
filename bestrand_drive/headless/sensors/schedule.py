"""When a sensor is due (the attribute ``sensor_tick``), told from the time alone: nobody has to count.

Measurement k of a sensor with a period covers the seconds ``[k period, (k + 1) period)`` of its life; the first is made
at its first tick, measurement k at the first tick that lies ``k period`` after that one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_SLACK_S = 1e-6  # ticks are sums of float steps


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds of a sensor's life: where they start, how long they are."""

    start_s: float
    length_s: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """A sensor's measurements.

    Attributes:
        period_s: Their distance; 0, or less than a step, for every tick.
        born_s: Simulated time just before the sensor's first tick.
        first_s: Simulated time of that tick.
    """

    period_s: float
    born_s: float
    first_s: float

    def due(self, now_s: float, step_s: float) -> Span | None:
        """The span that is measured at a tick, or none.

        Args:
            now_s: Simulated time of the tick.
            step_s: Its length. Ticks of changing length, and a tick that skips measurements, widen the span.
        """
        if self.period_s <= step_s + _SLACK_S:
            return Span(now_s - step_s - self.born_s, step_s)
        before = -1 if now_s <= self.first_s else self._index(now_s - step_s)
        index = self._index(now_s)
        if index == before:
            return None
        return Span((before + 1) * self.period_s, (index - before) * self.period_s)

    def _index(self, time_s: float) -> int:
        """The last measurement that is due at a time."""
        return math.floor((time_s - self.first_s + _SLACK_S) / self.period_s)
