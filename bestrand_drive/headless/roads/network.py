"""A road network in memory: roads with lanes and links, junctions, signals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from bestrand_drive.headless.roads.curve import Curve, Pose
from bestrand_drive.headless.roads.sections import Kind, Section

START, END = "start", "end"


class Link(NamedTuple):
    """What a road's end meets: a "road" at its "start" or "end", or a "junction"."""

    kind: str
    id: int
    contact: str = ""


class Signal(NamedTuple):
    """A light or sign on a road.

    Attributes:
        id: Unique in the network.
        type: One of ``signal_types``.
        s: Metres along the road.
        t: Metres to the left of the dividing line.
        along: It is for the lanes that run along the road.
        lanes: Ids of the first and the last lane it rules.
    """

    id: int
    type: str
    s: float
    t: float
    along: bool
    lanes: tuple[int, int]


@dataclass(eq=False)
class Road:
    """One road; its curve is the centre of ``section.route``. A road equals only itself.

    Attributes:
        lane_links: Of a road inside a junction and of a turnaround: lane before and lane after its only lane.
        fast: An open road, not a street.
        kept: Its lanes may not be changed: a planner would leave the route's lane where another is shorter.
    """

    id: int
    curve: Curve
    section: Section
    junction: int = -1
    before: Link | None = None
    after: Link | None = None
    lane_links: tuple[int, int] | None = None
    signals: list[Signal] = field(default_factory=list)
    fast: bool = False
    kept: bool = False


class Connection(NamedTuple):
    """A way through a junction: from a lane of a road, by the lane -1 of a connecting road."""

    incoming: int
    connecting: int
    lane: int


@dataclass
class Junction:
    """Ways through it, and for each phase of its lights the ids of the signals that are green."""

    id: int
    connections: list[Connection] = field(default_factory=list)
    phases: list[list[int]] = field(default_factory=list)


@dataclass
class Network:
    """Everything of one file; ids of roads, junctions and signals are counted from one number, so all are unique."""

    roads: list[Road] = field(default_factory=list)
    junctions: list[Junction] = field(default_factory=list)
    last_id: int = 0

    def new_id(self) -> int:
        """The next free id."""
        self.last_id += 1
        return self.last_id

    def add(self, curve: Curve, section: Section, *, fast: bool = False) -> Road:
        """A new road."""
        road = Road(self.new_id(), curve, section, fast=fast)
        self.roads.append(road)
        return road


class Arm(NamedTuple):
    """A road that meets a junction with one of its ends."""

    road: Road
    contact: str

    def lanes_in(self, kind: Kind = Kind.DRIVING) -> tuple[int, ...]:
        """Lanes that lead into the junction, from the dividing line outward."""
        return self.road.section.ids(kind, along=self.contact == END)

    def lanes_out(self, kind: Kind = Kind.DRIVING) -> tuple[int, ...]:
        """Lanes that lead out of it."""
        return self.road.section.ids(kind, along=self.contact == START)

    def pose(self, lane: int) -> Pose:
        """Where a lane meets the junction, headed as its traffic is."""
        end = self.road.curve.poses[0 if self.contact == START else -1].aside(self.road.section.aside(lane))
        return end if lane < 0 else end.turned(math.pi)

    def middle(self) -> Pose:
        """Where the dividing line meets the junction, headed as the road is."""
        end = self.road.curve.poses[0 if self.contact == START else -1]
        return end.aside(self.road.section.offset)

    def attach(self, junction: int) -> None:
        """Link the road's end with the junction."""
        link = Link("junction", junction)
        if self.contact == START:
            self.road.before = link
        else:
            self.road.after = link
