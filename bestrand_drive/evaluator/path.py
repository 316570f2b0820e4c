"""A path that a vehicle follows: places, distances, how fast its bends may be taken, and where lights hold it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

_BEND_M_S2 = 2.5
_BRAKE_M_S2 = 2.0
_FASTEST_M_S = 60.0
_SAME_M = 0.05


def place_of(item: Any) -> tuple[float, float, float]:
    """Place of a waypoint, plan point, transform or location, metres."""
    if not hasattr(item, "location"):  # a transform has one, and a method called transform
        item = getattr(item, "transform", item)
    location = getattr(item, "location", item)
    return float(location.x), float(location.y), float(location.z)


class Path:
    """A polyline on the ground.

    Attributes:
        xs, ys: Places, metres.
        metres: Along it.
        limits: Speed that bends ahead allow at each place, m/s.
    """

    def __init__(self, items: Sequence[Any]) -> None:
        places: list[tuple[float, float, float]] = []
        for place in map(place_of, items):
            if not places or math.dist(place[:2], places[-1][:2]) > _SAME_M:
                places.append(place)
        self.xs, self.ys = [place[0] for place in places], [place[1] for place in places]
        self.metres = [0.0]
        for before, after in itertools.pairwise(places):
            self.metres.append(self.metres[-1] + math.dist(before[:2], after[:2]))
        self.limits = self._speed_limits()

    def __len__(self) -> int:
        return len(self.xs)

    def _speed_limits(self) -> list[float]:
        """From the turn at each place (v^2 = a r), and early enough to brake for it."""
        count = len(self.xs)
        limits = [_FASTEST_M_S] * count
        for index in range(2, count - 2):
            turn = abs(self._heading(index, index + 2) - self._heading(index - 2, index))
            turn = min(turn, 2.0 * math.pi - turn)
            length_m = 0.5 * (self.metres[index + 2] - self.metres[index - 2])
            if turn > 0.01 * length_m:
                limits[index] = math.sqrt(_BEND_M_S2 * length_m / turn)
        for index in range(count - 2, -1, -1):
            gap_m = self.metres[index + 1] - self.metres[index]
            limits[index] = min(limits[index], math.sqrt(limits[index + 1] ** 2 + 2.0 * _BRAKE_M_S2 * gap_m))
        return limits

    def _heading(self, one: int, other: int) -> float:
        return math.atan2(self.ys[other] - self.ys[one], self.xs[other] - self.xs[one])

    def advance(self, index: int, x: float, y: float) -> int:
        """The nearest place from ``index`` on, as far as it keeps getting nearer."""
        best = (self.xs[index] - x) ** 2 + (self.ys[index] - y) ** 2
        last = len(self.xs) - 1
        while index < last:
            after = (self.xs[index + 1] - x) ** 2 + (self.ys[index + 1] - y) ** 2
            if after > best:
                break
            index, best = index + 1, after
        return index

    def nearest(self, x: float, y: float, start: int, reach_m: float) -> tuple[int, float]:
        """Nearest place among those from ``start`` on within a reach, and how far it is."""
        best, found = math.inf, start
        end_m = self.metres[start] + reach_m
        for index in range(start, len(self.xs)):
            if self.metres[index] > end_m:
                break
            square = (self.xs[index] - x) ** 2 + (self.ys[index] - y) ** 2
            if square < best:
                best, found = square, index
        return found, math.sqrt(best)

    def ahead(self, index: int, distance_m: float) -> int:
        """The first place at least so far beyond ``index``, or the last."""
        wanted = self.metres[index] + distance_m
        last = len(self.xs) - 1
        while index < last and self.metres[index] < wanted:
            index += 1
        return index
