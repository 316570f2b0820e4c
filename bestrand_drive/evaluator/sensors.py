"""The agent's sensors: which are allowed, how they are mounted, and how their data is handed on.

Rules and attributes: leaderboard 2.0. ``sensor.speedometer`` and ``sensor.opendrive_map`` are not spawned.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import carla

from bestrand_drive.evaluator.state import State

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
_LIDAR = {
    "range": 85,
    "rotation_frequency": 10,
    "channels": 64,
    "upper_fov": 10,
    "lower_fov": -30,
    "points_per_second": 600000,
    "atmosphere_attenuation_rate": 0.004,
    "dropoff_general_rate": 0.45,
    "dropoff_intensity_limit": 0.8,
    "dropoff_zero_intensity": 0.4,
}
_GNSS = {f"noise_{axis}_stddev": 0.000005 for axis in ("alt", "lat", "lon")} | {
    f"noise_{axis}_bias": 0.0 for axis in ("alt", "lat", "lon")
}
_IMU = {f"noise_accel_stddev_{axis}": 0.015 if axis == "z" else 0.001 for axis in "xyz"} | {
    f"noise_gyro_stddev_{axis}": 0.001 for axis in "xyz"
}


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


def _attributes(spec: Spec) -> dict[str, Any]:
    kind = spec["type"]
    if kind == "sensor.camera.rgb":
        return {"image_size_x": spec["width"], "image_size_y": spec["height"], "fov": spec["fov"]}
    if kind == "sensor.other.radar":
        angles = {name: spec[name] for name in ("horizontal_fov", "vertical_fov")}
        return angles | {"points_per_second": 1500, "range": 100}
    return {"sensor.lidar.ray_cast": _LIDAR, "sensor.other.gnss": _GNSS, "sensor.other.imu": _IMU}[kind]


def _mount(spec: Spec) -> carla.Transform:
    place = carla.Location(*(float(spec.get(axis, 0.0)) for axis in "xyz"))
    if spec["type"] == "sensor.other.gnss":
        return carla.Transform(place)
    pitch, yaw, roll = (float(spec.get(name, 0.0)) for name in ("pitch", "yaw", "roll"))
    return carla.Transform(place, carla.Rotation(pitch=pitch, yaw=yaw, roll=roll))


class SensorSuite:
    """The agent's sensors on the ego; ``interface`` is the agent's, which may be the official one."""

    def __init__(self, world: carla.World, ego: carla.Vehicle, interface: Any) -> None:
        self._world = world
        self._ego = ego
        self._interface = interface
        self._spawned: list[carla.Sensor] = []
        self._speedometers: list[str] = []
        self._maps: list[tuple[str, float]] = []
        self._ticks = 0

    def mount(self, specs: Sequence[Spec]) -> None:
        """Spawn what is spawned, note the rest."""
        library = self._world.get_blueprint_library()
        for spec in specs:
            tag, kind, sensor = spec["id"], spec["type"], None
            if kind == SPEEDOMETER:
                self._speedometers.append(tag)
            elif kind == MAP:
                self._maps.append((tag, float(spec.get("reading_frequency", 1.0))))
            else:
                blueprint = library.find(kind)
                for name, value in _attributes(spec).items():
                    blueprint.set_attribute(name, str(value))
                sensor = self._world.spawn_actor(blueprint, _mount(spec), attach_to=self._ego)
                self._spawned.append(sensor)
            self._interface.register_sensor(tag, kind, sensor)
            if sensor is not None:
                sensor.listen(self._hand_on(tag, _READERS[kind]))

    def _hand_on(self, tag: str, read: Callable[[Any], Any]) -> Callable[[Any], None]:
        interface = self._interface
        return lambda data: interface.update_sensor(tag, read(data), data.frame)

    def tick(self, frame: int, ego: State, map_: carla.Map, delta_s: float) -> None:
        """Give what is not spawned."""
        pitch, yaw = math.radians(ego.rotation.pitch), math.radians(ego.rotation.yaw)
        for tag in self._speedometers:
            flat = ego.velocity.x * math.cos(yaw) + ego.velocity.y * math.sin(yaw)
            speed = flat * math.cos(pitch) + ego.velocity.z * math.sin(pitch)
            self._interface.update_sensor(tag, {"speed": speed}, frame)
        for tag, frequency in self._maps:
            if self._ticks % max(round(1.0 / (frequency * delta_s)), 1) == 0:
                self._interface.update_sensor(tag, {"opendrive": map_.to_opendrive()}, frame)
        self._ticks += 1

    def stop(self) -> None:
        """No more data."""
        for sensor in self._spawned:
            sensor.stop()
            sensor.destroy()
        self._spawned.clear()


def _image(data: Any) -> Any:
    import numpy as np  # noqa: PLC0415  most agents here have no such sensor, and start-up counts

    return np.frombuffer(data.raw_data, dtype=np.uint8).copy().reshape(data.height, data.width, 4)


def _points(data: Any) -> Any:
    import numpy as np  # noqa: PLC0415  slow to load, and few agents have such a sensor

    return np.frombuffer(data.raw_data, dtype=np.float32).copy().reshape(-1, 4)


def _radar(data: Any) -> Any:
    """Depth, azimuth, altitude, velocity."""
    return _points(data)[:, ::-1]


def _gnss(data: Any) -> Any:
    import numpy as np  # noqa: PLC0415  slow to load, and few agents have such a sensor

    return np.array([data.latitude, data.longitude, data.altitude])


def _imu(data: Any) -> Any:
    import numpy as np  # noqa: PLC0415  slow to load, and few agents have such a sensor

    pushes = [getattr(vector, axis) for vector in (data.accelerometer, data.gyroscope) for axis in "xyz"]
    return np.array([*pushes, data.compass])


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "sensor.camera.rgb": _image,
    "sensor.lidar.ray_cast": _points,
    "sensor.other.radar": _radar,
    "sensor.other.gnss": _gnss,
    "sensor.other.imu": _imu,
}
