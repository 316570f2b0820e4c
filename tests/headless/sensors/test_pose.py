"""Rotations against CARLA's own transform."""

from __future__ import annotations

import numpy as np
import pytest

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.sensors.pose import place
from bestrand_drive.headless.world.attachments import rotation_matrices

carla = pytest.importorskip("carla")


def test_matrices_are_carlas() -> None:
    rotations = np.random.default_rng(0).uniform(-180.0, 180.0, (200, 3))
    for matrix, (pitch, yaw, roll) in zip(rotation_matrices(rotations.T), rotations.tolist(), strict=True):
        theirs = carla.Transform(carla.Location(), carla.Rotation(pitch=pitch, yaw=yaw, roll=roll)).get_matrix()
        np.testing.assert_allclose(matrix, np.array(theirs)[:3, :3], atol=1e-5)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)


def test_place_keeps_the_location() -> None:
    location, axes = place(Transform((1.0, 2.0, 3.0), (0.0, 90.0, 0.0)))
    assert location.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(axes[:, 0], [0.0, 1.0, 0.0], atol=1e-12)  # yaw 90: forward is +y, to the right


def test_no_rotations_give_no_matrices() -> None:
    assert rotation_matrices(np.zeros((3, 0))).shape == (0, 3, 3)
