"""Poses as arrays, in CARLA's left-handed frame (x forward, y right, z up; yaw clockwise seen from above)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestrand_drive.headless.actor import Transform, Vector
from bestrand_drive.headless.world.attachments import rotation_matrices

Array = NDArray[np.float64]


def rotation_matrix(rotation_deg: Vector) -> Array:
    """The matrix [3, 3] of one rotation (pitch, yaw, roll in degrees), from the actor's frame to the world's."""
    matrix: Array = rotation_matrices(np.array([rotation_deg]).T)[0]
    return matrix


def place(transform: Transform) -> tuple[Array, Array]:
    """Location [3] in metres and rotation matrix [3, 3] of a pose."""
    return np.array(transform.location, dtype=np.float64), rotation_matrix(transform.rotation)
