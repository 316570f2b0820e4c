"""Cross sections of roads: which lanes lie beside the one that the route drives in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """Lane types of OpenDRIVE 1.4 that CARLA tells apart."""

    DRIVING = "driving"
    PARKING = "parking"
    BIKING = "biking"
    SHOULDER = "shoulder"
    SIDEWALK = "sidewalk"


class Lane(NamedTuple):
    """One lane and its width in metres."""

    kind: Kind
    width: float


WIDTH_M = 3.5
D, P, B = Lane(Kind.DRIVING, WIDTH_M), Lane(Kind.PARKING, 2.5), Lane(Kind.BIKING, 2.0)
H, S = Lane(Kind.SHOULDER, 2.0), Lane(Kind.SIDEWALK, 2.0)


@dataclass(frozen=True)
class Section:
    """Lanes outward from the line that divides the directions.

    Attributes:
        left: Lanes 1, 2, ...; they run against the road.
        right: Lanes -1, -2, ...; they run along it.
        route: Id of the lane whose centre the road's curve is; negative.
    """

    left: tuple[Lane, ...]
    right: tuple[Lane, ...]
    route: int = -1

    def lane(self, lane_id: int) -> Lane:
        """The lane with an id."""
        return self.left[lane_id - 1] if lane_id > 0 else self.right[-lane_id - 1]

    @property
    def offset(self) -> float:
        """Metres from the route lane's centre to the dividing line, on its left."""
        inner = self.right[: -self.route]
        return sum(lane.width for lane in inner) - inner[-1].width / 2

    def aside(self, lane_id: int) -> float:
        """Metres from the route lane's centre to a lane's, positive to the left."""
        side = self.left[:lane_id] if lane_id > 0 else self.right[:-lane_id]
        out = sum(lane.width for lane in side) - side[-1].width / 2
        return self.offset + (out if lane_id > 0 else -out)

    def ids(self, kind: Kind, *, along: bool) -> tuple[int, ...]:
        """Ids of the lanes of a kind that run along the road, or against it; from the dividing line outward."""
        side, sign = (self.right, -1) if along else (self.left, 1)
        return tuple(sign * index for index, lane in enumerate(side, 1) if lane.kind is kind)

    @property
    def reach(self) -> float:
        """Metres from the dividing line to the farther edge."""
        return max(sum(lane.width for lane in side) for side in (self.left, self.right))


OUTER = Section((D, D, S), (D, D, S), -2)
INNER = Section((D, D, S), (D, D, S), -1)
TWO_WAY = Section((D, P, S), (D, P, S), -1)
PARKING_RIGHT = Section((D, D, S), (D, D, P, S), -2)
EDGE_LEFT = Section((S,), (D, D, P, S), -1)
PARKING_LEFT = Section((S,), (P, D, D, S), -2)
CYCLED = Section((D, D, B, S), (D, D, B, S), -1)
CARRIAGEWAY = Section((H,), (D, D, D, H), -2)
BRANCH_LEFT = Section((H,), (D, D, H), -2)
BRANCH_RIGHT = Section((H,), (D, D, H), -1)
RAMP = Section((H,), (D, H), -1)
RURAL = Section((D, H), (D, D, H), -1)
