"""Oriented boxes on the ground plane: do they touch, along which normal, how deep.

Source: separating axis theorem for rectangles (Ericson, Real-Time Collision Detection, section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.bodies import YAW, Bodies, X, Y, Z

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Boxes:
    """Boxes of some actors; every field is ``[box]``.

    Attributes:
        x: Centre, metres.
        y: Centre, metres.
        z: Centre, metres.
        cos: Of the yaw.
        sin: Of the yaw.
        length: Half size forward.
        width: Half size to the right.
        height: Half size upward.
    """

    x: Floats
    y: Floats
    z: Floats
    cos: Floats
    sin: Floats
    length: Floats
    width: Floats
    height: Floats

    @classmethod
    def of(cls, bodies: Bodies, slots: Indices) -> Boxes:
        """Boxes of the actors in ``slots`` where they are now."""
        state, (length, width, height, bx, by, bz) = bodies.state[:6, slots], bodies.box[:, slots]
        yaw = np.radians(state[YAW])
        cos, sin = np.cos(yaw), np.sin(yaw)
        x, y = state[X] + bx * cos - by * sin, state[Y] + bx * sin + by * cos
        return cls(x, y, state[Z] + bz, cos, sin, length, width, height)

    @property
    def radius(self) -> Floats:
        """Of the circle around each rectangle."""
        return np.hypot(self.length, self.width)

    def take(self, index: Indices) -> Boxes:
        """The boxes at ``index``."""
        return Boxes(*(getattr(self, name)[index] for name in Boxes.__dataclass_fields__))


@dataclass(frozen=True)
class Overlap:
    """How pairs of boxes overlap; every field is ``[pair]``.

    Attributes:
        depth: Smallest overlap over the four axes; negative where the boxes are apart.
        normal_x: Unit vector of that axis, from the first box to the second.
        normal_y: As above.
    """

    depth: Floats
    normal_x: Floats
    normal_y: Floats


def overlap(first: Boxes, second: Boxes) -> Overlap:
    """Overlap of pairs of rectangles, box k of ``first`` with box k of ``second``."""
    dx, dy = second.x - first.x, second.y - first.y
    axes_x = np.stack([first.cos, -first.sin, second.cos, -second.sin])
    axes_y = np.stack([first.sin, first.cos, second.sin, second.cos])
    along = np.abs(first.cos * second.cos + first.sin * second.sin)
    cross = np.abs(first.cos * second.sin - first.sin * second.cos)
    a, b, c, d = first.length, first.width, second.length, second.width
    reach = np.stack(
        [a + c * along + d * cross, b + c * cross + d * along, c + a * along + b * cross, d + a * cross + b * along]
    )
    gap = dx * axes_x + dy * axes_y
    depths = reach - np.abs(gap)
    axis = np.argmin(depths, axis=0)
    pick = np.arange(axis.size)
    sign = np.where(gap[axis, pick] < 0.0, -1.0, 1.0)
    return Overlap(depths[axis, pick], sign * axes_x[axis, pick], sign * axes_y[axis, pick])
