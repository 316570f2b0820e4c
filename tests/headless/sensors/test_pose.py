"""Where a sensor is and which way it looks; the rotations are tested in ``world/test_attachments.py``."""

from __future__ import annotations

import numpy as np

from bestrand_drive.headless.actor import Transform
from bestrand_drive.headless.sensors.pose import place


def test_place_keeps_the_location() -> None:
    location, axes = place(Transform((1.0, 2.0, 3.0), (0.0, 90.0, 0.0)))
    assert location.tolist() == [1.0, 2.0, 3.0]
    np.testing.assert_allclose(axes[:, 0], [0.0, 1.0, 0.0], atol=1e-12)  # yaw 90: forward is +y, to the right
