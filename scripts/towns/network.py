"""A town in memory: roads with lanes, junctions, signals, and which lane leads into which. OpenDRIVE's axes, metres."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from bestrand_drive.headless.roads.curve import Curve, Pose
from bestrand_drive.headless.roads.network import END, START, Junction, Link

DRIVING, SHOULDER, PARKING, SIDEWALK = "driving", "shoulder", "parking", "sidewalk"
LANE_M = 3.5


class Lane(NamedTuple):
    """A lane's type, its width in metres where its section begins, and how much that grows a metre."""

    kind: str = DRIVING
    width: float = LANE_M
    slope: float = 0.0


class Cut(NamedTuple):
    """The lanes from a place of the road on, outward from the dividing line; ids stay the same along a road."""

    s: float
    left: tuple[Lane, ...]
    right: tuple[Lane, ...]


class Signal(NamedTuple):
    """A light or sign beside the road: type, number on it, place, direction that it is for, and the lanes it rules."""

    id: int
    type: str
    value: int
    s: float
    t: float
    along: bool
    lanes: tuple[int, int]


class Crosswalk(NamedTuple):
    """A zebra at an end of a road: how far ahead of that place its middle lies, and its extent across the road."""

    id: int
    s: float
    ahead: float
    right: float
    left: float


@dataclass(eq=False)
class Road:
    """One road; lanes with positive ids run against it.

    Attributes:
        name: For people and for the table of routes.
        offset: Of the dividing line from the curve, to its left: half a lane where the curve is a lane's centre.
        ends: Lane -> the lanes that it links to before the road's beginning and after its end, 0 for none.
    """

    id: int
    name: str
    curve: Curve
    cuts: tuple[Cut, ...]
    kmh: int
    kind: str = "town"
    offset: float = 0.0
    junction: int = -1
    before: Link | None = None
    after: Link | None = None
    ends: dict[int, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    signals: list[Signal] = field(default_factory=list)
    crosswalks: list[Crosswalk] = field(default_factory=list)

    @property
    def length(self) -> float:
        """Metres."""
        return self.curve.length

    def lanes(self, kind: str, *, along: bool) -> tuple[int, ...]:
        """Ids of the lanes of a kind that run along the road, or against it; from the dividing line outward."""
        side, sign = (self.cuts[0].right, -1) if along else (self.cuts[0].left, 1)
        return tuple(sign * index for index, lane in enumerate(side, 1) if lane.kind == kind)

    def edge(self, s: float, *, left: bool, count: int | None = None) -> float:
        """Metres from the curve to the outer edge of a side, or of its first lanes; positive to the left."""
        cut = next(cut for cut in reversed(self.cuts) if cut.s <= s or cut is self.cuts[0])
        side = (cut.left if left else cut.right)[:count]
        width = sum(lane.width + lane.slope * (s - cut.s) for lane in side)
        return self.offset + (width if left else -width)

    def aside(self, lane: int, s: float) -> float:
        """Metres from the curve to a lane's centre, positive to the left."""
        inner, outer = (self.edge(s, left=lane > 0, count=abs(lane) - step) for step in (1, 0))
        return (inner + outer) / 2

    def pose(self, lane: int, s: float) -> Pose:
        """A place on a lane's centre, headed as its traffic is."""
        place = _pose_at(self.curve, s).aside(self.aside(lane, s))
        return place if lane < 0 else place.turned(math.pi)


def _pose_at(curve: Curve, s: float) -> Pose:
    """The pose ``s`` metres along a curve of lines and arcs."""
    pieces = [piece for span in curve.spans for piece in span]
    for piece in pieces:
        if s <= piece.length or piece is pieces[-1]:
            break
        s -= piece.length
    if not piece.curvature:
        return piece.start.ahead(s)
    turn = piece.curvature * s
    return piece.start.turned(turn / 2).ahead(2 * math.sin(turn / 2) / piece.curvature).turned(turn / 2)


class Arm(NamedTuple):
    """A road that meets a junction with one of its ends."""

    road: Road
    contact: str

    @property
    def s(self) -> float:
        """Where on the road the junction begins."""
        return 0.0 if self.contact == START else self.road.length

    def lanes_in(self) -> tuple[int, ...]:
        """Driving lanes into the junction, from the dividing line outward."""
        return self.road.lanes(DRIVING, along=self.contact == END)

    def lanes_out(self) -> tuple[int, ...]:
        """Driving lanes out of it."""
        return self.road.lanes(DRIVING, along=self.contact == START)


LaneOf = tuple[int, int]
"""Road and lane."""


@dataclass
class Town:
    """Everything of one file; ids are counted from one number, so all are unique.

    Attributes:
        ways: Which lanes a lane leads into.
    """

    name: str
    roads: dict[int, Road] = field(default_factory=dict)
    junctions: list[Junction] = field(default_factory=list)
    ways: dict[LaneOf, list[LaneOf]] = field(default_factory=lambda: defaultdict(list))
    last_id: int = 0

    def new_id(self) -> int:
        """The next free id."""
        self.last_id += 1
        return self.last_id

    def add(self, name: str, poses: tuple[Pose, ...], cuts: tuple[Cut, ...], kmh: int, kind: str = "town") -> Road:
        """A new road through poses."""
        road = Road(self.new_id(), name, Curve(poses), cuts, kmh, kind)
        self.roads[road.id] = road
        return road

    def junction(self) -> Junction:
        """A new junction."""
        self.junctions.append(Junction(self.new_id()))
        return self.junctions[-1]

    def road(self, name: str) -> Road:
        """The road of a name."""
        return next(road for road in self.roads.values() if road.name == name)

    def follow(self, before: Road, after: Road, lanes: dict[int, int]) -> None:
        """Link the end of a one-way road with the beginning of another, lane by lane."""
        before.after, after.before = Link("road", after.id, START), Link("road", before.id, END)
        for lane, onward in lanes.items():
            before.ends[lane][1], after.ends[onward][0] = onward, lane
            self.ways[before.id, lane].append((after.id, onward))
