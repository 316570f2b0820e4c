"""Which things are in the way now, and which will be."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Sequence

from probe_driving.path import Path
from probe_driving.style import Style
from probe_driving.surroundings import Thing

_AHEAD_M = 90.0
_BEHIND_M = 45.0
_STEP_S = 0.25
_PARALLEL = 0.9
"""Cosine above which two directions are the same, or opposite: 26 degrees."""
_SIDE_BY_SIDE_S = 1.25
"""How far ahead is foreseen whether a neighbour leaves its lane."""
_MERGES, _MERGING = 0.7, 0.4
"""Cosine above which somebody comes into our lane, and the share of the gap that is then enough."""
_CHANGE_M = 12.0
_MOVING_M_S = 0.4


class Neighbour(NamedTuple):
    """A thing beside or on the path.

    Attributes:
        thing: What it is.
        s, right: Its middle along the path and to its right, metres.
        half_along, half_across: Of its box, seen along the path, metres.
        along: Its speed along the path in m/s.
        across: Its speed to the right in m/s.
        cosine: Between its own direction and the path's.
    """

    thing: Thing
    s: float
    right: float
    half_along: float
    half_across: float
    along: float
    across: float
    cosine: float

    @property
    def rear(self) -> float:
        """Its nearer end along the path."""
        return self.s - self.half_along

    @property
    def front(self) -> float:
        """Its further end along the path."""
        return self.s + self.half_along

    def overlaps(self, right: float, half_width: float) -> bool:
        """Whether it reaches into a strip around a line some metres to the right of the path."""
        return abs(self.right - right) < self.half_across + half_width


def neighbours(path: Path, things: Sequence[Thing], s: float, style: Style) -> List[Neighbour]:
    """All that a style sees near the path from somewhat behind to well ahead, nearest first."""
    found = []
    low, high = s - _BEHIND_M, s + _AHEAD_M
    for thing in things:
        if not sees(style, thing):
            continue
        place = path.place(thing.x, thing.y, low, high)
        if place is None:
            continue
        tx, ty = path.tx[place.point], path.ty[place.point]
        cosine, sine = thing.cos * tx + thing.sin * ty, thing.sin * tx - thing.cos * ty
        long, wide = thing.half_length, thing.half_width
        found.append(
            Neighbour(
                thing,
                place.s,
                place.right,
                abs(cosine) * long + abs(sine) * wide,
                abs(sine) * long + abs(cosine) * wide,
                thing.vx * tx + thing.vy * ty,
                thing.vy * tx - thing.vx * ty,
                cosine,
            )
        )
    found.sort(key=lambda near: (near.s, near.thing.number))
    return found


def sees(style: Style, thing: Thing) -> bool:
    """Whether a style notices such a thing at all."""
    if thing.vehicle:
        return style.sees_vehicles
    return style.sees_walkers if thing.walker else style.sees_props


class Motion(NamedTuple):
    """How the driven vehicle goes on: middle along the path, half its box, speed, speed it is about to have."""

    s: float
    half_length: float
    half_width: float
    speed: float
    wanted: float
    accel: float

    def reaches(self, distance: float) -> float:
        """Seconds until it has gone some metres."""
        if distance <= 0.0:
            return 0.0
        top = max(self.wanted, 1.0)
        speed = min(self.speed, top)
        ramp = (top * top - speed * speed) / (2.0 * self.accel)
        if distance < ramp:
            return (math.sqrt(speed * speed + 2.0 * self.accel * distance) - speed) / self.accel
        return (top - speed) / self.accel + (distance - ramp) / top


def crossing(path: Path, thing: Thing, motion: Motion, style: Style, patience: float = 1.0) -> Optional[float]:
    """Distance along the path where a moving thing will be in the way when we come, or None.

    It is taken to go on at its speed and yaw rate. Those beside us in our direction or against it are believed for
    a moment only, since lanes bend; not where we change lanes.

    Args:
        path: That we drive.
        thing: That moves.
        motion: Of the driven vehicle.
        style: Of its driver.
        patience: 1 at first, 0 after a long wait: gaps and foresight get shorter.
    """
    if thing.speed < _MOVING_M_S:
        return None
    horizon, turn, time = style.horizon_s * (0.4 + 0.6 * patience), thing.turn, 0.0
    x, y, vx, vy = thing.x, thing.y, thing.vx, thing.vy
    cos, sin = math.cos(turn * _STEP_S), math.sin(turn * _STEP_S)
    low, high = motion.s, motion.s + _AHEAD_M
    lanes_only = thing.vehicle and not any(first < high and last > low for first, last in path.junctions)
    while time < horizon:
        time += _STEP_S
        vx, vy = vx * cos - vy * sin, vx * sin + vy * cos
        x, y = x + vx * _STEP_S, y + vy * _STEP_S
        place = path.place(x, y, low, high)
        if place is None:
            continue
        tx, ty = path.tx[place.point], path.ty[place.point]
        cosine = (vx * tx + vy * ty) / thing.speed
        if time > _SIDE_BY_SIDE_S and abs(cosine) > _PARALLEL and not _changes(path, motion.s, place.s):
            if lanes_only:
                return None
            continue
        sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
        long, wide = thing.half_length, thing.half_width
        across = sine * long + abs(cosine) * wide + motion.half_width + style.side_m * patience
        if abs(place.right) > across:
            continue
        along = abs(cosine) * long + sine * wide
        first = motion.reaches(place.s - along - motion.s - motion.half_length)
        last = motion.reaches(place.s + along - motion.s + motion.half_length)
        gap = patience * style.gap_s * (_MERGING if cosine > _MERGES else 1.0)
        if first - gap < time < last + gap:
            return place.s - along
    return None


def _changes(path: Path, low: float, high: float) -> bool:
    """Whether the path changes lanes between two distances, or soon after."""
    return any(low - _CHANGE_M < end < high + _CHANGE_M for end in path.changes)
