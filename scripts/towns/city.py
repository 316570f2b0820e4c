"""BestrandCity: a grid of streets in a ring road, with lights, stop signs, T junctions and a roundabout.

North up; nodes are named by column and row. The corners of the ring are bends, not junctions.

    y 600   .----T-------T-------T----.        rows: 200 arterial (60 km/h), 400 with parking (50)
            |    |       |       |    |        columns: 200 with parking (50), 400 arterial (60), 600 street (30)
    y 400   T----+-------+-------O----T        ring: one lane each way (60); O: roundabout
            |    |       |       |    |
    y 200   T----+-------+-------+----T
            |    |       |       |    |
    y 0     '----T-------T-------T----'
           x 0  200     400     600  800
"""

from __future__ import annotations

import math

from bestrand_drive.headless.roads.curve import Pose
from bestrand_drive.headless.roads.network import END, START
from towns import junctions
from towns.network import LANE_M, PARKING, SHOULDER, SIDEWALK, Arm, Cut, Lane, Road, Town

NAME = "BestrandCity"
_STEP_M, _COLUMNS, _ROWS = 200.0, 4, 3
MOUTH_M = 18.0
"""From the middle of a junction to its stop lines."""
_BEND_M = 40.0
_D, _P, _H, _S = Lane(), Lane(PARKING, 2.5), Lane(SHOULDER, 2.0), Lane(SIDEWALK, 2.0)
_ARTERIAL, _PARKED, _STREET, _RING = (_D, _D, _H, _S), (_D, _D, _P, _S), (_D, _P, _S), (_D, _H, _S)
_ROW_KINDS = {0: (_RING, 60), 1: (_ARTERIAL, 60), 2: (_PARKED, 50), 3: (_RING, 60)}
_COLUMN_KINDS = {0: (_RING, 60), 1: (_PARKED, 50), 2: (_ARTERIAL, 60), 3: (_STREET, 30), 4: (_RING, 60)}
_LIGHTS = {(1, 1), (2, 1), (3, 1), (2, 2), (1, 0), (2, 3), (0, 1), (4, 2)}
_ALL_STOP = {(1, 2)}
ROUNDABOUT = (3, 2)
ROUNDABOUT_MOUTH_M = 46.0
_CIRCLE_M = 24.0
_CIRCLE_MOUTH_RAD = math.radians(28.0)
_CIRCLE_KMH = 30
_CORNERS = {(0, 0), (4, 0), (0, 3), (4, 3)}

Node = tuple[int, int]
Arms = dict[Node, list[Arm]]


def build() -> Town:
    """The town."""
    town, arms = Town(NAME), Arms()
    for column in range(_COLUMNS + 1):
        for row in range(_ROWS + 1):
            arms[column, row] = []
    for here, there in _edges():
        _street(town, arms, here, there)
    for number, corner in enumerate(sorted(_CORNERS), 1):
        _bend(town, arms, number, corner)
    for road in list(town.roads.values()):
        junctions.limit(town, road)
    for node, own in arms.items():
        if node == ROUNDABOUT:
            _roundabout(town, node, own)
        elif node not in _CORNERS:
            _crossing(town, node, own)
    return town


def _edges() -> list[tuple[Node, Node]]:
    """Neighbouring nodes that a straight road joins, westward or southward one first."""
    rows = [((column, row), (column + 1, row)) for row in range(_ROWS + 1) for column in range(_COLUMNS)]
    columns = [((column, row), (column, row + 1)) for column in range(_COLUMNS + 1) for row in range(_ROWS)]
    return [edge for edge in rows + columns if not _CORNERS & set(edge)]


def middle(node: Node) -> Pose:
    """The middle of a junction, headed east."""
    return _place(node, 0.0)


def _mouth(node: Node) -> float:
    return ROUNDABOUT_MOUTH_M if node == ROUNDABOUT else MOUTH_M


def _place(node: Node, heading: float) -> Pose:
    return Pose(node[0] * _STEP_M, node[1] * _STEP_M, 0.0, heading)


def _street(town: Town, arms: Arms, here: Node, there: Node) -> None:
    """A straight road from one node to the next: "h<row>.<column>" eastward, "v<column>.<row>" northward."""
    level = here[1] == there[1]
    lanes, kmh = _ROW_KINDS[here[1]] if level else _COLUMN_KINDS[here[0]]
    heading = 0.0 if level else math.pi / 2
    poses = _place(here, heading).ahead(_mouth(here)), _place(there, heading).ahead(-_mouth(there))
    name = f"h{here[1]}.{here[0]}" if level else f"v{here[0]}.{here[1]}"
    road = town.add(name, poses, (Cut(0.0, lanes, lanes),), kmh)
    arms[here].append(Arm(road, START))
    arms[there].append(Arm(road, END))


def _bend(town: Town, arms: Arms, number: int, corner: Node) -> None:
    """The ring's road round a corner, "bend<number>": clockwise as seen from above, from one T junction to the next."""
    column, row = corner
    beside, above = (1 if column == 0 else 3, row), (column, 1 if row == 0 else 2)
    clockwise = (column == 0) == (row == 0)
    start, end = (beside, above) if clockwise else (above, beside)
    arrive, leave = (_heading(one, other) for one, other in ((start, corner), (corner, end)))
    poses = (
        _place(start, arrive).ahead(MOUTH_M),
        _place(corner, arrive).ahead(-_BEND_M),
        _place(corner, leave).ahead(_BEND_M),
        _place(end, leave).ahead(-MOUTH_M),
    )
    road = town.add(f"bend{number}", poses, (Cut(0.0, _RING, _RING),), 60)
    arms[start].append(Arm(road, START))
    arms[end].append(Arm(road, END))


def _heading(one: Node, other: Node) -> float:
    return math.atan2(other[1] - one[1], other[0] - one[0])


def _outward(arm: Arm) -> float:
    """The heading away from the junction, in quarter turns; north is 1."""
    pose = arm.road.pose(-1, arm.s)
    return round((pose.heading + (0.0 if arm.contact == START else math.pi)) / (math.pi / 2)) % 4


def _crossing(town: Town, node: Node, arms: list[Arm]) -> None:
    """A crossroads or a T: lights, stop signs for all, or a stop sign for the road that ends here."""
    junction = junctions.cross(town, arms)
    axes = [axis for axis in ([arm for arm in arms if _outward(arm) % 2 == way] for way in (0, 1)) if axis]
    if node in _LIGHTS:
        junctions.light(town, junction, axes)
    elif node in _ALL_STOP:
        for arm in arms:
            junctions.stop(town, arm)
    else:
        for axis in axes:
            if len(axis) == 1:
                junctions.stop(town, axis[0])
    for arm in arms:
        junctions.zebra(town, arm)


def _roundabout(town: Town, node: Node, arms: list[Arm]) -> None:
    """A circle driven anticlockwise, with a junction where each arm meets it; who comes in gives way."""
    ordered = sorted(arms, key=_outward)
    quarters = [_quarter(town, node, _outward(arm) * math.pi / 2) for arm in ordered]
    for index, arm in enumerate(ordered):
        junction = town.junction()
        arrives, leaves = Arm(quarters[index - 1], END), Arm(quarters[index], START)
        for one in (arm, arrives, leaves):
            junctions.attach(junction, one)
        junctions.join(town, junction, arrives, -1, leaves, -1)
        for lane in arm.lanes_out():
            junctions.join(town, junction, arrives, -1, arm, lane)
        for lane in arm.lanes_in():
            junctions.join(town, junction, arm, lane, leaves, -1)
        junctions.give_way(town, arm)


def _quarter(town: Town, node: Node, angle: float) -> Road:
    """The circle's road from behind the arm at an angle to before the next, "circle<quarter>"."""
    first, last = angle + _CIRCLE_MOUTH_RAD, angle + math.pi / 2 - _CIRCLE_MOUTH_RAD
    poses = tuple(_place(node, way).ahead(_CIRCLE_M).turned(math.pi / 2) for way in (first, last))
    road = town.add(f"circle{round(angle / (math.pi / 2))}", poses, (Cut(0.0, (), (_D,)),), _CIRCLE_KMH)
    road.offset = LANE_M / 2
    return road
