"""A route's waypoints made into smooth tracks: stretches that a road follows, with gaps where a junction lies.

Route files hold places rounded to 0.1 m. Dense routes (a waypoint every 2 m) leave their junctions out, so a gap is a
junction; a change of lanes is one step sideways. Sparse routes (Fail2Drive: two places) say nothing between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.roads.curve import Curve, Pose, polyline, wrapped

Points = NDArray[np.float64]
"""[point, (x, y, z)] in metres, OpenDRIVE's axes."""

GAP_M = 8.0
TWIN_M = 0.2
_WINDOW = 9
_ROUNDING_M = 0.07
"""Most a place may be moved: half the rounding of 0.1 m, on both axes."""
_SIDESTEP_RAD = 0.3
_SIDESTEP_M = (1.5, 5.0)


@dataclass(frozen=True)
class Track:
    """One stretch between junctions.

    Attributes:
        curve: Through the lane that the stretch begins in.
        shift_left: Metres that the route moves to the left of that lane at most, by changing lanes.
        shift_right: The same to the right.
        step: Width of its lane changes (median), metres; 0 where the route keeps its lane.
    """

    curve: Curve
    shift_left: float = 0.0
    shift_right: float = 0.0
    step: float = 0.0


def split(places: Points) -> list[Points]:
    """Stretches between the gaps; places given twice are dropped."""
    apart = np.hypot(*np.diff(places[:, :2], axis=0).T)
    places = places[np.concatenate(([True], apart > TWIN_M))]
    apart = np.hypot(*np.diff(places[:, :2], axis=0).T)
    return np.split(places, np.flatnonzero(apart > GAP_M) + 1)


def stretch_of(stretches: Sequence[Points], trigger: Pose) -> int:
    """Index of the stretch that a place lies on, or before it, in the gap to the next: the gap behind it follows it."""
    place = np.array(trigger[:2])
    apart = [np.hypot(*(places[:, :2] - place).T) for places in stretches]
    nearest = min(range(len(stretches)), key=lambda index: float(apart[index].min()))
    if nearest and int(np.argmin(apart[nearest])) == 0:
        end, start = stretches[nearest - 1][-1, :2], stretches[nearest][0, :2]
        return nearest - int((start - end) @ (place - start) < 0)
    return nearest


def track(places: Points, ways: tuple[float, float]) -> Track:
    """The smooth track through one stretch.

    Args:
        places: Its waypoints, at least one.
        ways: Headings to take at its ends where it is a single place.
    """
    if len(places) == 1:
        x, y, z = (float(value) for value in places[0])
        pose = Pose(x, y, z, ways[0] + wrapped(ways[1] - ways[0]) / 2)
        return Track(Curve((pose.ahead(-1.0), pose.ahead(1.0))))
    places, shifts = _without_lane_changes(places)
    steps = [abs(step) for step in np.diff(shifts) if step]
    smooth, headings = _smoothed(places)
    return Track(
        polyline([(float(x), float(y), float(z)) for x, y, z in smooth], headings),
        float(max(shifts.max(), 0.0)),
        float(max(-shifts.min(), 0.0)),
        float(np.median(steps)) if steps else 0.0,
    )


def _without_lane_changes(places: Points) -> tuple[Points, NDArray[np.float64]]:
    """The places moved back into the first lane, and how far left of it each was, metres."""
    shifts = np.zeros(len(places))
    places = places.copy()
    for index in range(1, len(places) - 2):
        before, step, after = (_way(places[at], places[at + 1]) for at in (index - 1, index, index + 1))
        turn_out, turn_back = wrapped(step - before), wrapped(after - step)
        if min(abs(turn_out), abs(turn_back)) < _SIDESTEP_RAD or turn_out * turn_back > 0:
            continue
        heading = before + wrapped(after - before) / 2
        dx, dy = places[index + 1, :2] - places[index, :2]
        left = dy * math.cos(heading) - dx * math.sin(heading)
        if _SIDESTEP_M[0] <= abs(left) <= _SIDESTEP_M[1]:
            places[index + 1 :, 0] += left * math.sin(heading)
            places[index + 1 :, 1] -= left * math.cos(heading)
            shifts[index + 1 :] += left
    return places, shifts


def _way(here: Points, there: Points) -> float:
    return math.atan2(there[1] - here[1], there[0] - here[0])


def _smoothed(places: Points) -> tuple[Points, list[float]]:
    """Places freed of their rounding, and headings: a local parabola over 9 places, read at each.

    At the ends the window lies aside; where there are less than 9 places it holds all. Least squares by the normal
    equations, all windows at once, with lengths in units of the window to keep them well conditioned.
    """
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(places[:, :2], axis=0).T))))
    size = min(_WINDOW, len(places))
    first = np.clip(np.arange(len(places)) - size // 2, 0, len(places) - size)
    window = first[:, None] + np.arange(size)
    offsets = along[window] - along[:, None]
    scale = np.abs(offsets).max(axis=1)[:, None]
    powers = (offsets / scale)[..., None] ** np.arange(min(3, size))
    turned = powers.transpose(0, 2, 1)
    fit = np.linalg.solve(turned @ powers, turned @ places[window])
    move = fit[:, 0] - places
    share = np.minimum(1.0, _ROUNDING_M / np.maximum(np.hypot(move[:, 0], move[:, 1]), 1e-12))
    return places + share[:, None] * move, np.arctan2(fit[:, 1, 1], fit[:, 1, 0]).tolist()


def ways_between(stretches: Sequence[Points]) -> list[tuple[float, float]]:
    """Headings of the gaps before and after each stretch."""
    chords = [_way(a[-1], b[0]) for a, b in pairwise(stretches)]
    own = [_way(stretch[0], stretch[-1]) for stretch in stretches]
    before, after = [chords[0] if chords else own[0], *chords], [*chords, chords[-1] if chords else own[-1]]
    return list(zip(before, after, strict=True))
