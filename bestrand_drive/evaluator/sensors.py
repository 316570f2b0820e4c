"""The agent's sensors: how they are mounted, and how their data is handed on.

Attributes: leaderboard 2.0. ``sensor.speedometer`` and ``sensor.opendrive_map`` are not spawned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import carla

from bestrand_drive.evaluator.sensor_rules import MAP, SPEEDOMETER, Spec
from bestrand_drive.evaluator.state import State

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
