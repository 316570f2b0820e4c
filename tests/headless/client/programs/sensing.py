"""Programs that listen to sensors."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import carla

from tests.headless.client.programs.session import CAR, Session, at, moved, numbers, straight_road

TICK_S = 0.2
"""``sensor_tick`` of those that have one."""
TICKS = 42


class Ear:
    """What a sensor said, in order."""

    def __init__(self, sensor: Any, take: Callable[[Any], Any] = lambda data: data) -> None:
        self.said: list[tuple[int, Any]] = []
        self._take = take
        self._sensor = sensor  # the client stops listening for a sensor that nobody holds
        sensor.listen(self._hear)

    def _hear(self, data: Any) -> None:
        self.said.append((data.frame, self._take(data)))

    @property
    def frames(self) -> list[int]:
        return [frame for frame, _ in self.said]

    def wait(self, count: int, limit_s: float = 5.0) -> None:
        """Callbacks come a little after the tick."""
        end_s = time.monotonic() + limit_s
        while len(self.said) < count and time.monotonic() < end_s:
            time.sleep(0.005)

    def wait_for(self, frame: int, limit_s: float = 5.0) -> None:
        """Until the reading of a frame is there."""
        end_s = time.monotonic() + limit_s
        while (not self.said or self.said[-1][0] < frame) and time.monotonic() < end_s:
            time.sleep(0.005)


def _two_cars(session: Session, gap_m: float) -> tuple[Any, Any]:
    """One behind the other on a straight road."""
    place = straight_road(session.empty_town())
    behind, before = session.spawn(CAR, place), session.spawn("vehicle.audi.tt", moved(place, ahead=gap_m))
    session.tick(2)
    return behind, before


def readings(session: Session) -> dict[str, Any]:
    """One sensor of each kind on a vehicle that stands 12 m behind another."""
    car, other = _two_cars(session, 12.0)
    ears = {name: Ear(_mount(session, car, name, where, settings), take) for name, where, settings, take in _SENSORS}
    time.sleep(0.5)  # until all streams are open
    first = session.tick(TICKS) - TICKS + 1
    for ear in ears.values():
        ear.wait(TICKS // 4)
    town = session.world.get_map()
    there = town.transform_to_geolocation(car.get_transform().transform(carla.Location(0.0, 0.0, 2.0)))
    return {
        "first": first,
        "frames": {name: ear.frames for name, ear in ears.items()},
        "last": {name: ear.said[-1][1] for name, ear in ears.items() if ear.said},
        "there": [there.latitude, there.longitude, there.altitude],
        "other": other.id,
        "heading_deg": car.get_transform().rotation.yaw,
        "gap_m": 12.0 - car.bounding_box.extent.x - other.bounding_box.extent.x,
    }


def _mount(session: Session, car: Any, name: str, where: Any, settings: dict[str, object]) -> Any:
    return session.spawn(f"sensor.{name}", where, car, sensor_tick=TICK_S, **settings)


def _lidar(data: Any) -> dict[str, Any]:
    points = list(data)
    return {
        "channels": data.channels,
        "counted": sum(data.get_point_count(channel) for channel in range(data.channels)),
        "points": len(points),
        "bytes": len(bytes(data.raw_data)),
        "furthest": max(point.point.distance(carla.Location()) for point in points),
        "ahead": min(  # above the road, and not its own roof
            point.point.x for point in points if point.point.x > 3 and abs(point.point.y) < 0.5 and point.point.z > -2.2
        ),
        "intensity": [min(p.intensity for p in points), max(p.intensity for p in points)],
    }


def _semantic(data: Any) -> dict[str, Any]:
    points = list(data)
    return {
        "channels": data.channels,
        "counted": sum(data.get_point_count(channel) for channel in range(data.channels)),
        "points": len(points),
        "bytes": len(bytes(data.raw_data)),
        "seen": sorted({(point.object_idx, point.object_tag) for point in points}),
        "ahead": min(point.point.x for point in points if point.object_idx and point.point.x > 3),  # not its own roof
    }


def _radar(data: Any) -> dict[str, Any]:
    echoes = [[echo.velocity, echo.azimuth, echo.altitude, echo.depth] for echo in data]
    return {"echoes": echoes, "bytes": len(bytes(data.raw_data))}


def _image(data: Any) -> dict[str, Any]:
    raw = bytes(data.raw_data)
    return {"size": [data.width, data.height, data.fov], "bytes": len(raw), "values": sorted(set(raw))}


_SENSORS: tuple[tuple[str, Any, dict[str, object], Callable[[Any], Any]], ...] = (
    ("other.gnss", at(z=2.0), {}, lambda data: [data.latitude, data.longitude, data.altitude]),
    (
        "other.imu",
        at(),
        {},
        lambda data: [numbers(data.accelerometer), numbers(data.gyroscope), data.compass],
    ),
    ("other.obstacle", at(x=2.4, z=0.8), {"distance": 30, "only_dynamics": True},
     lambda data: [data.other_actor.id, data.distance]),
    ("other.radar", at(x=2.4, z=1.0), {}, _radar),
    ("lidar.ray_cast", at(z=2.4), {"channels": 16, "points_per_second": 32000, "rotation_frequency": 20, "range": 40,
     "dropoff_general_rate": 0.0}, _lidar),
    ("lidar.ray_cast_semantic", at(z=2.4), {"channels": 16, "points_per_second": 32000, "rotation_frequency": 20,
     "range": 40}, _semantic),
    ("camera.rgb", at(x=1.5, z=2.4), {"image_size_x": 320, "image_size_y": 160, "fov": 100}, _image),
    ("camera.depth", at(x=1.5, z=2.4), {"image_size_x": 64, "image_size_y": 32}, _image),
    ("camera.semantic_segmentation", at(x=1.5, z=2.4), {"image_size_x": 64, "image_size_y": 32}, _image),
)  # fmt: skip


def inertia(session: Session) -> list[list[float]]:
    """Speed, yaw rate and what the IMU says while a vehicle speeds up in a curve."""
    car = session.spawn(CAR, straight_road(session.empty_town()))
    session.tick(20)  # it falls on its wheels
    ear = Ear(
        session.spawn("sensor.other.imu", at(), car), lambda d: [*numbers(d.accelerometer), *numbers(d.gyroscope)]
    )
    time.sleep(0.3)
    car.apply_control(carla.VehicleControl(throttle=0.5, steer=0.1))
    truth = {}
    for _ in range(40):
        frame = session.tick()
        truth[frame] = [car.get_velocity().length(), car.get_angular_velocity().z]
    ear.wait(40)
    return [[*truth[frame], *said] for frame, said in ear.said if frame in truth]


def crash(session: Session) -> dict[str, Any]:
    """A vehicle drives into another; both have collision sensors."""
    behind, before = _two_cars(session, 12.0)
    ears = [
        Ear(session.spawn("sensor.other.collision", at(), car), lambda d: [d.other_actor.id, numbers(d.normal_impulse)])
        for car in (behind, before)
    ]
    time.sleep(0.3)
    behind.apply_control(carla.VehicleControl(throttle=0.8))
    speed, touched = 0.0, 0
    for _ in range(100):
        now = behind.get_velocity().length()
        frame = session.tick()
        for ear in ears:
            ear.wait(1, 0.002)
        if ears[0].said and not touched:
            speed, touched = now, frame
            break
    ears[1].wait(1, 2.0)
    return {
        "ids": [behind.id, before.id],
        "said": [ear.said for ear in ears],
        "frame": touched,
        "speed": speed,
        "forward": numbers(behind.get_transform().get_forward_vector()),
    }


def lane_marks(session: Session) -> list[list[str]]:
    """A vehicle drifts over the line on its left."""
    place = straight_road(session.empty_town(), 60.0)
    car = session.spawn(CAR, place)
    session.tick(2)
    ear = Ear(
        session.spawn("sensor.other.lane_invasion", at(), car),
        lambda data: [str(mark.type) for mark in data.crossed_lane_markings],
    )
    for number in range(60):
        car.set_transform(moved(place, ahead=0.2 * number, aside=-0.05 * number))
        session.tick()
    ear.wait(1)
    return [marks for _, marks in ear.said]


PROGRAMS = (readings, inertia, crash, lane_marks)
