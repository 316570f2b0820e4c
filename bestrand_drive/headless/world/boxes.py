"""Oriented boxes on the ground plane: do they touch, along which normal, how deep.

Source: separating axis theorem for rectangles (Ericson, Real-Time Collision Detection, section 4.4). A box that lies on
its side or stands on an edge becomes the smallest rectangle along one of its edges that holds all of its shadow, with
its full height.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.attachments import rotation_matrices
from bestrand_drive.headless.world.bodies import ATTITUDE, PITCH, PLACE, ROLL, YAW, Bodies, X, Y, Z

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_LEVEL_DEG = 20.0  # the tilt of a slope, which makes no difference worth its cost


@dataclass(frozen=True)
class Boxes:
    """Boxes of some actors; every field is ``[box]``.

    Attributes:
        x: Centre, metres.
        y: Centre, metres.
        z: Centre, metres.
        cos: Of the yaw (within 45 degrees of it where a box is tilted).
        sin: As above.
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
        upright = cls(x, y, state[Z] + bz, cos, sin, length, width, height)
        tilt = np.abs(state[PITCH : ROLL + 1 : ROLL - PITCH]).max(axis=0)
        tilted = np.flatnonzero(tilt > _LEVEL_DEG)
        if not tilted.size:
            return upright
        return upright._with(tilted, _around(state[:, tilted], bodies.box[:, slots[tilted]]))

    def _with(self, index: Indices, others: Boxes) -> Boxes:
        """These boxes with the ones at ``index`` replaced."""
        fields = {name: getattr(self, name).copy() for name in Boxes.__dataclass_fields__}
        for name, values in fields.items():
            values[index] = getattr(others, name)
        return Boxes(**fields)

    @property
    def radius(self) -> Floats:
        """Of the circle around each rectangle."""
        return np.hypot(self.length, self.width)

    def take(self, index: Indices) -> Boxes:
        """The boxes at ``index``."""
        return Boxes(*(getattr(self, name)[index] for name in Boxes.__dataclass_fields__))


def _around(state: Floats, box: Floats) -> Boxes:
    """Upright boxes around tilted ones.

    Args:
        state: The first rows of ``Bodies.state``, ``[6, box]``.
        box: As ``Bodies.box``, ``[6, box]``.
    """
    axes = rotation_matrices(state[ATTITUDE])
    edges = axes * box[:3].T[:, None, :]
    yaw = np.radians(state[YAW])
    heading = np.stack([np.cos(yaw), np.sin(yaw)], axis=1)
    x, y, z = state[PLACE] + np.einsum("nij,jn->in", axes, box[3:])
    return Boxes(x, y, z, *_rectangles(edges[:, :2], heading), np.abs(edges[:, 2]).sum(axis=1))


def _rectangles(edges: Floats, heading: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The smallest rectangle along one of its edges around the shadow of each box; its x nearest to the heading.

    Args:
        edges: Half edges of the boxes seen from above, metres, ``[box, xy, edge]``.
        heading: Unit vectors of the boxes' yaw, ``[box, xy]``.

    Returns:
        Cosine and sine of its direction, half length and half width in metres, each ``[box]``.
    """
    size = np.linalg.norm(edges, axis=1)[:, None]
    ways = np.where(size > 1e-9, edges / np.maximum(size, 1e-9), heading[..., None])  # an upright edge has no way
    along = np.abs(np.einsum("nik,nij->nkj", ways, edges)).sum(axis=2)
    across = np.abs(np.einsum("nik,nij->nkj", np.stack([-ways[:, 1], ways[:, 0]], axis=1), edges)).sum(axis=2)
    row, best = np.arange(len(edges)), np.argmin(along * across, axis=1)
    (cos, sin), length, width = ways[row, :, best].T, along[row, best], across[row, best]
    ahead, aside = cos * heading[:, 0] + sin * heading[:, 1], cos * heading[:, 1] - sin * heading[:, 0]
    swap = np.abs(aside) > np.abs(ahead)
    sign = np.where(np.where(swap, aside, ahead) < 0.0, -1.0, 1.0)
    cos, sin = sign * np.where(swap, -sin, cos), sign * np.where(swap, cos, sin)
    return cos, sin, np.where(swap, width, length), np.where(swap, length, width)


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
