"""How fast: the limit and the bends, whom one follows, and where one has to stand."""

from __future__ import annotations

import math
from typing import List

from probe_driving.path import Path
from probe_driving.style import Style

_SLOWEST_M_S = 2.5
"""In the tightest bend."""
_DEFAULT_LIMIT_KMH = 30.0


class Speeds:
    """Speeds that a style allows along a path."""

    def __init__(self, path: Path, style: Style) -> None:
        self._style = style
        self._path = path
        self._bends = self._in_bends() if style.slows_in_curves else [style.top_m_s] * len(path.x)

    def _in_bends(self) -> List[float]:
        """Speed at each point so that each bend ahead can be taken, in m/s."""
        style = self._style
        speeds = [
            min(style.top_m_s, max(math.sqrt(style.lateral_m_s2 / max(bend, 1e-4)), _SLOWEST_M_S))
            for bend in self._path.curvature
        ]
        for index in range(len(speeds) - 2, -1, -1):
            before = math.sqrt(speeds[index + 1] ** 2 + 2.0 * 0.7 * style.brake_m_s2)
            speeds[index] = min(speeds[index], before)
        return speeds

    def wanted(self, s: float, limit_kmh: float) -> float:
        """Speed on the free road in m/s, at a distance along the path, under a limit in km/h."""
        style = self._style
        limit = (limit_kmh if limit_kmh > 1.0 else _DEFAULT_LIMIT_KMH) / 3.6
        free = style.speed_m_s or style.speed_share * limit
        return min(free, style.top_m_s, self._bends[self._path.index(s)])


def before_stop(room: float, brake_m_s2: float) -> float:
    """Speed from which one comes to stand within some metres, in m/s."""
    return math.sqrt(2.0 * 0.8 * brake_m_s2 * room) if room > 0.0 else 0.0


def idm(speed: float, leader: float, gap: float, style: Style, standstill_m: float) -> float:
    """Acceleration behind a leader in m/s^2, without the free-road term (Treiber et al. 2000, equation 3).

    Args:
        speed: Own speed in m/s.
        leader: Its speed along the path in m/s.
        gap: Between the bumpers in metres.
        style: Of the driver.
        standstill_m: Gap that is left to a leader that stands.
    """
    closing = speed * (speed - leader) / (2.0 * math.sqrt(style.accel_m_s2 * style.brake_m_s2))
    wanted = standstill_m + max(0.0, speed * style.time_gap_s + closing)
    return style.accel_m_s2 * (1.0 - (wanted / max(gap, 0.2)) ** 2)
