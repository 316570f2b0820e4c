"""When a sensor is due: the attribute ``sensor_tick``."""

from __future__ import annotations

_SLACK_S = 1e-6  # ticks are sums of float steps
_FIRST_STEP_S = 0.05  # length of a first measurement, before which there is none


class Clock:
    """Counts a sensor's measurements, ``sensor_tick`` seconds apart or every tick for 0."""

    def __init__(self, period_s: float) -> None:
        self._period_s = max(period_s, 0.0)
        self._last_s: float | None = None
        self._next_s = 0.0
        self.count = 0

    def due(self, now_s: float) -> float | None:
        """Seconds since the last measurement if one is due now (it then counts as made), else none.

        The period keeps its phase: a late measurement does not shift the next ones, unless a whole period was missed.
        """
        if self._last_s is not None and now_s < self._next_s - _SLACK_S:
            return None
        since = now_s - self._last_s if self._last_s is not None else max(self._period_s, _FIRST_STEP_S)
        late = self._last_s is None or now_s - self._next_s >= self._period_s
        self._next_s = (now_s if late else self._next_s) + self._period_s
        self._last_s = now_s
        self.count += 1
        return since
