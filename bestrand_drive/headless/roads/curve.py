"""Curves with a continuous heading, made of lines and arcs. OpenDRIVE's axes: y north, radians anticlockwise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

_STRAIGHT = 1e-7  # curvature below it is a line, 1/m
_SHORTEST_M = 1e-3


class Pose(NamedTuple):
    """A place in metres and a heading in radians."""

    x: float
    y: float
    z: float
    heading: float

    def ahead(self, distance: float) -> Pose:
        """The pose ``distance`` metres straight on, at the same height."""
        return self._replace(x=self.x + distance * math.cos(self.heading), y=self.y + distance * math.sin(self.heading))

    def aside(self, distance: float) -> Pose:
        """The pose ``distance`` metres to the left."""
        return self._replace(x=self.x - distance * math.sin(self.heading), y=self.y + distance * math.cos(self.heading))

    def turned(self, angle: float) -> Pose:
        """The same place with a heading turned to the left by ``angle``."""
        return self._replace(heading=self.heading + angle)

    def frame(self, x: float, y: float) -> tuple[float, float]:
        """A place as metres ahead of this pose and metres to its left."""
        dx, dy, cos, sin = x - self.x, y - self.y, math.cos(self.heading), math.sin(self.heading)
        return dx * cos + dy * sin, dy * cos - dx * sin


class Piece(NamedTuple):
    """One line or arc: where it begins, its length in metres and its curvature in 1/m, positive to the left."""

    start: Pose
    length: float
    curvature: float


@dataclass(frozen=True)
class Curve:
    """A curve through poses, which it meets with their headings; heights run straight between them."""

    poses: tuple[Pose, ...]

    @cached_property
    def spans(self) -> tuple[tuple[Piece, ...], ...]:
        """Lines and arcs from each pose to the next."""
        return tuple(biarc(here, there) for here, there in pairwise(self.poses))

    @cached_property
    def length(self) -> float:
        """Metres along the curve."""
        return sum(piece.length for span in self.spans for piece in span)

    def extended(self, before: float, after: float) -> Curve:
        """The curve with straight ends that much longer, metres; 0 leaves an end as it is."""
        first, last = self.poses[0], self.poses[-1]
        head = (first.ahead(-before),) if before else ()
        return Curve((*head, *self.poses, *((last.ahead(after),) if after else ())))

    def nearest(self, x: float, y: float) -> float:
        """Distance in metres from a place to the nearest pose, or to the nearest chord between two."""
        return min(_to_chord(a, b, x, y) for a, b in pairwise(self.poses))


def _to_chord(a: Pose, b: Pose, x: float, y: float) -> float:
    dx, dy = b.x - a.x, b.y - a.y
    part = ((x - a.x) * dx + (y - a.y) * dy) / max(dx * dx + dy * dy, 1e-12)
    part = min(max(part, 0.0), 1.0)
    return math.hypot(x - a.x - part * dx, y - a.y - part * dy)


def biarc(start: Pose, end: Pose) -> tuple[Piece, ...]:
    """Two arcs that meet with one tangent, from a pose to another that neither lies behind it nor faces it.

    The two tangent lengths are equal (Bolton, "Biarc curves", 1975): with v from start to end and unit tangents t0, t1,
    the length d solves 2 d^2 (1 - t0.t1) + 2 d v.(t0 + t1) - v.v = 0.
    """
    vx, vy = end.x - start.x, end.y - start.y
    t0 = (math.cos(start.heading), math.sin(start.heading))
    t1 = (math.cos(end.heading), math.sin(end.heading))
    along, apart = vx * (t0[0] + t1[0]) + vy * (t0[1] + t1[1]), 1 - t0[0] * t1[0] - t0[1] * t1[1]
    d = _tangent_length(vx * vx + vy * vy, along, apart)
    middle = ((start.x + end.x + d * (t0[0] - t1[0])) / 2, (start.y + end.y + d * (t0[1] - t1[1])) / 2)
    first = _arc(start, *middle)
    joint = Pose(*middle, start.z, start.heading + first.length * first.curvature)
    return tuple(piece for piece in (first, _arc(joint, end.x, end.y)) if piece.length > _SHORTEST_M)


def _tangent_length(square: float, along: float, apart: float) -> float:
    """The positive root d of 2 d^2 apart + 2 d along - square = 0, in the form that does not cancel."""
    below = along + math.sqrt(along * along + 2 * apart * square)
    return square / below if below > 1e-9 else math.sqrt(square) / 2


def _arc(start: Pose, x: float, y: float) -> Piece:
    """The arc that leaves ``start`` with its heading and ends at a place."""
    ahead, left = start.frame(x, y)
    chord = math.hypot(ahead, left)
    curvature = 2 * left / max(chord * chord, 1e-12)
    if abs(curvature) < _STRAIGHT:
        return Piece(start, chord, 0.0)
    return Piece(start, 2 * math.atan2(left, ahead) / curvature, curvature)


def wrapped(angle: float) -> float:
    """An angle brought into [-pi, pi]."""
    return math.remainder(angle, 2 * math.pi)


def meeting(first: Pose, second: Pose) -> tuple[float, float] | None:
    """Where two straight lines meet, or none if they are nearly parallel (10 degrees)."""
    across = math.sin(second.heading - first.heading)
    if abs(across) < math.sin(math.radians(10)):
        return None
    dx, dy = second.x - first.x, second.y - first.y
    along = (dx * math.sin(second.heading) - dy * math.cos(second.heading)) / across
    place = first.ahead(along)
    return place.x, place.y


def polyline(places: Sequence[tuple[float, float, float]], headings: Sequence[float]) -> Curve:
    """The curve through places with given headings."""
    return Curve(tuple(Pose(*place, heading) for place, heading in zip(places, headings, strict=True)))
