"""What the tests let the real client do: ``python -m tests.headless.client.programs NAME PORT [JSON ...]``.

Every program is a function of a session; what it returns is printed as one line of JSON. The process ends at once, with
all that the client still holds, as a program that crashed would.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import carla

from tests.headless.client import driving, sensing
from tests.headless.client.pulse import Pulse
from tests.headless.client.sensing import Ear
from tests.headless.client.session import Session, at, fingerprint, moved, numbers, straight_road

CAR = "vehicle.tesla.model3"


def identity(session: Session) -> dict[str, Any]:
    """Versions, maps, blueprints, spawn points."""
    world = session.empty_town()
    town = world.get_map()
    on_road = [town.get_waypoint(place.location, project_to_road=False) for place in town.get_spawn_points()]
    return {
        "versions": [session.client.get_client_version(), session.client.get_server_version()],
        "maps": session.client.get_available_maps(),
        "map": town.name,
        "road_bytes": len(town.to_opendrive()),
        "blueprints": [blueprint.id for blueprint in world.get_blueprint_library()],
        "spawn_points": len(on_road),
        "on_road": sum(waypoint is not None and not waypoint.is_junction for waypoint in on_road),
        "spectator": world.get_spectator().type_id,
    }


def population(session: Session) -> dict[str, Any]:
    """Spawn, find, refuse, destroy."""
    world, found = session.empty_town(), dict[str, Any]()
    place = world.get_map().get_spawn_points()[3]
    car = session.spawn(CAR, place, role_name="hero", color="255,0,0")
    session.tick()
    found["attributes"] = [car.attributes["role_name"], car.attributes["color"], car.type_id]
    found["extent"] = numbers(car.bounding_box.extent)
    found["off_by_m"] = car.get_location().distance(place.location)
    try:
        session.spawn("vehicle.audi.tt", moved(place, ahead=2.0))
    except RuntimeError as error:
        found["overlap"] = str(error)
    found["tried"] = world.try_spawn_actor(session.blueprint("vehicle.audi.tt"), place) is None
    sensor = session.spawn("sensor.other.gnss", at(z=2.0), car)
    session.tick()
    found["parent"] = sensor.parent.id == car.id
    found["listed"] = [world.get_actors().find(one.id) is not None for one in (car, sensor)]
    found["destroyed"] = car.destroy()
    session.tick()
    found["left"] = [world.get_actors().find(one.id) is not None for one in (car, sensor)]
    again = session.spawn(CAR, place)
    found["new_id"] = again.id > max(car.id, sensor.id)
    return found


def ticking(session: Session) -> list[list[float]]:
    """Frames, times and steps of ticks."""
    world = session.empty_town()
    stamps = []
    for _ in range(200):
        frame = session.tick()
        stamp = world.get_snapshot().timestamp
        stamps.append([frame, stamp.frame, stamp.elapsed_seconds, stamp.delta_seconds])
    return stamps


def free_running(session: Session) -> dict[str, Any]:
    """Asynchronous mode: nobody ticks, and a vehicle drives."""
    world = session.world = session.client.load_world("Town01")
    car = session.spawn(CAR, straight_road(world))
    first = world.wait_for_tick()
    start = car.get_location()
    car.apply_control(carla.VehicleControl(throttle=1.0))
    frames, end_s = [], time.monotonic() + 2.0
    while time.monotonic() < end_s:
        frames.append(world.wait_for_tick().frame)
        session.step()
    last = world.get_snapshot()
    return {
        "frames": frames,
        "simulated_s": last.timestamp.elapsed_seconds - first.timestamp.elapsed_seconds,
        "driven_m": car.get_location().distance(start),
    }


def towns(session: Session, road: str) -> dict[str, Any]:
    """Another town, none, one of our own, back."""
    found = dict[str, Any]()
    world = session.empty_town("Town02")
    car = session.spawn(CAR, world.get_map().get_spawn_points()[0])
    session.tick()
    found["second"] = [world.get_map().name, len(world.get_actors().filter("vehicle.*")), world.id]
    try:
        session.client.load_world("Atlantis")
    except RuntimeError as error:
        found["unknown"] = str(error)
    session.tick()
    found["still"] = world.get_actors().find(car.id) is not None
    session.step()
    session.world = world = session.client.generate_opendrive_world(road, carla.OpendriveGenerationParameters())
    session.synchronous()
    town = world.get_map()
    start = town.get_waypoint(carla.Location(20.0, 1.75, 0.0))
    car = session.spawn(CAR, moved(start.transform, up=0.3))
    session.tick()
    car.apply_control(carla.VehicleControl(throttle=0.7))
    session.tick(60)
    found["own"] = [town.name, len(town.get_topology()), len(world.get_actors().filter("vehicle.*")), world.id]
    found["own_moved"] = [
        a - b for a, b in zip(numbers(car.get_location()), numbers(start.transform.location), strict=True)
    ]
    session.step()
    world = session.empty_town("Town01")
    session.tick()
    found["back"] = [world.get_map().name, len(world.get_actors().filter("vehicle.*")), world.id]
    return found


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
    car = session.world.get_actor(car_id)
    before = session.world.get_snapshot().frame
    car.apply_control(carla.VehicleControl(throttle=1.0))
    start, synchronous = car.get_location(), session.world.get_settings().synchronous_mode
    frame = session.tick(40)
    return {
        "role": car.attributes["role_name"],
        "synchronous": synchronous,
        "frames": frame - before,
        "driven_m": car.get_location().distance(start),
    }


def first_of_two(session: Session) -> dict[str, Any]:
    """Ticks while the other client's walker comes and goes, and shows what it sees meanwhile."""
    world = session.empty_town()
    place = straight_road(world)
    cars = [session.spawn(CAR, moved(place, ahead=10.0 * number), role_name="first") for number in range(3)]
    found = {"cars": [car.id for car in cars], "walkers": list[int](), "places": dict[str, list[float]]()}
    while True:
        session.tick()
        walkers = [walker.id for walker in world.get_actors().filter("walker.*")]
        if found["walkers"] and not walkers:
            return found
        if walkers:
            found |= {"walkers": walkers, "places": _places(world)}
        time.sleep(0.002)


def second_of_two(session: Session) -> dict[str, Any]:
    """Never ticks; sees the first client's vehicles, adds a walker for a while."""
    cars = list[Any]()
    while len(cars) < 3:
        time.sleep(0.05)
        session.world = session.client.get_world()
        cars = [car for car in session.world.get_actors().filter("vehicle.*") if car.attributes["role_name"] == "first"]
        session.step()
    walker = session.spawn("walker.pedestrian.0001", moved(straight_road(session.world), aside=6.0, up=0.5))
    for _ in range(30):  # the vehicles have come to rest by then
        session.world.wait_for_tick()
    found = {"cars": [car.id for car in cars], "walkers": [walker.id], "places": _places(session.world)}
    walker.destroy()
    return found


def _places(world: Any) -> dict[str, list[float]]:
    """Where the vehicles are."""
    return {str(car.id): numbers(car.get_location()) for car in world.get_actors().filter("vehicle.*")}


def batch(session: Session) -> dict[str, Any]:
    """Spawn chained with autopilot, one refused, drive, destroy; a batch with a tick while sensors listen."""
    world, commands = session.empty_town(), carla.command
    manager = session.traffic_manager(1)
    places = world.get_map().get_spawn_points()[:30:3]
    car = session.blueprint(CAR)
    autopilot = commands.SetAutopilot(commands.FutureActor, True, manager.get_port())
    spawns = [commands.SpawnActor(car, place).then(autopilot) for place in [*places, places[0]]]
    answers = session.client.apply_batch_sync(spawns, False)
    ids = [answer.actor_id for answer in answers if not answer.error]
    session.tick()
    starts = {one: world.get_actor(one).get_location() for one in ids}
    session.tick(150)
    driven = [world.get_actor(one).get_location().distance(starts[one]) for one in ids]
    found = {"errors": [answer.error for answer in answers], "driven_m": driven}
    session.client.apply_batch_sync([commands.SetAutopilot(one, False, manager.get_port()) for one in ids], False)
    answers = session.client.apply_batch_sync([commands.DestroyActor(one) for one in [*ids, 10**6]], False)
    session.tick()
    found["destroyed"] = [answer.error for answer in answers]
    found["left"] = len(world.get_actors().filter("vehicle.*"))
    return found


def batch_with_tick(session: Session) -> dict[str, Any]:
    """``apply_batch_sync(..., True)`` keeps Python's lock; two sensors of a vehicle listen meanwhile."""
    world, commands = session.empty_town(), carla.command
    places = world.get_map().get_spawn_points()
    car = session.spawn(CAR, places[0])
    ears = [Ear(session.spawn(name, at(z=2.0), car)) for name in ("sensor.other.imu", "sensor.other.gnss")]
    session.tick(3)
    before = world.get_snapshot().frame
    for place in places[1:21]:
        answers = session.client.apply_batch_sync([commands.SpawnActor(session.blueprint(CAR), place)], True)
        assert not answers[0].error, answers[0].error
        session.step()
    session.tick()
    for ear in ears:
        ear.wait(20)
    return {
        "frames": world.get_snapshot().frame - before,
        "heard": [sum(frame > before for frame in ear.frames) for ear in ears],
        "vehicles": len(world.get_actors().filter("vehicle.*")),
    }


def driving_by_hand(session: Session) -> dict[str, Any]:
    """Throttle, brake, reverse, hand brake, steering."""
    world = session.empty_town()
    place = straight_road(world)
    car = session.spawn(CAR, place)
    session.tick(2)
    forward, found = place.get_forward_vector(), dict[str, Any]()

    def phase(name: str, ticks: int, **pedals: Any) -> None:
        start, yaw = car.get_location(), car.get_transform().rotation.yaw
        car.apply_control(carla.VehicleControl(**pedals))
        session.tick(ticks)
        way = car.get_location() - start
        turned = (car.get_transform().rotation.yaw - yaw + 180) % 360 - 180
        speed = car.get_velocity().dot(forward)
        found[name] = {"ahead_m": way.dot(forward), "speed": speed, "turned_deg": turned}
        shown = car.get_control()
        found[name]["shown"] = [shown.throttle, shown.brake, shown.reverse, shown.hand_brake]

    phase("throttle", 60, throttle=0.6)
    phase("brake", 80, brake=1.0)
    phase("reverse", 60, throttle=0.4, reverse=True)
    phase("hand brake", 80, hand_brake=True)
    phase("right", 40, throttle=0.4, steer=0.5)
    found["speed_limit"] = car.get_speed_limit()
    return found


def walking(session: Session) -> dict[str, Any]:
    """A walker told to walk, to turn, to stop."""
    world = session.empty_town()
    start = moved(straight_road(world), aside=5.0, up=0.5)
    walker = session.spawn("walker.pedestrian.0010", start)
    session.tick(2)
    found = dict[str, Any]()
    for name, direction, speed in (
        ("along x", (1, 0, 0), 1.5),
        ("along -y", (0, -1, 0), 3.0),
        ("stand", (1, 0, 0), 0.0),
    ):
        before = walker.get_location()
        walker.apply_control(carla.WalkerControl(carla.Vector3D(*map(float, direction)), speed))
        session.tick(40)
        way = walker.get_location() - before
        found[name] = [way.x, way.y, walker.get_velocity().length(), walker.get_control().speed]
    return found


def settings_of_the_world(session: Session) -> dict[str, Any]:
    """Weather, lights, doors, physics, spectator."""
    world, found = session.empty_town(), dict[str, Any]()
    weather = carla.WeatherParameters(cloudiness=80.0, precipitation=60.0, sun_altitude_angle=-30.0, fog_density=12.0)
    world.set_weather(weather)
    found["weather"] = world.get_weather() == weather
    car = session.spawn(CAR, world.get_map().get_spawn_points()[0])
    lights = carla.VehicleLightState(carla.VehicleLightState.LowBeam | carla.VehicleLightState.LeftBlinker)
    car.set_light_state(lights)
    session.tick()
    found["lights"] = int(car.get_light_state()) == int(lights)
    found["listed"] = int(world.get_vehicles_light_states()[car.id]) == int(lights)
    car.open_door(carla.VehicleDoor.All)
    car.close_door(carla.VehicleDoor.FL)
    physics = car.get_physics_control()
    found["wheels"] = len(physics.wheels)
    physics.mass = 2500.0
    car.apply_physics_control(physics)
    session.tick()
    found["mass"] = car.get_physics_control().mass
    above = carla.Transform(carla.Location(10.0, 20.0, 50.0), carla.Rotation(pitch=-90.0))
    world.get_spectator().set_transform(above)
    session.tick()
    found["spectator"] = world.get_spectator().get_location().distance(above.location)
    found["scenery"] = [len(world.get_environment_objects()), len(world.get_level_bbs())]
    return found


def traffic_lights(session: Session) -> dict[str, Any]:
    """Groups, cycle, set, freeze."""
    world, found = session.empty_town(), dict[str, Any]()
    lights = world.get_actors().filter("traffic.traffic_light*")
    groups = {light.id: sorted(one.id for one in light.get_group_traffic_lights()) for light in lights}
    found["lights"] = len(lights)
    found["grouped"] = all(name in group and all(groups[o] == group for o in group) for name, group in groups.items())
    group = sorted(lights, key=lambda one: one.id)[0].get_group_traffic_lights()
    for light in group:
        light.set_green_time(1.0)
        light.set_yellow_time(0.5)
        light.set_red_time(0.25)
    session.tick()
    found["times"] = [group[0].get_green_time(), group[0].get_yellow_time(), group[0].get_red_time()]
    world.reset_all_traffic_lights()
    cycle = []
    for _ in range(len(group) * 35 + 10):
        session.tick()
        cycle.append([str(light.get_state()) for light in group])
    found["cycle"] = cycle
    group[1].set_state(carla.TrafficLightState.Green)
    group[1].freeze(True)
    session.tick()
    frozen = []
    for _ in range(80):
        session.tick()
        frozen.append([str(light.get_state()) for light in group])
    found["frozen"] = [str(group[1].get_state()), group[0].is_frozen(), len({tuple(states) for states in frozen})]
    group[1].freeze(False)
    session.tick(80)
    found["again"] = [group[0].is_frozen(), str(group[1].get_state())]
    return found


def stop_lines(session: Session) -> list[dict[str, Any]]:
    """Every light: its stop waypoints, its volume, and a vehicle in it and before it."""
    world, found = session.empty_town(), list[dict[str, Any]]()
    car = session.spawn(CAR, straight_road(world))
    car.set_simulate_physics(False)
    for light in world.get_actors().filter("traffic.traffic_light*"):
        places = light.get_stop_waypoints()
        volume = light.trigger_volume
        for place in places:
            back = moved(place.transform, ahead=-3.0, up=0.3)
            inside = volume.contains(moved(place.transform, ahead=-1.5, up=0.5).location, light.get_transform())
            entry = {"light": light.id, "inside": inside, "before_junction": _leads_into_junction(place)}
            car.set_transform(back)
            session.tick()
            entry["at"] = car.is_at_traffic_light() and car.get_traffic_light().id == light.id
            entry["state"] = car.get_traffic_light_state() == light.get_state()
            car.set_transform(moved(place.transform, ahead=-14.0, up=0.3))
            session.tick()
            entry["early"] = car.is_at_traffic_light()
            found.append(entry)
        affected = light.get_affected_lane_waypoints()
        found[-1]["affected"] = {(w.road_id, w.lane_id) for w in affected} != set()
    return found


def _leads_into_junction(place: Any) -> bool:
    """The waypoint lies before a junction, not in it, and no further off than the volume is deep."""
    return not place.is_junction and any(next_one.is_junction for next_one in place.next(4.0))


def traffic(session: Session, seed: int, ticks: int) -> dict[str, Any]:
    """Vehicles under the TrafficManager, walkers and lights, in the server's first episode; what the client sees."""
    world = session.world
    assert world.get_settings().synchronous_mode, "start the server in synchronous mode"
    session.synchronous()
    manager = session.traffic_manager(seed)
    places = world.get_map().get_spawn_points()
    ids = session.traffic(places[::12][:16], manager)
    walkers = [session.spawn("walker.pedestrian.0001", moved(place, aside=5.0, up=0.5)) for place in places[5::60]]
    for number, walker in enumerate(walkers):
        walker.apply_control(carla.WalkerControl(carla.Vector3D(1.0, 0.25 * number, 0.0), 1.4))
    seen = []
    for _ in range(ticks):
        session.tick()
        seen.append(fingerprint(world.get_snapshot()))
    return {
        "seen": seen,
        "actors": len(list(world.get_snapshot())),
        "walkers": len(walkers),
        "places": [numbers(world.get_actor(one).get_location()) for one in ids],
    }


PROGRAMS = {
    program.__name__: program
    for program in (
        identity,
        population,
        ticking,
        free_running,
        towns,
        crash_while_listening,
        after_the_crash,
        first_of_two,
        second_of_two,
        batch,
        batch_with_tick,
        driving_by_hand,
        walking,
        settings_of_the_world,
        traffic_lights,
        stop_lines,
        traffic,
        driving.drive,
        *sensing.PROGRAMS,
    )
}


def main(name: str, port: str, *arguments: str) -> int:
    """Run a program and print what it found."""
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    page = Path(os.environ.get("CLIENT_PULSE") or Path(tempfile.mkdtemp()) / "pulse")
    session = Session(int(port), Pulse(page), int(os.environ.get("CLIENT_MANAGER_PORT", "8000")))
    try:
        print(json.dumps(PROGRAMS[name](session, *map(json.loads, arguments))), flush=True)
    except BaseException:  # the process ends at once below, so that nothing else would show it
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
