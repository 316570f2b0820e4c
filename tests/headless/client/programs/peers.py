"""Programs of clients that share a server, or follow one that died."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from typing import Any

import carla

from tests.headless.client.programs.sensing import Ear
from tests.headless.client.programs.session import CAR, Session, at, moved, numbers, straight_road


def crash_while_listening(session: Session) -> None:
    """Leave a vehicle, listen to its sensors, and die between two ticks."""
    session.empty_town()
    car = session.spawn(CAR, session.world.get_map().get_spawn_points()[5], role_name="left behind")
    names = ("sensor.other.imu", "sensor.other.gnss", "sensor.camera.rgb")
    ears = [Ear(session.spawn(name, at(z=2.0), car)) for name in names]
    while not all(ear.said for ear in ears):
        session.tick()
    print(json.dumps(car.id), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def after_the_crash(session: Session, car_id: int) -> dict[str, Any]:
    """A second client goes on in the world of the first."""
    before = session.tick()  # until then it has perhaps not seen the world
    car = session.world.get_actor(car_id)
    car.apply_control(carla.VehicleControl(throttle=1.0))
    start, synchronous = car.get_location(), session.world.get_settings().synchronous_mode
    frame = session.tick(40)
    return {
        "role": car.attributes["role_name"],
        "synchronous": synchronous,
        "frames": frame - before,
        "driven_m": car.get_location().distance(start),
    }


def crash_amid_ticks(session: Session, manager_port: int) -> None:
    """Drive traffic and die at any moment, with the TrafficManager that said it was at a port."""
    world = session.empty_town()
    session.manager_port = manager_port
    ids = session.traffic(world.get_map().get_spawn_points()[:40:8], session.traffic_manager(1))
    session.tick()
    print(json.dumps(ids), flush=True)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()
    while True:
        session.tick()


def takes_traffic_over(session: Session, manager_port: int, ids: list[int]) -> dict[str, Any]:
    """The next client's TrafficManager, at the port of the dead one, drives the vehicles that were left."""
    world = session.world
    session.manager_port = manager_port
    cars = list(world.get_actors(ids))
    for car in cars:
        car.apply_control(carla.VehicleControl(brake=1.0))
    session.tick(100)
    standing = max(car.get_velocity().length() for car in cars)
    manager = session.traffic_manager(2)
    for car in cars:
        car.set_autopilot(True, manager_port)
        manager.ignore_lights_percentage(car, 100.0)
    session.tick()
    starts = [car.get_location() for car in cars]
    session.tick(120)
    return {"before": standing, "driven_m": [car.get_location().distance(start) for car, start in zip(cars, starts)]}


def first_of_two(session: Session) -> dict[str, Any]:
    """Ticks while the other client's walker comes and goes, and shows what it sees meanwhile."""
    world = session.empty_town()
    place = straight_road(world)
    cars = [session.spawn(CAR, moved(place, ahead=10.0 * number), role_name="first") for number in range(3)]
    ear = Ear(session.spawn("sensor.other.imu", at(), cars[0]), lambda data: numbers(data.accelerometer))
    found: dict[str, Any] = {"cars": [car.id for car in cars], "walkers": [], "places": {}}
    while True:
        session.tick()
        walkers = [walker.id for walker in world.get_actors().filter("walker.*")]
        if found["walkers"] and not walkers:
            return {**found, "heard": ear.said, "cloudiness": world.get_weather().cloudiness}
        if walkers:
            found.update(walkers=walkers, places=_places(world))
        time.sleep(0.002)


def second_of_two(session: Session) -> dict[str, Any]:
    """Never ticks; sees the first client's vehicles, hears the sensor of one, adds a walker for a while."""
    cars: list[Any] = []
    while len(cars) < 3:
        time.sleep(0.05)
        session.world = session.client.get_world()
        cars = [car for car in session.world.get_actors().filter("vehicle.*") if car.attributes["role_name"] == "first"]
        session.step()
    sensors: list[Any] = []
    while not sensors:
        session.world.wait_for_tick()
        sensors = list(session.world.get_actors().filter("sensor.other.imu"))
    ear = Ear(sensors[0], lambda data: numbers(data.accelerometer))
    walker = session.spawn("walker.pedestrian.0001", moved(straight_road(session.world), aside=6.0, up=0.5))
    session.world.set_weather(carla.WeatherParameters(cloudiness=37.0))
    ear.wait(1)
    for _ in range(30):  # the vehicles have come to rest by then
        session.world.wait_for_tick()
    found = {"cars": [car.id for car in cars], "walkers": [walker.id], "places": _places(session.world)}
    found["heard"] = list(ear.said)
    walker.destroy()
    return found


def _places(world: Any) -> dict[str, list[float]]:
    """Where the vehicles are."""
    return {str(car.id): numbers(car.get_location()) for car in world.get_actors().filter("vehicle.*")}


PROGRAMS = (
    *(crash_while_listening, after_the_crash, crash_amid_ticks, takes_traffic_over),
    *(first_of_two, second_of_two),
)
