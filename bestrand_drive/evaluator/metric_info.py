"""What comfort is computed from: how the ego moved, step by step, as Bench2Drive's agents write it.

Each step is an object of three-lists: acceleration (m/s^2) and angular velocity (deg/s) in the world, unit vectors
forward and right, location (m), rotation as roll, pitch, yaw (degrees).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestrand_drive.files import write_atomic

if TYPE_CHECKING:
    import carla

NAME = "metric_info.json"


def step_of(actor: carla.ActorSnapshot | carla.Actor) -> dict[str, list[float]]:
    """One step, from an actor or its part of a snapshot."""
    transform = actor.get_transform()
    rotation = transform.rotation
    return {
        "acceleration": _triple(actor.get_acceleration()),
        "angular_velocity": _triple(actor.get_angular_velocity()),
        "forward_vector": _triple(transform.get_forward_vector()),
        "right_vector": _triple(transform.get_right_vector()),
        "location": _triple(transform.location),
        "rotation": [rotation.roll, rotation.pitch, rotation.yaw],
    }


def _triple(vector: Any) -> list[float]:
    return [vector.x, vector.y, vector.z]


def write_steps(folder: Path, steps: list[dict[str, list[float]]]) -> None:
    """Write the file unless the agent has written its own."""
    path = folder / NAME
    if steps and not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(dict(enumerate(steps))).encode())
