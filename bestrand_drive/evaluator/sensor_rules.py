"""Which sensors an agent may have, and what they are called in results. Source: leaderboard 2.0."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Spec = Mapping[str, Any]

SPEEDOMETER, MAP = "sensor.speedometer", "sensor.opendrive_map"
_MOST = {
    "sensor.camera.rgb": 8,
    "sensor.lidar.ray_cast": 2,
    "sensor.other.radar": 4,
    "sensor.other.gnss": 1,
    "sensor.other.imu": 1,
    MAP: 1,
    SPEEDOMETER: 1,
}
_MOST_QUALIFIER = _MOST | {"sensor.camera.rgb": 4, "sensor.lidar.ray_cast": 1, "sensor.other.radar": 2}
_NEEDED = {
    "sensor.camera.rgb": ("width", "height", "fov"),
    "sensor.other.radar": ("horizontal_fov", "vertical_fov"),
}
"""What a sensor cannot be made without, beside type and id; places and angles are 0 unless given."""
_NUMBERS = (*"xyz", "pitch", "yaw", "roll", "width", "height", "fov", "horizontal_fov", "vertical_fov")
ICONS = {
    "sensor.camera.rgb": "carla_camera",
    "sensor.lidar.ray_cast": "carla_lidar",
    "sensor.other.radar": "carla_radar",
    "sensor.other.gnss": "carla_gnss",
    "sensor.other.imu": "carla_imu",
    MAP: "carla_opendrive_map",
    SPEEDOMETER: "carla_speedometer",
}
_RADIUS_M = 3.0
_RADIUS_SAVING_M = 100.0
"""Bench2Drive mounts cameras anywhere once SAVE_PATH is set."""


def fault_of(sensors: Sequence[Spec], agent_track: str, track: str) -> str | None:
    """Why sensors are not allowed, or None.

    Args:
        sensors: What the agent asks for.
        agent_track: The agent's.
        track: The one that is driven.
    """
    if agent_track != track:
        return f"the agent is of track {agent_track}, driven is {track}"
    radius_m = _RADIUS_SAVING_M if os.environ.get("SAVE_PATH") else _RADIUS_M
    described = _lacking(sensors) or _no_number(sensors)
    if described is not None:
        return described
    most = _MOST_QUALIFIER if agent_track.endswith("QUALIFIER") else _MOST
    types = Counter(spec["type"] for spec in sensors)
    tags = Counter(spec["id"] for spec in sensors)
    for kind, count in types.items():
        if kind not in most or (kind == MAP and agent_track == "SENSORS"):
            return f"sensor {kind} is not allowed on track {agent_track}"
        if count > most[kind]:
            return f"{count} sensors {kind}, at most {most[kind]} are allowed"
    twice = [tag for tag, count in tags.items() if count > 1]
    if twice:
        return f"two sensors have the id {twice[0]}"
    far = [spec["id"] for spec in sensors if math.hypot(*(float(spec.get(axis, 0.0)) for axis in "xyz")) > radius_m]
    return f"sensor {far[0]} is mounted further than {radius_m} m away" if far else None


def _lacking(sensors: Sequence[Spec]) -> str | None:
    for spec in sensors:
        absent = [name for name in ("type", "id", *_NEEDED.get(spec.get("type", ""), ())) if name not in spec]
        if absent:
            return f"sensor {spec.get('id', spec.get('type', '?'))} is described without {', '.join(absent)}"
    return None


def _no_number(sensors: Sequence[Spec]) -> str | None:
    """What of a description would fail once the sensor is mounted, as if the simulation had."""
    for spec in sensors:
        for name in (name for name in _NUMBERS if name in spec):
            if not math.isfinite(_number(spec[name])):
                return f"sensor {spec['id']}: {name} {spec[name]!r} is no number"
        if not _number(spec.get("reading_frequency", 1.0)) > 0.0:
            return f"sensor {spec['id']}: reading_frequency {spec['reading_frequency']!r} is not above 0"
    return None


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return math.nan
