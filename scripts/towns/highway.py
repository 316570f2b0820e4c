"""BestrandHighway: a closed motorway with three lanes each way, four exits and four on-ramps with merge lanes.

Two parallel straights, joined by half circles. Each carriageway has on each straight an exit, which a slow road beside
it leads on to the on-ramp behind: the outer carriageway's lie outside, the inner one's inside.
"""

from __future__ import annotations

import math

from bestrand_drive.headless.roads.curve import Pose
from bestrand_drive.headless.roads.network import END, START
from towns import junctions
from towns.network import LANE_M, SHOULDER, Arm, Cut, Lane, Road, Town

NAME = "BestrandHighway"
_LENGTH_M, _APART_M, _MEDIAN_M = 900.0, 300.0, 3.0
_D, _H = Lane(), Lane(SHOULDER, 2.5)
_MAIN = (_D, _D, _D, _H)
_FOUR = (_D, _D, _D, _D, _H)
_RAMP = (Cut(0.0, (), (_D, _H)),)
_TAPER_M = 50.0
_LEAD_M, _EXIT_LANE_M, _JUNCTION_M, _BETWEEN_M, _MERGE_LANE_M = 100.0, 200.0, 50.0, 200.0, 200.0
_REST_M = _LENGTH_M - _LEAD_M - _EXIT_LANE_M - 2 * _JUNCTION_M - _BETWEEN_M - _MERGE_LANE_M
"""From the end of a merge lane to the half circle."""
_RAMP_ASIDE_M, _RAMP_AHEAD_M = -40.0, 60.0
_MOUTH_ASIDE_M = -15.0
"""Where a ramp begins or ends: beside the main road, metres to the left of its dividing line."""
_STRAIGHT = {-1: -1, -2: -2, -3: -3}


def build() -> Town:
    """The town."""
    town, far = Town(NAME), _APART_M
    south, north = _MEDIAN_M, far - _MEDIAN_M
    outer = (Pose(0.0, -south, 0.0, 0.0), Pose(_LENGTH_M, far + south, 0.0, math.pi))
    inner = (Pose(_LENGTH_M, south, 0.0, math.pi), Pose(0.0, north, 0.0, 0.0))
    for name, starts, kmh in (("outer", outer, 90), ("inner", inner, 100)):
        sides = [_side(town, f"{name}{number}", start, kmh) for number, start in enumerate(starts, 1)]
        for number, ((_, last), (first, _)) in enumerate(((sides[0], sides[1]), (sides[1], sides[0])), 1):
            _half_circle(town, f"{name}.turn{number}", last, first)
    for road in list(town.roads.values()):
        if road.junction < 0:
            junctions.limit(town, road)
    return town


def _side(town: Town, name: str, start: Pose, kmh: int) -> tuple[Road, Road]:
    """A carriageway along one straight, with exit and on-ramp; its first and its last road."""
    s = _LEAD_M
    growing = Lane(width=0.0, slope=LANE_M / _TAPER_M)
    exit_cuts = (Cut(0.0, (), (_D, _D, _D, growing, _H)), Cut(_TAPER_M, (), _FOUR))
    leaving = _main(town, f"{name}.leaving", start, s, _EXIT_LANE_M, exit_cuts, kmh)
    s += _EXIT_LANE_M + _JUNCTION_M
    between = _main(town, f"{name}.between", start, s, _BETWEEN_M, (Cut(0.0, (), _MAIN),), kmh)
    slow = _slow_road(town, name, start, s)
    s += _BETWEEN_M + _JUNCTION_M
    ending = Lane(slope=-LANE_M / _TAPER_M)
    merge_cuts = (Cut(0.0, (), _FOUR), Cut(_MERGE_LANE_M - _TAPER_M, (), (_D, _D, _D, ending, _H)))
    merging = _main(town, f"{name}.merging", start, s, _MERGE_LANE_M, merge_cuts, kmh)
    _fork(town, leaving, between, slow)
    _merge(town, between, slow, merging)
    return leaving, merging


def _main(town: Town, name: str, start: Pose, s: float, length: float, cuts: tuple[Cut, ...], kmh: int) -> Road:
    return town.add(name, (start.ahead(s), start.ahead(s + length)), cuts, kmh, "motorway")


def _slow_road(town: Town, name: str, start: Pose, s: float) -> Road:
    """From the exit to the on-ramp: away from the main road, along it, and back."""
    places = (
        (0.0, _MOUTH_ASIDE_M),
        (_RAMP_AHEAD_M, _RAMP_ASIDE_M),
        (_BETWEEN_M - _RAMP_AHEAD_M, _RAMP_ASIDE_M),
        (_BETWEEN_M, _MOUTH_ASIDE_M),
    )
    poses = tuple(start.ahead(s + ahead).aside(aside) for ahead, aside in places)
    slope = math.radians(10.0)
    poses = (poses[0].turned(-slope), *poses[1:3], poses[3].turned(slope))
    return town.add(f"{name}.slow", poses, _RAMP, 50, "rural")


def _fork(town: Town, before: Road, after: Road, branch: Road) -> None:
    """The three lanes go on, the fourth leaves."""
    junction = town.junction()
    arms = Arm(before, END), Arm(after, START), Arm(branch, START)
    for arm in arms:
        junctions.attach(junction, arm)
    for lane, onward in _STRAIGHT.items():
        junctions.join(town, junction, arms[0], lane, arms[1], onward)
    junctions.join(town, junction, arms[0], -4, arms[2], -1)


def _merge(town: Town, before: Road, ramp: Road, after: Road) -> None:
    """The three lanes go on, the ramp becomes the fourth."""
    junction = town.junction()
    arms = Arm(before, END), Arm(ramp, END), Arm(after, START)
    for arm in arms:
        junctions.attach(junction, arm)
    for lane, onward in _STRAIGHT.items():
        junctions.join(town, junction, arms[0], lane, arms[2], onward)
    junctions.join(town, junction, arms[1], -1, arms[2], -4)


def _half_circle(town: Town, name: str, before: Road, after: Road) -> None:
    """From one straight round to the other."""
    first, last = before.curve.poses[-1], after.curve.poses[0]
    begins, ends = first.ahead(_REST_M), last.ahead(-_LEAD_M)
    aside = begins.frame(ends.x, ends.y)[1]
    top = begins.ahead(abs(aside) / 2).aside(aside / 2).turned(math.copysign(math.pi / 2, aside))
    road = town.add(name, (first, begins, top, ends, last), (Cut(0.0, (), _MAIN),), before.kmh, "motorway")
    town.follow(before, road, {**_STRAIGHT, -5: -4})
    town.follow(road, after, {**_STRAIGHT, -4: -5})
