"""A driver of our own: pure pursuit along the map's waypoints, the intelligent driver model for vehicles and lights."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass, field
from typing import Any

import carla

from tests.headless.client.programs.sensing import Ear
from tests.headless.client.programs.session import Session, at, moved, numbers

_SPACING_M = 1.0
_SIGHT_M = 45
_ASIDE_M = 1.9  # what lies this near to the path stands in the way
_LINE_ASIDE_M = 1.0
_STOP_SHORT_M = 1.0
_COMFORT, _HARD = 1.8, 3.0  # m/s^2, as the model names them: speeding up, slowing down
_HEADWAY_S, _GAP_M = 1.2, 2.5


@dataclass
class Path:
    """Waypoints ahead, a metre apart; at each fork the next branch in turn."""

    ahead: list[Any]
    points: list[tuple[float, float]] = field(default_factory=list)
    forks: int = 0
    junctions: int = 0

    def follow(self, place: Any) -> None:
        """Drop what lies behind and look further."""
        nearest = min(range(min(6, len(self.ahead))), key=lambda n: self.ahead[n].transform.location.distance(place))
        del self.points[:nearest]
        steps = zip(self.ahead[:nearest], self.ahead[1:])
        self.junctions += sum(after.is_junction and not before.is_junction for before, after in steps)
        del self.ahead[:nearest]
        while len(self.ahead) < _SIGHT_M:
            branches = sorted(self.ahead[-1].next(_SPACING_M), key=lambda one: (one.road_id, one.lane_id))
            self.ahead.append(branches[self.forks % len(branches)])
            self.forks += len(branches) > 1
        for waypoint in self.ahead[len(self.points) :]:
            here = waypoint.transform.location
            self.points.append((here.x, here.y))

    def along(self, x: float, y: float, aside_m: float) -> float | None:
        """Metres along the path to the place nearest to a point, if the point is that near to the path."""
        best, place = aside_m, None
        if math.hypot(self.points[0][0] - x, self.points[0][1] - y) > _SIGHT_M * _SPACING_M + aside_m:
            return None
        for number, (here_x, here_y) in enumerate(self.points):
            off = math.hypot(here_x - x, here_y - y)
            if off < best:
                best, place = off, number * _SPACING_M
        return place

    def bend_deg(self, metres: int) -> float:
        """How far the path turns over the next metres."""
        turns = [waypoint.transform.rotation.yaw for waypoint in self.ahead[: metres + 1]]
        return sum(abs((b - a + 180) % 360 - 180) for a, b in zip(turns, turns[1:]))


@dataclass
class Line:
    """A stop line and its light."""

    light: Any
    x: float
    y: float
    open_ahead: bool = False


@dataclass
class Driver:
    """Steers one vehicle."""

    car: Any
    others: list[Any]
    lines: list[Line]
    path: Path
    stopped: set[int] = field(default_factory=set)
    crossed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        physics = self.car.get_physics_control()
        self._full_lock = math.radians(physics.wheels[0].max_steer_angle)
        self._front = self.car.bounding_box.extent.x
        self._base = 1.25 * self._front  # about the distance of the axles

    def control(self) -> Any:
        """What to do now."""
        place, speed = self.car.get_transform(), self.car.get_velocity().length()
        self.path.follow(place.location)
        wanted = min(self.car.get_speed_limit() / 3.6, 8.5, 4.0 if self.path.bend_deg(14) > 20 else 99.0)
        push = min(_idm(speed, wanted, *barrier) for barrier in [(999.0, speed), *self._barriers(speed)])
        steer = max(-1.0, min(1.0, self._wheel(place, speed) / self._full_lock))
        return carla.VehicleControl(
            throttle=min(max(push / 4.0, 0.0), 0.8), brake=min(max(-push / 7.0, 0.0), 1.0), steer=steer
        )

    def _wheel(self, place: Any, speed: float) -> float:
        """Wheel angle of pure pursuit, radians: the arc from the rear axle through a point ahead on the path."""
        rear = place.location - place.get_forward_vector() * (self._base / 2)
        aim = self.path.ahead[round(min(max(0.7 * speed, 3.0), 8.0))].transform.location
        towards = math.atan2(aim.y - rear.y, aim.x - rear.x) - math.radians(place.rotation.yaw)
        return math.atan(2 * self._base * math.sin(towards) / math.hypot(aim.x - rear.x, aim.y - rear.y))

    def _barriers(self, speed: float) -> list[tuple[float, float]]:
        """Gap in metres and speed of what is in the way."""
        found = []
        for other in self.others:
            here = other.get_location()
            if (along := self.path.along(here.x, here.y, _ASIDE_M)) is not None:
                found.append((along - self._front - other.bounding_box.extent.x, other.get_velocity().length()))
        found += [(gap, 0.0) for gap in self._closed_lines(speed)]
        return found

    def _closed_lines(self, speed: float) -> list[float]:
        """Gaps to stop lines that must not be crossed now."""
        gaps = []
        for line in self.lines:
            along = self.path.along(line.x, line.y, _LINE_ASIDE_M)
            if along is None:
                continue
            gap, state = along - self._front, line.light.get_state()
            if line.open_ahead and gap < 0.0:
                self.crossed.append(str(state))
            line.open_ahead = gap >= 0.0
            if gap < -0.5:
                continue
            braking_m = speed * speed / (2 * _HARD)
            if state == carla.TrafficLightState.Red or (state == carla.TrafficLightState.Yellow and gap > braking_m):
                gaps.append(gap - _STOP_SHORT_M + _GAP_M)
                if speed < 0.1 and gap < 6.0:
                    self.stopped.add(line.light.id)
        return gaps


def _idm(speed: float, wanted: float, gap: float, lead: float) -> float:
    """Intelligent driver model (Treiber, Hennecke, Helbing 2000): acceleration in m/s^2."""
    need = _GAP_M + max(0.0, speed * _HEADWAY_S + speed * (speed - lead) / (2 * math.sqrt(_COMFORT * _HARD)))
    return max(-7.0, _COMFORT * (1 - (speed / max(wanted, 0.1)) ** 4 - (need / max(gap, 0.1)) ** 2))


def drive(session: Session, metres: float, start: int, vehicles: int, seed: int, limit: int = 6000) -> dict[str, Any]:
    """Drive so far through Town01 among TrafficManager's vehicles, with sensors; everything that the client saw."""
    world = session.world
    assert world.get_settings().synchronous_mode, "start the server in synchronous mode"
    session.synchronous()
    town, manager = world.get_map(), session.traffic_manager(seed)
    places = town.get_spawn_points()
    car = session.spawn("vehicle.lincoln.mkz_2020", places[start], role_name="hero")
    around = sorted(
        (p for p in places if p.location.distance(places[start].location) > 12), key=_far_from(places[start])
    )
    ids = session.traffic(around[: 3 * vehicles : 3], manager)
    ears = _sensors(session, car)
    first = session.tick()
    driver = Driver(car, list(world.get_actors(ids)), _lines(world), Path([town.get_waypoint(places[start].location)]))
    starts = [other.get_location() for other in driver.others]
    trajectory, driven, lights, aside = [], 0.0, 0, 0.0
    while driven < metres and len(trajectory) < limit:
        before = car.get_location()
        car.apply_control(driver.control())
        session.tick()
        here = car.get_transform()
        driven += here.location.distance(before)
        lights += car.is_at_traffic_light()
        aside = max(aside, _aside(town, here.location))
        trajectory.append([*numbers(here.location), here.rotation.yaw, *numbers(car.get_velocity())])
    last = first + len(trajectory)
    for name, newest in (("gnss", last), ("imu", last), ("lidar", last - 1)):  # the lidar measures every other tick
        ears[name].wait_for(newest)
    others = [numbers(other.get_location()) for other in driver.others]
    others_m = [other.get_location().distance(begin) for other, begin in zip(driver.others, starts)]
    collisions, readings = list(ears["collision"].said), {name: len(ear.said) for name, ear in ears.items()}
    digests = {name: hashlib.sha256(repr(ear.said).encode()).hexdigest() for name, ear in ears.items()}
    return {
        "trajectory": trajectory,
        "others": others,
        "others_m": others_m,
        "driven_m": driven,
        "aside_m": aside,
        "junctions": driver.path.junctions,
        "forks": driver.path.forks,
        "stopped_at": sorted(driver.stopped),
        "crossed": driver.crossed,
        "at_light_ticks": lights,
        "collisions": collisions,
        "readings": readings,
        "digests": digests,
        "bumped": _bump(session, driver, ears["collision"]),
    }


def _bump(session: Session, driver: Driver, ear: Ear) -> list[str]:
    """Put another vehicle before the car and drive on: what the collision sensor says now, were it deaf before."""
    place = driver.car.get_transform()
    other = driver.others[0]
    other.set_autopilot(False, session.manager_port)
    driver.car.apply_control(carla.VehicleControl(throttle=1.0))
    for _ in range(60):
        other.set_transform(moved(place, ahead=10.0))
        other.set_target_velocity(carla.Vector3D())
        session.tick()
    ear.wait(1, 1.0)
    return sorted({said for _, said in ear.said})


def _aside(town: Any, place: Any) -> float:
    """Metres to the middle of the nearest lane."""
    middle = town.get_waypoint(place).transform.location
    return math.hypot(middle.x - place.x, middle.y - place.y)


def _far_from(place: Any) -> Any:
    return lambda other: other.location.distance(place.location)


def _sensors(session: Session, car: Any) -> dict[str, Ear]:
    """GNSS, IMU, collision, lidar; all streams are open when this returns."""
    lidar = {"channels": 16, "points_per_second": 16000, "rotation_frequency": 20, "sensor_tick": 0.1}
    gnss, imu, touch = (session.spawn(f"sensor.other.{name}", at(), car) for name in ("gnss", "imu", "collision"))
    cloud = session.spawn("sensor.lidar.ray_cast", at(z=2.2), car, **lidar)
    ears = {
        "gnss": Ear(gnss, lambda data: (data.latitude, data.longitude, data.altitude)),
        "imu": Ear(imu, lambda data: (*numbers(data.accelerometer), *numbers(data.gyroscope), data.compass)),
        "collision": Ear(touch, lambda data: data.other_actor.type_id),
        "lidar": Ear(cloud, lambda data: hashlib.sha256(bytes(data.raw_data)).hexdigest()),
    }
    time.sleep(1.0)
    return ears


def _lines(world: Any) -> list[Line]:
    """All stop lines of the town."""
    lights = sorted(world.get_actors().filter("traffic.traffic_light*"), key=lambda one: one.id)
    return [
        Line(light, place.transform.location.x, place.transform.location.y)
        for light in lights
        for place in light.get_stop_waypoints()
    ]


PROGRAMS = (drive,)
