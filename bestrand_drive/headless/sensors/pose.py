"""Rotations in CARLA's left-handed frame (x forward, y right, z up; yaw clockwise seen from above)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.world.actor import Transform, Vector

Array = NDArray[np.float64]


def rotation_matrices(rotations_deg: Array) -> Array:
    """Matrices that turn vectors of the actor's frame into the world's.

    The columns are the forward, right and up vectors (``Transform::GetMatrix`` of LibCarla).

    Args:
        rotations_deg: [n, 3] pitch, yaw, roll in degrees.

    Returns:
        [n, 3, 3].
    """
    angles = np.radians(rotations_deg)
    (sp, sy, sr), (cp, cy, cr) = np.sin(angles).T, np.cos(angles).T
    rows = [
        [cp * cy, cy * sp * sr - sy * cr, -cy * sp * cr - sy * sr],
        [cp * sy, sy * sp * sr + cy * cr, -sy * sp * cr + cy * sr],
        [sp, -cp * sr, cp * cr],
    ]
    return np.array(rows).transpose(2, 0, 1)


def rotation_matrix(rotation_deg: Vector) -> Array:
    """The matrix [3, 3] of one rotation (pitch, yaw, roll in degrees)."""
    matrix: Array = rotation_matrices(np.array([rotation_deg]))[0]
    return matrix


def place(transform: Transform) -> tuple[Array, Array]:
    """Location [3] in metres and rotation matrix [3, 3] of a pose."""
    return np.array(transform.location, dtype=np.float64), rotation_matrix(transform.rotation)
