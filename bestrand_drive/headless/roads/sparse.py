"""Routes of a few places made dense: what lies between is invented, from the heading at the scenario's trigger."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from bestrand_drive.headless.roads.curve import Curve, Pose, biarc
from bestrand_drive.headless.roads.tracks import GAP_M, Points

_STEP_M = 2.0
_NEAR_M = 2.0
_CORNER_M = 18.0
"""From a corner to the junction's mouths."""
_CORNER_RATIO = 0.5
"""A route that ends this much aside of the trigger's heading, against the way ahead, turns a corner."""
_JUNCTION_AHEAD_M = 40.0
JUNCTION_LENGTH_M = 28.0


def is_sparse(places: Points) -> bool:
    """Whether most steps of a route are longer than a gap of a dense one."""
    return float(np.median(np.hypot(*np.diff(places[:, :2], axis=0).T))) > GAP_M


def fill(places: Points, trigger: Pose | None, *, corner: bool) -> Points:
    """A place every 2 m; with ``corner`` a route that ends far aside turns at a junction, which is left out.

    Args:
        places: The sparse route.
        trigger: Where its scenario begins, which lies on the route.
        corner: Whether a junction is wanted.
    """
    knots = [Pose(float(x), float(y), float(z), math.nan) for x, y, z in places]
    if trigger is None:
        return _sampled(_arcs(knots))
    after = [knot for knot in knots if trigger.frame(knot.x, knot.y)[0] > _NEAR_M]
    before = [knot for knot in knots if trigger.frame(knot.x, knot.y)[0] < -_NEAR_M]
    if corner and len(after) == 1:
        ahead, left = trigger.frame(after[0].x, after[0].y)
        if abs(left) > _CORNER_RATIO * ahead and abs(left) > _CORNER_M + 5:
            return _cornered([*before, trigger], after[0], ahead, left)
    return _sampled(_arcs([*before, trigger, *after]))


def _cornered(before: list[Pose], end: Pose, ahead: float, left: float) -> Points:
    """Straight on from the trigger, a right angle, and straight to the end; the corner itself is a gap."""
    trigger = before[-1]
    cut = min(_CORNER_M, max(ahead - 3.0, 6.0))
    mouth = trigger.ahead(max(ahead - cut, 2.0))
    corner = trigger.ahead(ahead)._replace(z=(trigger.z + end.z) / 2)
    leave = corner.turned(math.copysign(math.pi / 2, left)).ahead(_CORNER_M)
    last = end._replace(heading=leave.heading)
    return np.vstack((_sampled(_arcs([*before, mouth])), _sampled(Curve((leave, last)))))


def _arcs(knots: list[Pose]) -> Curve:
    """A curve through knots; those without a heading take that of their neighbours' chord, at an end that of an arc."""
    poses = list(knots)
    for index in range(1, len(poses) - 1):
        if math.isnan(poses[index].heading):
            poses[index] = poses[index]._replace(heading=_chord(knots[index - 1], knots[index + 1]))
    for own, other, way in ((0, 1, (0, 1)), (-1, -2, (-2, -1))):
        if math.isnan(poses[own].heading):
            chord, known = _chord(poses[way[0]], poses[way[1]]), poses[other].heading
            poses[own] = poses[own]._replace(heading=chord if math.isnan(known) else 2 * chord - known)
    return Curve(tuple(poses))


def _chord(here: Pose, there: Pose) -> float:
    return math.atan2(there.y - here.y, there.x - here.x)


def _sampled(curve: Curve) -> Points:
    """Places along a curve, its poses among them."""
    found = []
    for here, there in pairwise(curve.poses):
        pieces = biarc(here, there)
        total, run = sum(piece.length for piece in pieces), 0.0
        for piece in pieces:
            count = max(1, round(piece.length / _STEP_M))
            for part in (piece.length * index / count for index in range(count)):
                share = (run + part) / total
                found.append((*_along(piece.start, part, piece.curvature), here.z + share * (there.z - here.z)))
            run += piece.length
    return np.array([*found, curve.poses[-1][:3]])


def _along(start: Pose, distance: float, curvature: float) -> tuple[float, float]:
    """The place that far along an arc."""
    half = curvature * distance / 2
    chord = distance * (math.sin(half) / half if half else 1.0)
    return start.x + chord * math.cos(start.heading + half), start.y + chord * math.sin(start.heading + half)


def punch(places: Points, trigger: Pose) -> Points:
    """A gap for a junction cut into a dense route, ahead of the trigger; none where the route ends too soon."""
    nearest = int(np.argmin(np.hypot(places[:, 0] - trigger.x, places[:, 1] - trigger.y)))
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(places[:, :2], axis=0).T))))
    room = (along[-1] - along[nearest] - JUNCTION_LENGTH_M) / 2
    first = along[nearest] + min(_JUNCTION_AHEAD_M, max(room, 4.0))
    inside = (along > first) & (along < first + JUNCTION_LENGTH_M)
    return places if inside[-1] else places[~inside]
