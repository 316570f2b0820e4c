"""The way to drive as a table: a point every metre, with direction, curvature and lane; quick to look things up in.

Distances along it are in metres from its start; sideways ones are to the right of its direction (CARLA's y axis).
"""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from probe_driving.tracing import Node

_CELL_M = 5.0
_CURVE_REACH = 3
"""Points before and after over which curvature is measured."""


class Place(NamedTuple):
    """Where something is beside the path: distance along it and to its right, in metres; number of the next point."""

    s: float
    right: float
    point: int


class Path:
    """Points at a distance of one metre.

    Attributes:
        x, y, z: Their places in metres.
        tx, ty: Direction, a unit vector.
        curvature: Of the bend, 1/m, unsigned.
        node: The node of the traced line that lies before each.
        junctions: First and last distance of each stretch within a junction.
        changes: Distances at which lane changes end.
        length: Of the whole, in metres.
    """

    def __init__(self, line: Sequence[Node]) -> None:
        self.x: List[float] = []
        self.y: List[float] = []
        self.z: List[float] = []
        self.node: List[Node] = []
        self.changes: List[float] = []
        self._lay(line)
        self.length = float(len(self.x) - 1)
        self.tx, self.ty = self._directions()
        self.curvature = self._curvatures()
        self.junctions = self._junctions()
        self._cells = self._index_cells()

    def _lay(self, line: Sequence[Node]) -> None:
        """Points every metre along the line's chords."""
        left = 0.0
        for one, two in zip(line, line[1:]):
            dx, dy, dz = two.x - one.x, two.y - one.y, two.z - one.z
            chord = math.hypot(dx, dy)
            while left < chord:
                share = left / chord
                self.x.append(one.x + share * dx)
                self.y.append(one.y + share * dy)
                self.z.append(one.z + share * dz)
                self.node.append(one)
                left += 1.0
            left -= chord
            if one.changes:
                self.changes.append(float(len(self.x)))

    def _directions(self) -> Tuple[List[float], List[float]]:
        last = len(self.x) - 1
        tx, ty = [], []
        for index in range(last + 1):
            low, high = max(index - 1, 0), min(index + 1, last)
            dx, dy = self.x[high] - self.x[low], self.y[high] - self.y[low]
            size = math.hypot(dx, dy) or 1.0
            tx.append(dx / size)
            ty.append(dy / size)
        return tx, ty

    def _curvatures(self) -> List[float]:
        """Change of direction over some metres, so that corners of the chords do not count as bends."""
        last = len(self.x) - 1
        found = []
        for index in range(last + 1):
            low, high = max(index - _CURVE_REACH, 0), min(index + _CURVE_REACH, last)
            sine = self.tx[low] * self.ty[high] - self.ty[low] * self.tx[high]
            cosine = self.tx[low] * self.tx[high] + self.ty[low] * self.ty[high]
            drawn_out = self.node[low].changes or self.node[high].changes  # a lane change is no bend of the road
            found.append(0.0 if drawn_out else abs(math.atan2(sine, cosine)) / max(high - low, 1))
        return found

    def _junctions(self) -> List[Tuple[float, float]]:
        inside = [node.lane.is_junction for node in self.node]
        stretches: List[Tuple[float, float]] = []
        start: Optional[int] = None
        for index, here in enumerate([*inside, False]):
            if here and start is None:
                start = index
            elif not here and start is not None:
                stretches.append((float(start), float(index)))
                start = None
        return stretches

    def _index_cells(self) -> Dict[Tuple[int, int], List[int]]:
        """For each cell of a grid, the points in it and in the cells around it."""
        cells: Dict[Tuple[int, int], List[int]] = {}
        for index, (x, y) in enumerate(zip(self.x, self.y)):
            column, row = int(x // _CELL_M), int(y // _CELL_M)
            for near in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
                cells.setdefault(near, []).append(index)
        return cells

    def place(self, x: float, y: float, low: float, high: float) -> Optional[Place]:
        """Where a point is beside the path between two distances; None if it is more than some 5 m away from it."""
        best, nearest = -1, math.inf
        for index in self._cells.get((int(x // _CELL_M), int(y // _CELL_M)), ()):
            if low <= index <= high:
                dx, dy = x - self.x[index], y - self.y[index]
                size = dx * dx + dy * dy
                if size < nearest:
                    best, nearest = index, size
        return None if best < 0 else self._beside(x, y, best)

    def follow(self, x: float, y: float, near: float) -> Place:
        """Where a point is that was near a distance a moment ago, however far beside it is now."""
        last = len(self.x) - 1  # beyond it one goes on along the last direction
        low, high = max(min(int(near), last) - 5, 0), min(int(near) + 12, last)
        best = min(range(low, high + 1), key=lambda index: (x - self.x[index]) ** 2 + (y - self.y[index]) ** 2)
        return self._beside(x, y, best)

    def _beside(self, x: float, y: float, index: int) -> Place:
        dx, dy = x - self.x[index], y - self.y[index]
        tx, ty = self.tx[index], self.ty[index]
        return Place(index + dx * tx + dy * ty, dy * tx - dx * ty, index)

    def index(self, s: float) -> int:
        """The point at a distance, or the first or last one."""
        return min(max(int(s + 0.5), 0), len(self.x) - 1)

    def point(self, s: float, right: float) -> Tuple[float, float]:
        """The place at a distance along, some metres to the right."""
        index = self.index(s)
        rest = s - index
        tx, ty = self.tx[index], self.ty[index]
        return self.x[index] + rest * tx - right * ty, self.y[index] + rest * ty + right * tx
