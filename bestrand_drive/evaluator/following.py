"""How a driven vehicle chooses its speed and steers: the intelligent driver model and pure pursuit.

Sources: Treiber, Hennecke, Helbing, Congested traffic states (2000) for the acceleration; Coulter, Pure pursuit (1992).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bestrand_drive.evaluator.path import Path

_START_M_S2 = 2.0
_HARD_M_S2 = 8.0
_GAP_M = 2.5
_HEADWAY_S = 1.2
_REACH_M = 45.0
_SIDE_M = 0.3
CROSSING_S = (0.5, 1.0, 1.5, 2.0, 2.5)
_CROSSING_M = 25.0
_CROSSING_COS = 0.9


@dataclass(frozen=True)
class Body:
    """Another road user, as a follower sees it.

    Attributes:
        number: Its actor id.
        x, y: Place, metres.
        vx, vy: Velocity, m/s.
        half_length, half_width: Metres.
        track: Where it will be after each of ``CROSSING_S``, where its way is known; straight on without.
    """

    number: int
    x: float
    y: float
    vx: float
    vy: float
    half_length: float
    half_width: float
    track: tuple[tuple[float, float], ...] = ()

    def expected(self) -> Iterable[tuple[float, tuple[float, float]]]:
        """Waits in seconds and the place after each."""
        straight = ((self.x + wait_s * self.vx, self.y + wait_s * self.vy) for wait_s in CROSSING_S)
        return zip(CROSSING_S, self.track or straight, strict=True)


@dataclass(frozen=True)
class Lead:
    """What is ahead on the path: free metres, and its speed along the path."""

    gap_m: float
    speed: float


def acceleration(speed: float, wanted: float, lead: Lead | None, comfortable_m_s2: float) -> float:
    """By the intelligent driver model, m/s^2."""
    free = 1.0 - (speed / wanted) ** 4 if wanted > 0.1 else -speed * 2.0
    pull = _START_M_S2 * free
    if lead is not None:
        closing = speed * (speed - lead.speed) / (2.0 * math.sqrt(_START_M_S2 * comfortable_m_s2))
        desired = _GAP_M + max(0.0, speed * _HEADWAY_S + closing)
        pull = min(pull, _START_M_S2 * (free - (desired / max(lead.gap_m, 0.1)) ** 2))
    return max(pull, -_HARD_M_S2)


def nearer(one: Lead | None, other: Lead | None) -> Lead | None:
    """The one with the smaller gap."""
    if one is None or other is None:
        return one or other
    return one if one.gap_m <= other.gap_m else other


def lead_on_path(path: Path, index: int, own: Body, others: list[Body]) -> Lead | None:
    """The nearest of the others whose place lies on the path ahead."""
    best: Lead | None = None
    for other in others:
        dx, dy = other.x - own.x, other.y - own.y
        if abs(dx) > _REACH_M or abs(dy) > _REACH_M or other.number == own.number:
            continue
        there, apart_m = path.nearest(other.x, other.y, index, _REACH_M)
        if there == index or apart_m > own.half_width + max(other.half_width, 0.5) + _SIDE_M:
            continue
        after = min(there + 1, len(path) - 1)
        gap_m = path.metres[there] - path.metres[index] - own.half_length - other.half_length
        if best is None or gap_m < best.gap_m:
            along = _along(path, after - 1, other)
            best = Lead(max(gap_m, 0.0), along)
    return best


def _along(path: Path, index: int, other: Body) -> float:
    """Speed of another along the path, m/s, at least 0."""
    dx, dy = path.xs[index + 1] - path.xs[index], path.ys[index + 1] - path.ys[index]
    length = math.hypot(dx, dy) or 1.0
    return max((other.vx * dx + other.vy * dy) / length, 0.0)


def crossing_lead(path: Path, index: int, own: Body, speed: float, others: list[Body]) -> Lead | None:
    """A stop before the path of another that is about to cross it and will be there first.

    Both that see each other would wait for ever only if both moved on; who stands is no reason to wait.
    """
    best: Lead | None = None
    heading = path.ahead(index, 4.0)
    hx, hy = path.xs[heading] - own.x, path.ys[heading] - own.y
    size = math.hypot(hx, hy) or 1.0
    for other in others:
        fast = math.hypot(other.vx, other.vy)
        if other.number == own.number or fast < 0.5 or abs(other.x - own.x) + abs(other.y - own.y) > 2 * _CROSSING_M:
            continue
        if (other.vx * hx + other.vy * hy) / (fast * size) > _CROSSING_COS:
            continue  # it goes the same way: a matter of following
        for wait_s, (x, y) in other.expected():
            there, apart_m = path.nearest(x, y, index, _CROSSING_M)
            away_m = path.metres[there] - path.metres[index]
            if there == index or apart_m > 1.0 + own.half_width or away_m < own.half_length + 1.0:
                continue
            if away_m / max(speed, 1.0) > wait_s - 1.0 and (best is None or away_m < best.gap_m):
                best = Lead(max(away_m - own.half_length - other.half_length - 1.0, 0.0), 0.0)
            break
    return best


def yaw_rate(path: Path, index: int, x: float, y: float, yaw: float, speed: float) -> float:
    """Of pure pursuit, deg/s.

    Args:
        path: To follow.
        index: The nearest place of it.
        x: Of the vehicle.
        y: Of the vehicle.
        yaw: Heading in degrees.
        speed: m/s.
    """
    target = path.ahead(index, max(3.0, 0.7 * speed))
    dx, dy = path.xs[target] - x, path.ys[target] - y
    away_m = math.hypot(dx, dy)
    if away_m < 0.5:
        return 0.0
    angle = math.atan2(dy, dx) - math.radians(yaw)
    angle = (angle + math.pi) % (2.0 * math.pi) - math.pi
    return math.degrees(speed * 2.0 * math.sin(max(min(angle, 1.4), -1.4)) / max(away_m, 2.0))
